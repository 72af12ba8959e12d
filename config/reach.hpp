/// What of one generation of the books concerns whom, by direct look-up: what is done for a caller then depends on what
/// concerns the caller alone, not on how much else there is, and its time tells nothing of that.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "config/ids.hpp"
#include "config/roomy_map.hpp"

namespace kb::config {

struct Directory;
struct Settings;

/// Made from settings and directory, which it does not refer to afterwards.
class Reach {
 public:
  Reach() = default;
  Reach(Settings const& settings, Directory const& directory);

  /// Where in Settings::repos a repository stands; nothing: it is not configured.
  [[nodiscard]] std::optional<std::size_t> place(RepoId const& id) const;
  /// Places of the repositories whose own list lets them in (KnowledgeBase::users and ::teams), ascending.
  [[nodiscard]] std::span<std::size_t const> lists(UserId const& user) const;
  [[nodiscard]] std::span<std::size_t const> lists(TeamId const& team) const;
  /// Bound chats of the teams that have the user among members or admins, ascending.
  [[nodiscard]] std::span<ChatId const> chats(UserId const& user) const;

 private:
  RoomyMap<RepoId, std::size_t> places_;
  RoomyMap<UserId, std::vector<std::size_t>> of_users_;
  RoomyMap<TeamId, std::vector<std::size_t>> of_teams_;
  RoomyMap<UserId, std::vector<ChatId>> chats_;
};

}  // namespace kb::config
