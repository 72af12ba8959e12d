/// The scope matrix as a whole: every combination against the rules written once more, and properties over random
/// directories and texts.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <optional>
#include <random>
#include <string>

#include "scope/words.hpp"
#include "tests/scope/sample_directory.hpp"

using namespace kb::scope;
using kb::RepoId;
using kb::TeamId;
using kb::UserId;
using kb::test::ask;
using kb::test::GrantedRepos;
using kb::test::repos_of;

namespace {

enum class Bound { no, off, gone, yes };

struct Case {
  ChatType type;
  Bound bound;
  bool registered, own_kb, names_team, member;
  Ownership words;
  std::optional<Scope> forced;
};

RepoId const kOwnKb("u", "own");
RepoId const kTeamKb("t", "team");

kb::config::Directory directory_of(Case const& c) {
  kb::config::Directory directory;
  if (c.registered) {
    kb::config::User user;
    user.id = UserId("ou");
    if (c.own_kb) user.personal_kb = kOwnKb;
    if (c.names_team) user.teams.emplace_back("team");
    directory.users.emplace(user.id, user);
  }
  kb::config::Team team;
  team.id = TeamId("team");
  team.name = "Team";
  team.kb = kTeamKb;
  if (c.member) team.members.emplace_back("ou");
  if (c.bound != Bound::gone) directory.teams.emplace(team.id, team);
  kb::config::Binding binding;
  binding.chat = kb::ChatId("oc");
  binding.team = team.id;
  binding.enabled = c.bound != Bound::off;
  if (c.bound != Bound::no) directory.bindings.emplace(binding.chat, binding);
  return directory;
}

char const* question_with(Ownership words) {
  if (words.personal) return words.team ? "我之前和团队定的" : "我的笔记";
  return words.team ? "我们定了什么" : "上次定了什么";
}

/// The rules of ACCEPTANCE 1.2 in their order: a refusal's code, or the scope granted.
std::string expected(Case const& c) {
  if (c.type == ChatType::group) {
    if (c.bound == Bound::no || c.bound == Bound::off) return "chat_not_bound";
    if (c.bound == Bound::gone) return "bound_team_not_found";
    if (!c.registered) return "user_not_registered";
    if (!c.member) return "not_team_member";
    bool const personal = c.words.personal || c.forced == Scope::personal || c.forced == Scope::both;
    return personal ? "personal_scope_not_allowed_in_group" : "team";
  }
  bool const own = c.registered && c.own_kb;
  bool const team = c.registered && c.names_team && c.member && c.bound != Bound::gone;
  if (!own && !team) return "user_not_registered";
  if (c.forced == Scope::team && !team) return "not_team_member";
  if (c.forced == Scope::personal && !own) return "user_not_registered";
  bool const none = c.words == Ownership{};
  bool const want_own = c.forced ? c.forced != Scope::team : none || c.words.personal;
  bool const want_team = c.forced ? c.forced != Scope::personal : none || c.words.team;
  if (!own) return "team";
  if (!team) return "personal";
  return want_own && want_team ? "both" : want_own ? "personal" : "team";
}

void check(Case const& c) {
  auto request = ask("ou", c.type, c.type == ChatType::group ? "oc" : "", question_with(c.words));
  request.forced = c.forced;
  auto const out = resolve(request, directory_of(c));
  auto const want = expected(c);
  CAPTURE(c.type);
  CAPTURE(static_cast<int>(c.bound));
  CAPTURE(c.registered);
  CAPTURE(c.own_kb);
  CAPTURE(c.names_team);
  CAPTURE(c.member);
  CAPTURE(request.question);
  CAPTURE(c.forced.value_or(Scope::both));
  CHECK_EQ(std::string(out.refusal ? to_string(*out.refusal) : to_string(out.scope)), want);
  CHECK_EQ(out.granted(), !out.refusal.has_value());
  CHECK_EQ(out.message.empty(), out.granted());
  GrantedRepos repos;
  if (out.granted() && want != "team") repos.push_back({kOwnKb, Label::personal});
  if (out.granted() && want != "personal") repos.push_back({kTeamKb, Label::team});
  CHECK_EQ(repos_of(out), repos);
}

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}
bool coin(Random& random) { return below(random, 2) == 0; }

constexpr std::array kPieces{"我",    "我们",  "我的", "的",       "个人",  "资料", "三个",   "团队", "项目",
                             "自我",  "笔记",  "之前", "怎么",     "帮",    "告诉", "想",     "问",   "「",
                             "」",    "《",    "“",    "\"",       "'",     "`",    " ",      "\n",   "？",
                             "my ",   "notes", "I ",   "saved",    "our ",  "team", "did i ", "@bot", "https://",
                             "atlas", "🙂",  "\xff", "\xe6\x88", "\u200b"};

std::string random_text(Random& random) {
  std::string text;
  for (auto n = below(random, 12); n > 0; --n) text += kPieces[below(random, kPieces.size())];
  return text;
}

std::string random_bytes(Random& random) {
  std::string text(below(random, 80), '\0');
  for (auto& c : text) c = static_cast<char>(below(random, 256));
  return text;
}

