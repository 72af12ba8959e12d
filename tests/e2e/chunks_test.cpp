// Knowledge bases asked by name, by verb, HTTP and MCP of the built program (S2).
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

/// The team's knowledge base is the "Engineering Handbook"; docs/api may be asked by ou_alice and ou_carol; docs/posts
/// is shared with peers of the coach; docs/secret is nobody's.
class NamedWorkspace : public Workspace {
 public:
  NamedWorkspace() {
    api.commit({{"auth.md", "# Authentication\n\nAuthenticate with the API by a bearer token; see [[limits]].\n"},
                {"limits.md", "# Limits\n\nThe API takes 60 requests a minute.\n"},
                {"pricing.md", "# Pricing\n\nPricing tiers: free, team, enterprise.\n"}});
    posts.commit({{"general.md", "# Triangle\n\nThe nice guy triangle in sexless marriages.\n"},
                  {"own.md", "---\nscope: \"511172388\"\n---\n# Own\n\nThe nice guy triangle of client one.\n"},
                  {"theirs.md", "---\nscope: \"222\"\n---\n# Theirs\n\nThe nice guy triangle of client two.\n"}});
    secret.commit({{"auth.md", "# Authentication\n\nAuthenticate with the API by shouting.\n"}});
    configure([&](Json& config) {
      config["repos"][0]["knowledge_base"] = {{"id", "kb_handbook"},
                                              {"name", "Engineering Handbook"},
                                              {"agent_ids", {"release-agent"}},
                                              {"source_role", "runbook"}};
      auto const add = [&](std::string const& name, TempRepo const& git, Json const& base) {
        config["repos"].push_back({{"owner", "docs"},
                                   {"repo", name},
                                   {"kind", "named"},
                                   {"git", git.path().string()},
                                   {"ref", "refs/heads/main"},
                                   {"knowledge_base", base}});
      };
      add("api", api,
          {{"id", "kb_abc123"},
           {"name", "Product API Docs"},
           {"source_role", "canonical_reference"},
           {"users", {"ou_alice", "ou_carol"}}});
      add("posts", posts,
          {{"id", "kb_posts"},
           {"name", "Social Posts"},
           {"scope", "coach:main"},
           {"peer_scope_policy", "permissive"},
           {"agent_ids", {"coach"}},
           {"source_role", "social_artifact"},
           {"users", {"ou_alice"}}});
      add("secret", secret, {{"id", "kb_secret"}, {"name", "Secret Docs"}});
    });
  }
  TempRepo api, posts, secret;
};

Json as(std::string const& sender, Json arguments) {
  arguments["SenderId"] = sender;
  return arguments;
}

HttpReply chunks(Daemon const& daemon, std::string const& sender, Json const& arguments) {
  return http_post(daemon.port(), "/v1/chunks", as(sender, arguments).dump());
}
Json called(Daemon const& daemon, std::string const& path, std::string const& sender, Json const& arguments) {
  return Json::parse(http_post(daemon.port(), path, as(sender, arguments).dump()).body);
}

Json mcp(Daemon const& daemon, std::string const& tool, Json const& arguments,
         std::vector<std::string> headers = {"X-Kbgate-Sender-Id: ou_alice"}) {
  Json const request{
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", {{"name", tool}, {"arguments", arguments}}}};
  return Json::parse(http_post(daemon.port(), "/mcp", request.dump(), headers).body)["result"];
}

std::vector<std::string> sources(Json const& reply) {
  std::vector<std::string> out;
  for (Json const& chunk : reply["chunks"]) out.push_back(chunk["metadata"].value("source", ""));
  std::sort(out.begin(), out.end());
  return out;
}
std::vector<std::string> names(Json const& list) {
  std::vector<std::string> out;
  for (Json const& base : list["knowledgeBases"]) out.push_back(base.value("name", ""));
  return out;
}

using List = std::vector<std::string>;
char const kTriangle[] = "Nice Guy Triangle sexless marriages";

}  // namespace

