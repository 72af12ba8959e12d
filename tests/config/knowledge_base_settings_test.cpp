#include "config/knowledge_base_settings.hpp"

#include "tests/config/scratch.hpp"

using kb::RepoId;
using kb::config::KnowledgeBase;
using kb::config::parse_settings;
using kb::config::SourceRole;
using kb::test::all_of;

namespace {

std::string repo(std::string const& name, std::string const& base) {
  std::string const more = base.empty() ? "" : R"(, "knowledge_base": )" + base;
  return R"({"owner": "o", "repo": ")" + name + R"(", "kind": "named", "git": "g")" + more + "}";
}
std::string settings(std::string const& repos, std::string const& more = {}) {
  return R"({"repos": [)" + repos + "]" + more + "}";
}

}  // namespace

TEST_CASE("every repository can be asked by name, and its entry says how (S2-37)") {
  auto const loaded = parse_settings(
      settings(
          repo("plain", "") + "," +
              repo("posts", R"({"id": "kb_posts", "name": "Social Posts", "description": "d", "agent_ids": ["coach"],
                        "scope": "coach:main", "peer_scope_policy": "permissive", "source_role": "social_artifact",
                        "active": false, "users": ["ou_1"], "teams": ["team_1"]})"),
          R"(, "knowledge_bases": {"peer_channels": ["client"], "clamp_limit": true})"),
      "/etc/kbgate.json");
  REQUIRE(loaded.value);
  KnowledgeBase const& plain = loaded.value->repos[0].knowledge_base;
  CHECK_EQ(plain.name, "o/plain");
  CHECK_EQ(plain.id, kb::config::knowledge_base_id(RepoId("o", "plain")));
  CHECK_EQ(plain.id.size(), 19);
  CHECK(plain.active);
  CHECK_FALSE(plain.permissive);
  KnowledgeBase const& posts = loaded.value->repos[1].knowledge_base;
  CHECK_EQ(posts.id, "kb_posts");
  CHECK_EQ(posts.name, "Social Posts");
  CHECK_EQ(posts.agents, std::vector<std::string>{"coach"});
  CHECK_EQ(posts.scope, "coach:main");
  CHECK(posts.permissive);
  CHECK(posts.role == SourceRole::social_artifact);
  CHECK_FALSE(posts.active);
  CHECK_EQ(posts.users.size(), 1);
  CHECK_EQ(posts.teams.size(), 1);
  CHECK_EQ(loaded.value->knowledge_bases.peer_channels, std::vector<std::string>{"client"});
  CHECK(loaded.value->knowledge_bases.clamp_limit);
}

TEST_CASE("a knowledge base that cannot be asked as written is an error that says where") {
  struct Row {
    char const* base;
    char const* said;
  };
  for (Row const& row : {
           Row{R"({"id": "kb 1"})", "is no id"},
           Row{R"({"id": ""})", "is no id"},
           Row{R"({"name": " "})", "repos[0].knowledge_base.name is empty"},
           Row{R"({"scope": "peer-coach:"})", "ends in a colon"},
           Row{R"({"peer_scope_policy": "open"})", "peer_scope_policy"},
           Row{R"({"source_role": "canonical"})", "canonical_reference"},
           Row{R"({"agents": []})", "agent_ids"},
       }) {
    CAPTURE(row.base);
    auto const loaded = parse_settings(settings(repo("r", row.base)), "/etc/kbgate.json");
    CHECK_FALSE(loaded.value);
    CHECK_NE(all_of(loaded.errors).find(row.said), std::string::npos);
  }
}

TEST_CASE("no two knowledge bases have one id or, whatever the case, one name") {
  for (char const* pair : {R"({"id": "kb_x"})", R"({"name": "Docs"})"}) {
    std::string second = pair;
    if (auto const at = second.find("Docs"); at != second.npos) second.replace(at, 4, " dOCS ");
    auto const loaded = parse_settings(settings(repo("a", pair) + "," + repo("b", second)), "/etc/kbgate.json");
    CHECK_FALSE(loaded.value);
    CHECK_NE(all_of(loaded.errors).find("o/b and o/a have the same knowledge base"), std::string::npos);
  }
}

TEST_CASE("embeddings are off unless an address and a model are named") {
  CHECK_FALSE(parse_settings(settings(repo("r", "")), "/e/k.json").value->answer.embeddings);
  auto const good = parse_settings(
      settings(repo("r", ""), R"(, "answer": {"embeddings": {"base_url": "http://127.0.0.1:1/v1/", "name": "m",
               "batch": 8, "query_milliseconds": 300, "in_answers": true}})"),
      "/e/k.json");
  REQUIRE(good.value);
  auto const& embeddings = *good.value->answer.embeddings;
  CHECK_EQ(embeddings.base_url, "http://127.0.0.1:1/v1");
  CHECK_EQ(embeddings.batch, 8);
  CHECK_EQ(embeddings.query_limit, std::chrono::milliseconds(300));
  CHECK(embeddings.in_answers);
  for (char const* bad :
       {R"({"base_url": "http://models.example/v1", "name": "m"})", R"({"base_url": "https://models.example/v1"})",
        R"({"base_url": "https://models.example/v1", "name": "m", "batch": 0})"}) {
    CAPTURE(bad);
    CHECK_FALSE(
        parse_settings(settings(repo("r", ""), std::string(R"(, "answer": {"embeddings": )") + bad + "}"), "/e/k.json")
            .value);
  }
}
