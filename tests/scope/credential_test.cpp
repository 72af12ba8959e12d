// What a bearer token may read: the person's part, bounded; its own repositories besides; nothing of any argument.
#include <doctest/doctest.h>

#include "tests/scope/sample_directory.hpp"

using kb::RepoId;
using kb::config::RepoKind;
using kb::scope::ChatType;
using kb::scope::Credential;
using kb::scope::credential_of;
using kb::scope::Label;
using kb::scope::Refusal;
using kb::scope::resolve;
using kb::scope::Scope;
using kb::scope::ScopeOutcome;
using kb::scope::ScopeRequest;
using kb::test::ask;
using kb::test::GrantedRepos;
using kb::test::repos_of;
using kb::test::sample_directory;

namespace {

RepoId const kDocs("acme", "docs");
RepoId const kDiary("root", "diary");

kb::config::Settings settings() {
  kb::config::Settings out;
  for (auto const& [id, kind] : {std::pair(kDocs, RepoKind::project_docs), std::pair(kDiary, RepoKind::personal)}) {
    kb::config::RepoSettings repo;
    repo.id = id;
    repo.kind = kind;
    out.repos.push_back(repo);
  }
  return out;
}

Credential credential(char const* sender, char const* scope, std::vector<RepoId> repos) {
  kb::config::TokenSettings token;
  token.name = "ci";
  token.sender = kb::UserId(sender);
  token.scope = scope;
  token.repos = std::move(repos);
  return credential_of(token, kb::config::Books(settings(), {}));
}

ScopeOutcome resolved(ScopeRequest request, Credential credential) {
  request.credential = std::move(credential);
  return resolve(request, sample_directory());
}

kb::scope::GrantedRepo const kOwn{RepoId("ann", "ann-personal-kb"), Label::personal};
kb::scope::GrantedRepo const kTeam{RepoId("nlp", "nlp-team-kb"), Label::team};
kb::scope::GrantedRepo const kDocsGranted{kDocs, Label::team};
kb::scope::GrantedRepo const kDiaryGranted{kDiary, Label::personal};

}  // namespace

TEST_CASE("a token of a person reads what that person may read there, as far as it is let, and its repositories") {
  struct Row {
    char const *scope, *question;
    std::optional<Scope> forced;
    GrantedRepos repos;
    char const* why;
  };
  Row const rows[] = {
      {"", "预算", {}, {kOwn, kDocsGranted, kTeam}, "all of it"},
      {"team", "预算", {}, {kDocsGranted, kTeam}, "the person's own is kept back"},
      {"personal", "预算", {}, {kOwn, kDocsGranted}, "the team's is kept back"},
      {"", "我的笔记", {}, {kOwn}, "words for one's own"},
      {"", "我们的决定", {}, {kDocsGranted, kTeam}, "words for what is shared"},
      {"team", "我的笔记", {}, {kDocsGranted, kTeam}, "own is not there, as for those who have none"},
      {"team", "预算", Scope::both, {kDocsGranted, kTeam}, "an argument does not widen"},
      {"", "预算", Scope::personal, {kOwn}, "an argument narrows"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    ScopeRequest request = ask("ou_ann", ChatType::direct, "", row.question);
    request.forced = row.forced;
    CHECK_EQ(repos_of(resolved(request, credential("ou_ann", row.scope, {kDocs}))), row.repos);
  }
  ScopeRequest forced = ask("ou_ann", ChatType::direct, "", "预算");
  forced.forced = Scope::personal;
  ScopeOutcome const refused = resolved(forced, credential("ou_ann", "team", {kDocs}));
  CHECK(refused.refusal == Refusal::user_not_registered);
  CHECK_FALSE(refused.granted());
}

TEST_CASE("in a group a token adds what is shared, never anything personal, and is refused as its person is") {
  auto const in_group = [](char const* sender, char const* question) {
    return resolved(ask(sender, ChatType::group, "oc_nlp", question), credential(sender, "", {kDocs, kDiary}));
  };
  CHECK_EQ(repos_of(in_group("ou_ann", "预算")), GrantedRepos{kTeam, kDocsGranted});
  CHECK(in_group("ou_ann", "我的笔记").refusal == Refusal::personal_scope_not_allowed_in_group);
  CHECK(in_group("ou_dan", "预算").refusal == Refusal::not_team_member);
  CHECK(in_group("ou_nobody", "预算").refusal == Refusal::user_not_registered);
}

TEST_CASE("a person without any knowledge base reads the token's") {
  ScopeOutcome const out = resolved(ask("ou_ida", ChatType::direct, "", "预算"), credential("ou_ida", "", {kDocs}));
  CHECK_EQ(repos_of(out), GrantedRepos{kDocsGranted});
  CHECK_EQ(out.scope, Scope::team);
}

TEST_CASE("a token of nobody reads its repositories and nothing else, whatever the words and whoever has its name") {
  kb::config::Directory directory = sample_directory();
  kb::config::User namesake = directory.users.at(kb::UserId("ou_ann"));
  namesake.id = kb::UserId("token:ci");
  directory.users[namesake.id] = namesake;
  ScopeRequest request = ask("token:ci", ChatType::direct, "", "我的笔记和团队的决定");
  request.credential = credential("", "", {kDocs, kDiary});
  CHECK_EQ(repos_of(resolve(request, directory)), GrantedRepos{kDocsGranted, kDiaryGranted});
  CHECK_EQ(resolve(request, directory).scope, Scope::both);
  request.forced = Scope::personal;
  CHECK_EQ(repos_of(resolve(request, directory)), GrantedRepos{kDiaryGranted});
  request.credential = credential("", "", {kDocs});
  CHECK_FALSE(resolve(request, directory).granted());
  request.forced = Scope::team;
  CHECK_EQ(repos_of(resolve(request, directory)), GrantedRepos{kDocsGranted});
}