TEST_CASE("the seed's examples replay by HTTP and MCP, and both give the same") {
  NamedWorkspace const w;
  Daemon daemon(KB_PROGRAM, w);
  struct Row {
    Json arguments;
    char const* best;
    std::size_t limit;
  };
  for (Row const& row : {
           Row{{{"knowledgeBaseName", "Product API Docs"}, {"query", "How do I authenticate with the API?"}},
               "auth.md",
               8},
           Row{{{"knowledgeBaseId", "kb_abc123"}, {"query", "pricing tiers"}, {"limit", 5}}, "pricing.md", 5},
           Row{{{"knowledgeBaseName", "Engineering Handbook"},
                {"query", "Atlas reranker"},
                {"agentId", "release-agent"},
                {"limit", 3}},
               "projects/atlas/index.md",
               3},
           Row{{{"knowledgeBaseName", "Social Posts"},
                {"query", kTriangle},
                {"agentId", "coach"},
                {"channel", "peer-coach:511172388"},
                {"limit", 5}},
               "general.md",
               5},
       }) {
    CAPTURE(row.arguments.dump());
    HttpReply const http = chunks(daemon, "ou_alice", row.arguments);
    CHECK_EQ(http.status, 200);
    Json const reply = Json::parse(http.body);
    REQUIRE_FALSE(reply["chunks"].empty());
    CHECK_EQ(reply["chunks"][0]["metadata"]["source"], row.best);
    CHECK_LE(reply["chunks"].size(), row.limit);
    CHECK_EQ(reply["totalCount"], reply["chunks"].size());
    CHECK_EQ(reply.dump().find("theirs.md"), std::string::npos);
    for (char const* tool : {"kb_chunks", "crystal_query_knowledge_base"}) {  // S2-53
      CHECK_EQ(mcp(daemon, tool, row.arguments)["structuredContent"].dump(), reply.dump());
    }
  }
  // The records name pages of the base that was asked.
  std::vector<Json> const records = w.records(KB_PROGRAM, "docs", "api");
  REQUIRE_EQ(records.size(), 6);
  CHECK_EQ(records[0].value("question", ""), "How do I authenticate with the API?");
}

TEST_CASE("errors of kb_chunks have their text, status and hint") {
  NamedWorkspace const w;
  Daemon daemon(KB_PROGRAM, w);
  struct Row {
    Json arguments;
    int status;
    char const* detail;
  };
  for (Row const& row : {
           Row{{{"knowledgeBaseId", "kb_abc123"}, {"query", "  "}}, 400, "query is required"},
           Row{{{"knowledgeBaseId", "kb_abc123"}}, 400, "query is required"},
           Row{{{"query", "x"}}, 400, "knowledgeBaseId or knowledgeBaseName is required"},
           Row{{{"query", "x"}, {"knowledgeBaseId", "kb abc"}}, 400, "Invalid knowledge base id"},
           Row{{{"query", "x"}, {"knowledgeBaseId", "kb_none"}}, 404, "Knowledge base not found"},
           Row{{{"query", "x"}, {"knowledgeBaseName", "Product API Doc"}},
               404,
               "Knowledge base not found: Product API Doc"},
           Row{{{"query", "x"}, {"knowledgeBaseId", "kb_abc123"}, {"limit", 0}},
               400,
               "limit is a whole number from 1 to 20"},
           Row{{{"query", "x"}, {"knowledgeBaseId", "kb_abc123"}, {"limit", 21}},
               400,
               "limit is a whole number from 1 to 20"},
           Row{{{"query", "x"}, {"knowledgeBaseId", "kb_abc123"}, {"limit", 3.5}},
               400,
               "limit is a whole number from 1 to 20"},
           Row{{{"query", "x"}, {"knowledgeBaseId", "kb_abc123"}, {"limit", "x"}},
               400,
               "limit is a whole number from 1 to 20"},
       }) {
    CAPTURE(row.arguments.dump());
    HttpReply const reply = chunks(daemon, "ou_alice", row.arguments);
    Json const body = Json::parse(reply.body);
    CHECK_EQ(reply.status, row.status);
    CHECK_EQ(body.value("detail", ""), row.detail);
    CHECK_FALSE(body.value("hint", "").empty());
    Json const by_mcp = mcp(daemon, "kb_chunks", row.arguments);
    CHECK(by_mcp.value("isError", false));
    CHECK_EQ(by_mcp["structuredContent"].value("message", ""), row.detail);
    CHECK_EQ(by_mcp["structuredContent"].value("hint", "-"), body.value("hint", ""));
  }
  CHECK_EQ(
      sources(Json::parse(
                  chunks(daemon, "ou_alice", {{"query", "API"}, {"knowledgeBaseId", "kb_abc123"}, {"limit", 1}}).body))
          .size(),
      1);
}

