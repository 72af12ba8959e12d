// Bearer tokens of agents: who asks and what is read comes with the token, over /v1 and over MCP.
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

/// A workspace with a project's documents and a brain, which are in nobody's chat, and tokens made by the verb.
struct Agents {
  Workspace w;
  TempRepo docs, brain;
  std::string ci, alice, alice_team, alice_group;
  std::string const gateway = "a-s3cret-of-the-gateway";

  Agents() {
    docs.commit({{"projects/shop/README.md", "# shop\n\nThe shop sells maps. The shop listens on port 8443.\n"},
                 {"projects/shop/modules/_index.md", "# Modules\n\n- [[modules/auth]]\n"},
                 {"projects/shop/modules/auth.md", "# auth\n\nSessions last 30 minutes.\n"}});
    brain.commit(
        {{"brain/cycles/patterns.md", "# Patterns\n\n- [`small`](./themes/small.md) — review small batches\n"},
         {"brain/cycles/themes/small.md",
          "---\ntitle: Small\ncategory: pattern\n---\n# Small\n\nReview small batches of at most 200 lines.\n"}});
    w.write("token", gateway + "\n");
    ci = made({"--name", "ci", "--repos", "acme/docs,acme/brain", "--requests_per_minute", "20"});
    alice = made({"--name", "alice", "--sender_id", "ou_alice"});
    alice_team = made({"--name", "alice-team", "--sender_id", "ou_alice", "--scope", "team", "--repos", "acme/docs"});
    alice_group = made({"--name", "alice-group", "--sender_id", "ou_alice", "--chat_id", "oc_nlp"});
    w.configure([this](Json& config) {
      config["repos"].push_back(
          {{"owner", "acme"}, {"repo", "docs"}, {"kind", "project_docs"}, {"git", docs.path().string()}});
      config["repos"].push_back(
          {{"owner", "acme"}, {"repo", "brain"}, {"kind", "brain"}, {"git", brain.path().string()}});
      config["listen"]["token_file"] = "token";
    });
  }

  /// The verb's token; its entry goes into the settings.
  std::string made(std::vector<std::string> args) {
    args.insert(args.begin(), "token");
    Json const out = Json::parse(w.run(KB_PROGRAM, args).out);
    w.configure([&out](Json& config) { config["tokens"].push_back(out["entry"]); });
    return out.value("token", "");
  }
};

HttpReply call(Daemon const& daemon, std::string const& path, std::string const& token, Json const& body) {
  return http_post(daemon.port(), path, body.dump(), {"Authorization: Bearer " + token});
}

std::vector<std::string> repos_of(Daemon const& daemon, std::string const& token) {
  std::vector<std::string> out;
  Json const reply = Json::parse(call(daemon, "/v1/repos", token, Json::object()).body);
  for (Json const& row : reply["repos"]) out.push_back(row.value("owner", "") + "/" + row.value("repo", ""));
  return out;
}

