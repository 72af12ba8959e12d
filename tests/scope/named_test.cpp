// Which repositories an agent may ask by name: the directory's, and those whose own list lets the sender in (S2-3).
#include <doctest/doctest.h>

#include "config/settings.hpp"
#include "tests/scope/sample_directory.hpp"

using kb::RepoId;
using kb::TeamId;
using kb::UserId;
using kb::scope::ChatType;
using kb::scope::Refusal;
using kb::scope::resolve_named;
using kb::test::ask;

namespace {

std::vector<kb::config::RepoSettings> shelf() {
  auto const repo = [](char const* owner, char const* name, std::vector<UserId> users, std::vector<TeamId> teams) {
    kb::config::RepoSettings out;
    out.id = RepoId(owner, name);
    out.knowledge_base.users = std::move(users);
    out.knowledge_base.teams = std::move(teams);
    return out;
  };
  return {repo("docs", "open-to-ann", {UserId("ou_ann"), UserId("ou_agent")}, {}),
          repo("docs", "open-to-nlp", {}, {TeamId("team_nlp")}), repo("docs", "open-to-med", {}, {TeamId("team_med")}),
          repo("docs", "closed", {}, {}), repo("nlp", "nlp-team-kb", {}, {TeamId("team_nlp")})};
}

std::string named(std::string const& sender, ChatType type, std::string const& chat, std::string const& words = {}) {
  kb::config::Settings settings;
  settings.repos = shelf();
  kb::config::Books const books(std::move(settings), kb::test::sample_directory());
  auto const out = resolve_named(ask(sender, type, chat, words), books);
  std::string all;
  for (auto const& granted : kb::test::repos_of(out)) all += granted.id.str() + " ";
  return out.granted() ? all : std::string(kb::scope::to_string(*out.refusal));
}

}  // namespace

TEST_CASE("a knowledge base asked by name needs the directory's word or its own list's") {
  struct Row {
    char const* why;
    char const* sender;
    ChatType type;
    char const* chat;
    char const* granted;
  };
  for (Row const& row : {
           Row{"one's own, the team's, and both lists", "ou_ann", ChatType::direct, "",
               "ann/ann-personal-kb nlp/nlp-team-kb docs/open-to-ann docs/open-to-nlp "},
           Row{"names the team and is not in it: no list of the team", "ou_cat", ChatType::direct, "", "cat/kb "},
           Row{"in the team's members and names none", "ou_fay", ChatType::direct, "", "fay/kb "},
           Row{"a group is its team: the user's list does not count there", "ou_ann", ChatType::group, "oc_nlp",
               "nlp/nlp-team-kb docs/open-to-nlp "},
           Row{"not bound", "ou_ann", ChatType::group, "oc_new", "chat_not_bound"},
           Row{"no member", "ou_dan", ChatType::group, "oc_nlp", "not_team_member"},
           Row{"an agent that is let in by name and not registered", "ou_agent", ChatType::direct, "",
               "docs/open-to-ann "},
           Row{"nobody we know", "ou_zed", ChatType::direct, "", "user_not_registered"},
           Row{"nobody at all", "", ChatType::direct, "", "missing_sender_id"},
           Row{"of another organisation's team", "ou_bob", ChatType::direct, "",
               "bob/bob-personal-kb nlp/nlp-team-kb vision/vision-team-kb docs/open-to-nlp "},
       }) {
    CAPTURE(row.why);
    CHECK_EQ(named(row.sender, row.type, row.chat), row.granted);
  }
}

TEST_CASE("words do not narrow what is asked by name") {
  CHECK_EQ(named("ou_ann", ChatType::direct, "", "我的航班"), named("ou_ann", ChatType::direct, ""));
  CHECK_EQ(named("ou_ann", ChatType::group, "oc_nlp", "我的航班"), named("ou_ann", ChatType::group, "oc_nlp"));
}
