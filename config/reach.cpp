#include "config/reach.hpp"

#include "config/control_files.hpp"

namespace kb::config {
namespace {

template <class Key, class Value>
std::span<Value const> find_in(RoomyMap<Key, std::vector<Value>> const& map, Key const& key) {
  auto const at = map.find(key);
  return at == map.end() ? std::span<Value const>() : std::span<Value const>(at->second);
}

/// Once, though the lists of a file may name somebody twice.
template <class Value>
void add(std::vector<Value>& values, Value const& value) {
  if (values.empty() || values.back() != value) values.push_back(value);
}

}  // namespace

Reach::Reach(Settings const& settings, Directory const& directory) {
  for (std::size_t i = 0; i < settings.repos.size(); ++i) {
    places_.emplace(settings.repos[i].id, i);
    KnowledgeBase const& base = settings.repos[i].knowledge_base;
    for (UserId const& user : base.users) add(of_users_[user], i);
    for (TeamId const& team : base.teams) add(of_teams_[team], i);
  }
  for (Binding const* binding : directory.bindings.in_order()) {
    Team const* const team = directory.team(binding->team);
    if (team == nullptr) continue;
    for (auto const* people : {&team->admins, &team->members}) {
      for (UserId const& user : *people) add(chats_[user], binding->chat);
    }
  }
}

std::optional<std::size_t> Reach::place(RepoId const& id) const {
  auto const at = places_.find(id);
  return at == places_.end() ? std::nullopt : std::optional(at->second);
}

std::span<std::size_t const> Reach::lists(UserId const& user) const { return find_in(of_users_, user); }
std::span<std::size_t const> Reach::lists(TeamId const& team) const { return find_in(of_teams_, team); }
std::span<ChatId const> Reach::chats(UserId const& user) const { return find_in(chats_, user); }

}  // namespace kb::config