std::string name(char const* kind, std::size_t i) { return kind + std::to_string(i); }

/// Users, teams and bindings that may name each other, themselves, or nothing that exists.
kb::config::Directory random_directory(Random& random) {
  kb::config::Directory directory;
  for (std::size_t i = 0; i < 5; ++i) {
    kb::config::User user;
    user.id = UserId(name("u", i));
    if (coin(random)) user.personal_kb = RepoId("own", name("u", i));
    for (auto n = below(random, 4); n > 0; --n) user.teams.emplace_back(name("t", below(random, 5)));
    if (coin(random)) directory.users.emplace(user.id, user);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    kb::config::Team team;
    team.id = TeamId(name("t", i));
    team.name = name("team ", i);
    if (below(random, 5) != 0) team.kb = RepoId("team", name("t", i));
    for (auto n = below(random, 6); n > 0; --n) {
      auto& people = coin(random) ? team.admins : team.members;
      people.emplace_back(name("u", below(random, 6)));
    }
    team.projects = {{"general", "general", ""}, {"atlas", name("atlas ", i), ""}};
    if (below(random, 5) != 0) directory.teams.emplace(team.id, team);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    kb::config::Binding binding;
    binding.chat = kb::ChatId(name("c", i));
    binding.team = TeamId(name("t", below(random, 5)));
    binding.kb = RepoId("own", name("u", below(random, 5)));  // a binding's own copy of the name opens nothing
    binding.enabled = below(random, 4) != 0;
    if (below(random, 5) != 0) directory.bindings.emplace(binding.chat, binding);
  }
  return directory;
}

}  // namespace

TEST_CASE("every combination of chat, binding, registration, membership, words and force follows the rules") {
  constexpr bool kBools[] = {false, true};
  constexpr std::optional<Scope> kForced[] = {std::nullopt, Scope::personal, Scope::team, Scope::both};
  std::size_t cases = 0;
  for (auto const type : {ChatType::direct, ChatType::group})
    for (auto const bound : {Bound::no, Bound::off, Bound::gone, Bound::yes})
      for (auto const bits : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
        for (bool const personal : kBools)
          for (bool const team : kBools)
            for (auto const& forced : kForced) {
              check({type, bound, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0,
                     Ownership{personal, team}, forced});
              ++cases;
            }
  CHECK_EQ(cases, 2048);
}

TEST_CASE("a grant in a group is the bound team's knowledge base and nothing else") {  // S1-19
  Random random(20260301);
  std::size_t granted = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 4'000; ++round) {
    auto const directory = random_directory(random);
    auto request = ask(name("u", below(random, 6)), ChatType::group, name("c", below(random, 5)),
                       coin(random) ? random_text(random) : random_bytes(random));
    if (below(random, 4) == 0) request.forced = std::array{Scope::personal, Scope::team, Scope::both}[below(random, 3)];
    CAPTURE(round);
    CAPTURE(request.question);
    auto const out = resolve(request, directory);
    CHECK_FALSE(out.personal_kb.has_value());
    REQUIRE_NE(out.granted(), out.refusal.has_value());
    if (!out.granted()) {
      ++refused;
      CHECK(out.team_kbs.empty());
      continue;
    }
    ++granted;
    auto const& team = directory.teams.at(directory.bindings.at(request.chat).team);
    CHECK_EQ(repos_of(out), GrantedRepos{{team.kb, Label::team}});
    CHECK(team.has_member(request.sender));
    CHECK_FALSE(ownership_of(request.question).personal);
  }
  CHECK_GT(granted, 100);
  CHECK_GT(refused, 100);
}

TEST_CASE("a private grant holds the sender's own and their teams' knowledge bases only") {  // S1-16, S1-63
  Random random(20260302);
  std::size_t granted = 0;
  for (int round = 0; round < 4'000; ++round) {
    auto const directory = random_directory(random);
    auto const request = ask(name("u", below(random, 6)), ChatType::direct, "", random_text(random));
    CAPTURE(round);
    CAPTURE(request.question);
    auto const out = resolve(request, directory);
    if (!out.granted()) continue;
    ++granted;
    REQUIRE_FALSE(out.grant->repos().empty());
    auto const& user = directory.users.at(request.sender);
    for (auto const& repo : out.grant->repos()) {
      if (repo.label == Label::personal) {
        CHECK_EQ(repo.id, *user.personal_kb);
        continue;
      }
      CHECK(std::any_of(user.teams.begin(), user.teams.end(), [&](TeamId const& id) {
        auto const found = directory.teams.find(id);
        return found != directory.teams.end() && found->second.kb == repo.id && found->second.has_member(user.id);
      }));
    }
  }
  CHECK_GT(granted, 100);
}

TEST_CASE("any bytes have an owner and a language, the same each time") {
  Random random(20260303);
  for (int round = 0; round < 4'000; ++round) {
    auto const text = coin(random) ? random_bytes(random) : random_text(random);
    CAPTURE(round);
    CHECK_EQ(ownership_of(text) == ownership_of(text), true);
    CHECK_EQ(language_of(text) == language_of(text), true);
  }
}