TEST_CASE("a limit outside is moved inside when the settings say so for old clients") {
  NamedWorkspace w;
  w.configure([](Json& config) { config["knowledge_bases"] = {{"clamp_limit", true}}; });
  Daemon daemon(KB_PROGRAM, w);
  Json const query{{"query", "API"}, {"knowledgeBaseId", "kb_abc123"}};
  auto const with = [&](Json limit) {
    Json arguments = query;
    arguments["limit"] = std::move(limit);
    return chunks(daemon, "ou_alice", arguments);
  };
  CHECK_EQ(Json::parse(with(0).body)["totalCount"], 1);
  CHECK_EQ(with(50).status, 200);
  CHECK_EQ(with(3.5).status, 400);
}

TEST_CASE("somebody else's knowledge base is not found, by the bytes of one that never was") {
  NamedWorkspace const w;
  Daemon daemon(KB_PROGRAM, w);
  Json const base{{"query", "authenticate"}};
  auto const by = [&](char const* key, char const* value) {
    Json arguments = base;
    arguments[key] = value;
    return chunks(daemon, "ou_alice", arguments);
  };
  HttpReply const absent = by("knowledgeBaseId", "kb_absent");
  HttpReply const foreign = by("knowledgeBaseId", "kb_secret");
  CHECK_EQ(absent.status, 404);
  CHECK_EQ(foreign.body, absent.body);
  HttpReply by_name = by("knowledgeBaseName", "Secret Docs");
  HttpReply const no_name = by("knowledgeBaseName", "Secret Bocs");
  CHECK_EQ(by_name.status, 404);
  by_name.body.replace(by_name.body.find("Docs"), 4, "Bocs");
  CHECK_EQ(by_name.body, no_name.body);
  // Of the two other principals one is on the list of docs/api, one is not.
  CHECK_EQ(chunks(daemon, "ou_carol", {{"query", "API"}, {"knowledgeBaseId", "kb_abc123"}}).status, 200);
  CHECK_EQ(chunks(daemon, "ou_bob", {{"query", "API"}, {"knowledgeBaseId", "kb_abc123"}}).status, 404);
  CHECK(w.records(KB_PROGRAM, "docs", "secret").empty());
}

TEST_CASE("recall, list and messages stand beside kb_chunks") {
  NamedWorkspace const w;
  Daemon daemon(KB_PROGRAM, w);
  // S2-36: by user, by agent, by channel.
  auto const listed = [&](std::string const& sender, Json const& arguments) {
    return names(called(daemon, "/v1/knowledge_bases", sender, arguments));
  };
  CHECK_EQ(listed("ou_alice", Json::object()), List{"alice/alice-personal-kb", "Product API Docs"});
  CHECK_EQ(listed("ou_carol", Json::object()), List{"Product API Docs"});
  CHECK_EQ(listed("ou_alice", {{"agentId", "release-agent"}}),
           List{"Engineering Handbook", "alice/alice-personal-kb", "Product API Docs"});
  CHECK_EQ(listed("ou_alice", {{"agentId", "coach"}, {"channel", "peer-coach:511172388"}}), List{"Social Posts"});
  CHECK_EQ(listed("ou_alice", {{"agentId", "release-agent"}, {"channel", "peer-coach:511172388"}}), List{});
  Json const all = called(daemon, "/v1/knowledge_bases", "ou_alice", Json::object());
  CHECK_EQ(all["totalCount"], 2);
  CHECK_EQ(all["knowledgeBases"][1]["memoryCount"], 3);

  // S2-34: a recall spans the visible ones.
  Json const recalled = called(daemon, "/v1/recall", "ou_alice", {{"query", "authenticate API 知识蒸馏"}});
  CHECK_EQ(sources(recalled).size(), recalled["totalCount"]);
  CHECK_NE(recalled.dump().find("concepts/知识蒸馏.md"), std::string::npos);
  CHECK_NE(recalled.dump().find("auth.md"), std::string::npos);
  CHECK_EQ(recalled.dump().find("shouting"), std::string::npos);

  // S2-35
  Client client(daemon);
  client.ask("m1", "ou_alice", "oc_nlp", "组会什么时候开始？");
  client.ask("m2", "ou_alice", "", "我的航班是哪一班？");
  Json group{{"query", "10 点半"}, {"ChatType", "group"}, {"GroupSubject", "oc_nlp"}};
  Json const in_group = called(daemon, "/v1/messages", "ou_bob", group);
  REQUIRE_EQ(in_group["totalCount"], 1);
  CHECK_EQ(in_group["messages"][0]["role"], "assistant");
  Json const own = called(daemon, "/v1/messages", "ou_alice", {{"query", "我的航班"}});
  REQUIRE_GE(own["totalCount"].get<int>(), 1);
  CHECK_EQ(own["messages"].back()["content"], "我的航班是哪一班？");
  CHECK_EQ(called(daemon, "/v1/messages", "ou_bob", {{"query", "我的航班"}})["totalCount"], 0);
  group["query"] = "我的航班";
  CHECK_EQ(called(daemon, "/v1/messages", "ou_alice", group)["totalCount"], 0);
}