Json mcp(Daemon const& daemon, std::string const& token, std::string const& tool, Json const& arguments,
         std::vector<std::string> headers = {}) {
  headers.push_back("Authorization: Bearer " + token);
  Json const request{
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", {{"name", tool}, {"arguments", arguments}}}};
  return Json::parse(http_post(daemon.port(), "/mcp", request.dump(), headers).body)["result"];
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a token is shown once, its entry holds the hash alone, and what it may not be is said") {
  Workspace w;
  Finished const done = w.run(KB_PROGRAM, {"token", "--name", "ci", "--repos", "nlp/nlp-team-kb"});
  CHECK_EQ(done.exit_code, 0);
  Json const out = Json::parse(done.out);
  std::string const token = out.value("token", "");
  CHECK(token.starts_with("kbg_"));
  CHECK_EQ(token.size(), 4 + 64);
  CHECK_EQ(out["entry"].value("sha256", "").size(), 64);
  CHECK_EQ(out["entry"].dump().find(token.substr(4)), std::string::npos);
  CHECK_NE(Json::parse(w.run(KB_PROGRAM, {"token", "--name", "ci", "--repos", "o/r"}).out).value("token", ""), token);
  CHECK_EQ(w.run(KB_PROGRAM, {"token", "--name", "ci"}).exit_code, 2);
  CHECK_EQ(w.run(KB_PROGRAM, {"token", "--name", "c i", "--sender_id", "ou_1"}).exit_code, 2);
  w.configure([&out](Json& config) { config["tokens"] = Json::array({out["entry"]}); });
  CHECK_EQ(w.run(KB_PROGRAM, {"check_config"}).exit_code, 0);
}

TEST_CASE("what a token reads is what its entry says: of people, of groups, and of kinds that no chat reads") {
  Agents a;
  Daemon daemon(KB_PROGRAM, a.w);
  CHECK_EQ(repos_of(daemon, a.ci), Names{"acme/docs", "acme/brain"});
  CHECK_EQ(repos_of(daemon, a.alice), Names{"nlp/nlp-team-kb", "alice/alice-personal-kb"});
  CHECK_EQ(repos_of(daemon, a.alice_team), Names{"nlp/nlp-team-kb", "acme/docs"});
  CHECK_EQ(repos_of(daemon, a.alice_group), Names{"nlp/nlp-team-kb"});

  Json const overview{{"project_name", "shop"}, {"query_type", "overview"}};
  CHECK_EQ(Json::parse(call(daemon, "/v1/query", a.ci, overview).body).value("status", ""), "success");
  CHECK_EQ(Json::parse(call(daemon, "/v1/query", a.alice, overview).body).value("status", ""), "kb_not_exists");
  Json const brain{{"questions", {"How large are small batches for review?"}}, {"scope", "cycles"}};
  Json const known = Json::parse(call(daemon, "/v1/brain", a.ci, brain).body);
  CHECK_EQ(known["answers"][0]["sources"], Json::array({"brain/cycles/themes/small.md"}));
  Json const unknown = Json::parse(call(daemon, "/v1/brain", a.alice_team, brain).body);
  CHECK(unknown["answers"][0]["sources"].empty());
  CHECK_EQ(mcp(daemon, a.ci, "kb_query", overview)["structuredContent"].value("status", ""), "success");
  Json const asked =
      Json::parse(call(daemon, "/v1/ask", a.ci, {{"question", "On which port does the shop listen?"}}).body);
  CHECK_EQ(asked.value("outcome", ""), "answered");
  CHECK(asked.value("answer", "").find("8443") != std::string::npos);
  CHECK_EQ(asked["sources"][0].value("label", ""), "项目");

  std::vector<Json> const records = a.w.records(KB_PROGRAM, "acme", "docs");
  REQUIRE_FALSE(records.empty());
  CHECK_EQ(records[0].value("open_id", ""), "token:ci");
}

TEST_CASE("the second time a project's answer is given again, until a commit is new") {
  Agents a;
  Daemon daemon(KB_PROGRAM, a.w);
  Json const module{{"project_name", "shop"}, {"query_type", "module"}, {"target", "auth"}};
  auto const content = [&] { return Json::parse(call(daemon, "/v1/query", a.ci, module).body).value("content", ""); };
  auto const kept = [&] {
    std::string const text = http_get(daemon.port(), "/metrics", {"Authorization: Bearer " + a.gateway}).body;
    auto const at = text.find("\nkbgate_project_answers_kept_total ");
    return at == text.npos ? -1 : std::stoi(text.substr(at + 35));
  };
  CHECK(content().find("30 minutes") != std::string::npos);
  CHECK_EQ(kept(), 0);
  CHECK(content().find("30 minutes") != std::string::npos);
  CHECK_EQ(kept(), 1);
  CHECK_EQ(a.w.records(KB_PROGRAM, "acme", "docs").size(), 2);
  a.docs.commit({{"projects/shop/modules/auth.md", "# auth\n\nSessions last 60 minutes.\n"}});
  std::string const commit = a.docs.head().substr(0, 12);
  CHECK(eventually([&] {
    return http_get(daemon.port(), "/readyz", {"Authorization: Bearer " + a.gateway}).body.find(commit) !=
           std::string::npos;
  }));
  CHECK(content().find("60 minutes") != std::string::npos);
}

TEST_CASE("no argument and no header changes whom a token stands for") {
  Agents a;
  Daemon daemon(KB_PROGRAM, a.w);
  Json const read{{"owner", "bob"}, {"repo", "bob-personal-kb"}, {"path", "notes/2026-11-01-计划"}};
  for (Json const& claim : {Json{{"SenderId", "ou_bob"}}, Json{{"open_id", "ou_bob"}}, Json{{"ChatType", "group"}},
                            Json{{"GroupSubject", "oc_nlp"}}}) {
    CAPTURE(claim.dump());
    Json body = read;
    body.update(claim);
    HttpReply const reply = call(daemon, "/v1/read", a.alice, body);
    CHECK_EQ(reply.status, 403);
    CHECK_EQ(Json::parse(reply.body).value("error", ""), "denied");
  }
  CHECK_EQ(call(daemon, "/v1/read", a.alice, read).status, 404);
  Json same = read;
  same["SenderId"] = "ou_alice";
  same["ChatType"] = "p2p";
  CHECK_EQ(call(daemon, "/v1/read", a.alice, same).status, 404);
  CHECK_EQ(
      mcp(daemon, a.alice, "kb_read", read, {"X-Kbgate-Sender-Id: ou_bob"})["structuredContent"].value("error", ""),
      "denied");
  CHECK_EQ(mcp(daemon, a.ci, "kb_read", read)["structuredContent"].value("error", ""), "knowledge_base_not_found");
  // Forced personal, by a token that is kept from it.
  Json const forced{{"question", "我的航班是哪一班？"}, {"scope", "personal"}};
  CHECK_EQ(Json::parse(call(daemon, "/v1/ask", a.alice_team, forced).body).value("outcome", ""), "scope_refused");
  CHECK_EQ(Json::parse(call(daemon, "/v1/ask", a.alice, forced).body).value("outcome", ""), "answered");
}

TEST_CASE("knowledge bases asked by name are the token's, as the agent and in the channel of its entry") {
  Agents a;
  a.w.configure([](Json& config) {
    for (Json& repo : config["repos"]) {
      if (repo["owner"] == "acme") repo["knowledge_base"] = {{"id", "kb_" + repo["repo"].get<std::string>()}};
      if (repo["repo"] == "docs") repo["knowledge_base"]["agent_ids"] = {"coach"};
    }
    config["tokens"][0]["agent_id"] = "coach";
  });
  Daemon daemon(KB_PROGRAM, a.w);
  Json const docs{{"knowledgeBaseId", "kb_docs"}, {"query", "How long do sessions last?"}};
  auto const asked = [&](std::string const& token, Json const& body) {
    return Json::parse(call(daemon, "/v1/chunks", token, body).body);
  };
  CHECK(asked(a.ci, docs)["chunks"].dump().find("30 minutes") != std::string::npos);
  CHECK_EQ(asked(a.alice, docs).value("error", ""), "knowledge_base_not_found");
  Json both = docs;  // N-44: the id wins
  both["knowledgeBaseName"] = "acme/brain";
  CHECK_EQ(asked(a.ci, both).value("knowledgeBaseId", ""), "kb_docs");
  Json other = docs;
  other["agentId"] = "release-agent";
  CHECK_EQ(call(daemon, "/v1/chunks", a.ci, other).status, 400);
  CHECK(mcp(daemon, a.ci, "kb_chunks", docs, {"X-Kbgate-Agent-Id: release-agent"}).value("isError", false));
  // A bounded token does not read what its person was told in private.
  Json const phrase{{"query", "航班"}};
  CHECK_EQ(mcp(daemon, a.alice_team, "crystal_search_messages", phrase)["structuredContent"].value("error", ""),
           "denied");
  CHECK_FALSE(mcp(daemon, a.alice, "crystal_search_messages", phrase).value("isError", true));
}

TEST_CASE("without a token, with a wrong one or on the gateway's paths an agent gets nothing") {
  Agents a;
  Daemon daemon(KB_PROGRAM, a.w);
  std::uint16_t const port = daemon.port();
  CHECK_EQ(http_post(port, "/v1/repos", "{}").status, 401);
  CHECK_EQ(http_post(port, "/mcp", "{}").status, 401);
  CHECK_EQ(call(daemon, "/v1/repos", "kbg_" + std::string(64, '0'), Json::object()).status, 401);
  CHECK_EQ(call(daemon, "/v1/repos", "", Json::object()).status, 401);
  CHECK_EQ(http_get(port, "/metrics", {"Authorization: Bearer " + a.ci}).status, 401);
  CHECK_EQ(http_get(port, "/v1/models", {"Authorization: Bearer " + a.ci}).status, 401);
  CHECK_THROWS(Client(daemon, a.ci));
  // The gateway still names whom it speaks for.
  CHECK_EQ(call(daemon, "/v1/repos", a.gateway, {{"SenderId", "ou_bob"}}).status, 200);

  // Agents' tokens alone close /v1 and /mcp, too.
  a.w.configure([](Json& config) { config["listen"].erase("token_file"); });
  Daemon bound(KB_PROGRAM, a.w);
  CHECK_EQ(http_post(bound.port(), "/v1/repos", Json{{"SenderId", "ou_bob"}}.dump()).status, 401);
  CHECK_EQ(call(bound, "/v1/repos", a.alice, Json::object()).status, 200);
}

TEST_CASE("each token has its own rate, and one that is taken out is gone at once") {
  Agents a;
  Daemon daemon(KB_PROGRAM, a.w);
  for (int i = 0; i < 20; ++i) REQUIRE_EQ(call(daemon, "/v1/repos", a.ci, Json::object()).status, 200);
  HttpReply const over = call(daemon, "/v1/repos", a.ci, Json::object());
  CHECK_EQ(over.status, 429);
  CHECK_EQ(Json::parse(over.body).value("detail", ""), "Rate limit exceeded. Max 20 requests/minute.");
  CHECK_EQ(call(daemon, "/v1/repos", a.alice, Json::object()).status, 200);

  a.w.configure([](Json& config) { config["tokens"].erase(1); });
  CHECK(eventually([&] { return call(daemon, "/v1/repos", a.alice, Json::object()).status == 401; }));
  CHECK_EQ(call(daemon, "/v1/repos", a.alice_group, Json::object()).status, 200);
}

TEST_CASE("a token of an admin reads as its entry says, not as an admin") {
  Agents a;
  a.w.configure([](Json& config) { config["admins"] = {"ou_alice"}; });
  Daemon daemon(KB_PROGRAM, a.w);
  CHECK_EQ(repos_of(daemon, a.alice), Names{"nlp/nlp-team-kb", "alice/alice-personal-kb"});
}

TEST_CASE("over stdio an entry of the tokens is named instead of a sender") {
  Agents a;
  Json const request{
      {"jsonrpc", "2.0"},
      {"id", 1},
      {"method", "tools/call"},
      {"params", {{"name", "kb_query"}, {"arguments", {{"project_name", "shop"}, {"query_type", "overview"}}}}}};
  a.w.write("input", request.dump() + "\n");
  auto const run = [&](std::string const& who) {
    return run_program("/bin/sh", {"-c", std::string("exec ") + KB_PROGRAM + " mcp " + who + " --config " +
                                             a.w.config() + " < " + (a.w.path() / "input").string()});
  };
  auto const status = [&](std::string const& who) { return Json::parse(run(who).out)["result"]["structuredContent"]; };
  CHECK_EQ(status("--as ci").value("status", ""), "success");
  CHECK_EQ(status("--as alice").value("status", ""), "kb_not_exists");
  CHECK_EQ(status("--as nobody").value("error", ""), "denied");
  CHECK_EQ(run("").exit_code, 2);
  CHECK_EQ(run("--as ci --sender_id ou_alice").exit_code, 2);
}

}  // namespace kb::test