TEST_CASE("agent and channel that come with the connection cannot be changed by an argument") {
  NamedWorkspace const w;
  Daemon daemon(KB_PROGRAM, w);
  std::vector<std::string> const peer{"X-Kbgate-Sender-Id: ou_alice", "X-Kbgate-Agent-Id: coach",
                                      "X-Kbgate-Channel: peer-coach:511172388"};
  Json arguments{{"knowledgeBaseName", "Social Posts"}, {"query", kTriangle}};
  CHECK_EQ(sources(mcp(daemon, "kb_chunks", arguments, peer)["structuredContent"]), List{"general.md", "own.md"});
  arguments["channel"] = "peer-coach:222";
  Json const refused = mcp(daemon, "kb_chunks", arguments, peer);
  CHECK(refused.value("isError", false));
  CHECK_EQ(refused["structuredContent"].value("message", ""), "channel comes with the connection");
  // Nor read around it: what knows no channels is not for such an agent.
  for (auto const& [tool, with] :
       {std::pair<char const*, Json>{"kb_read", {{"path", "concepts/难负例"}, {"owner", "nlp"}}},
        {"kb_search", {{"query", "triangle"}}},
        {"kb_ask", {{"question", "组会什么时候开始？"}}},
        {"crystal_search_messages", {{"query", "x"}}}}) {
    CAPTURE(tool);
    CHECK_EQ(mcp(daemon, tool, with, peer)["structuredContent"].value("error", ""), "not_on_this_channel");
  }
  CHECK_EQ(names(mcp(daemon, "crystal_list_knowledge_bases", Json::object(), peer)["structuredContent"]),
           List{"Social Posts"});
}

TEST_CASE("the operator sees and changes knowledge bases by file and verb") {
  NamedWorkspace w;
  Finished const asked = w.run(KB_PROGRAM, {"kb_chunks", "--knowledge-base-name", "product api docs", "--query",
                                            "pricing tiers", "--limit", "2", "--no_graph_context"});
  CHECK_EQ(asked.exit_code, 0);
  Json const reply = Json::parse(asked.out);
  CHECK_EQ(sources(reply), List{"pricing.md"});
  CHECK_FALSE(reply.contains("graphContext"));
  Finished const absent = w.run(KB_PROGRAM, {"kb_chunks", "--knowledge_base_id", "kb_none", "--query", "x"});
  CHECK_EQ(absent.exit_code, 1);
  CHECK_EQ(Json::parse(absent.out).value("message", ""), "Knowledge base not found");
  CHECK_EQ(w.run(KB_PROGRAM, {"kb_chunks", "--query", "x"}).exit_code, 2);

  Json const all = Json::parse(w.run(KB_PROGRAM, {"knowledge_bases"}).out);
  CHECK_EQ(all["totalCount"], 7);
  CHECK_NE(all.dump().find(R"("users":["ou_alice","ou_carol"])"), std::string::npos);
  Json const seen =
      Json::parse(w.run(KB_PROGRAM, {"knowledge_bases", "--agent_id", "coach", "--channel", "peer-coach:1"}).out);
  CHECK_EQ(names(seen), List{"Social Posts"});
  // S2-37: one more is a change of the settings.
  w.configure([&](Json& config) {
    Json base = config["repos"].back();
    base["repo"] = "copy";
    base["knowledge_base"] = {{"name", "Added"}};
    config["repos"].push_back(base);
  });
  CHECK_EQ(Json::parse(w.run(KB_PROGRAM, {"check_config"}).out).value("success", false), true);
  Finished const added =
      w.run(KB_PROGRAM, {"kb_chunks", "--knowledge_base_name", "added", "--query", "authenticate API"});
  CHECK_EQ(sources(Json::parse(added.out)), List{"auth.md"});
  // An inactive one is seen by nobody.
  w.configure([&](Json& config) { config["repos"].back()["knowledge_base"]["active"] = false; });
  CHECK_EQ(w.run(KB_PROGRAM, {"kb_chunks", "--knowledge_base_name", "added", "--query", "authenticate API"}).exit_code,
           1);
}

}  // namespace kb::test
