// The HTTP API of the running daemon: the verbs' objects under a chat's scope, and what it counts.
#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <sstream>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

char const* const kQuestion = "组会什么时候开始？";

Json called(Daemon const& daemon, std::string const& path, Json const& body) {
  return Json::parse(http_post(daemon.port(), path, body.dump()).body);
}

Json group(std::string const& sender, Json more = Json::object()) {
  more["SenderId"] = sender;
  more["ChatType"] = "group";
  more["GroupSubject"] = "oc_nlp";
  return more;
}

Json direct(std::string const& sender, Json more = Json::object()) {
  more["SenderId"] = sender;
  more["ChatType"] = "direct";
  return more;
}

bool is_problem(HttpReply const& reply, int status, std::string const& code) {
  Json const body = Json::parse(reply.body, nullptr, false);
  return reply.status == status && reply.head.find("application/problem+json") != std::string::npos &&
         body.value("status", 0) == status && body.value("error", "") == code && !body.value("detail", "").empty();
}

}  // namespace

TEST_CASE("a question by HTTP gets the answer object of the verb, and leaves its record before it is answered") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Json const answer = called(daemon, "/v1/ask", group("ou_alice", {{"question", kQuestion}}));
  CHECK_EQ(answer.value("outcome", ""), "answered");
  CHECK(answer.value("answer", "").find("10 点半") != std::string::npos);
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  REQUIRE_EQ(records.size(), 1);
  CHECK_EQ(records[0].value("query_id", ""), answer.value("query_id", "-"));
  CHECK_EQ(records[0].value("open_id", ""), "ou_alice");
  CHECK_EQ(records[0].value("chat_id", ""), "oc_nlp");

  HttpReply const got = http_get(daemon.port(),
                                 "/v1/ask?sender-id=ou_alice&chat_type=group&chat_id=oc_nlp&question=%E7%BB%84%E4%BC%9A"
                                 "%E4%BB%80%E4%B9%88%E6%97%B6%E5%80%99%E5%BC%80%E5%A7%8B%EF%BC%9F");
  CHECK_EQ(got.status, 200);
  CHECK_EQ(Json::parse(got.body).value("answer", "-"), answer.value("answer", ""));
  CHECK(got.head.find("no-store") != std::string::npos);
}

TEST_CASE("scope applies by HTTP exactly as in a chat") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  struct Row {
    char const *sender, *chat, *question, *why;
  };
  static constexpr Row rows[] = {
      {"ou_alice", "oc_nlp", "我的航班是哪一班？", "personal words in a group"},
      {"ou_alice", "", "我的航班是哪一班？", "one's own in private"},
      {"ou_bob", "", "我的航班是哪一班？", "nobody else's"},
      {"ou_carol", "oc_nlp", "组会什么时候开始？", "no member"},
      {"ou_alice", "oc_new", "组会什么时候开始？", "a group that is not bound"},
      {"ou_eve", "", "组会什么时候开始？", "nobody we know"},
  };
  int n = 0;
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Json const chat = client.ask("m" + std::to_string(n++), row.sender, row.chat, row.question);
    Json body = *row.chat == '\0' ? direct(row.sender) : group(row.sender);
    if (*row.chat != '\0') body["GroupSubject"] = row.chat;
    body["question"] = row.question;
    Json const http = called(daemon, "/v1/ask", body);
    CHECK_EQ(http.value("outcome", "-"), chat.value("outcome", ""));
    CHECK_EQ(http.value("answer", "-"), chat.value("text", ""));
    CHECK_EQ(http["sources"].dump(), chat["sources"].dump());
  }
}

TEST_CASE("pages, lists and repositories are those the caller may read; anything else is not there") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  std::uint16_t const port = daemon.port();
  Json const page =
      called(daemon, "/v1/read",
             direct("ou_alice", {{"owner", "alice"}, {"repo", "alice-personal-kb"}, {"path", "concepts/知识蒸馏"}}));
  CHECK(page.value("content", "").find("温度取 4") != std::string::npos);

  Json const mine{{"owner", "alice"}, {"repo", "alice-personal-kb"}, {"path", "concepts/知识蒸馏"}};
  HttpReply const foreign = http_post(port, "/v1/read", direct("ou_bob", mine).dump());
  Json nowhere = mine;
  nowhere["owner"] = "alicf";
  HttpReply const absent = http_post(port, "/v1/read", direct("ou_bob", nowhere).dump());
  CHECK(is_problem(foreign, 404, "knowledge_base_not_found"));
  CHECK(is_problem(absent, 404, "knowledge_base_not_found"));
  std::string same = absent.body;
  same.replace(same.find("alicf"), 5, "alice");
  CHECK_EQ(foreign.body, same);
  CHECK(is_problem(http_post(port, "/v1/read", group("ou_alice", mine).dump()), 404, "knowledge_base_not_found"));
  CHECK(is_problem(http_post(port, "/v1/read", group("ou_alice", {{"path", "TEAM_INFO"}}).dump()), 404,
                   "page_not_found"));
  CHECK(
      is_problem(http_post(port, "/v1/read", group("ou_carol", {{"path", "README"}}).dump()), 403, "not_team_member"));

  Json const listed = called(daemon, "/v1/list", group("ou_bob", {{"kind", "people"}}));
  CHECK_EQ(listed["people"].size(), 1);
  CHECK_EQ(listed["documents"].size(), 0);

  auto const repos = [&](std::string const& sender) {
    std::set<std::string> out;
    Json const listed_repos = called(daemon, "/v1/repos", direct(sender));
    for (Json const& row : listed_repos["repos"]) out.insert(row.value("repo", ""));
    return out;
  };
  CHECK_EQ(repos("ou_alice"), std::set<std::string>{"nlp-team-kb", "alice-personal-kb"});
  CHECK_EQ(repos("ou_dave"), std::set<std::string>{"cv-team-kb"});
}

TEST_CASE("records and gaps are one's own; an admin of the settings sees all") {
  Workspace w;
  w.configure([](Json& config) { config["admins"] = {"ou_root"}; });
  Daemon daemon(KB_PROGRAM, w);
  (void)called(daemon, "/v1/ask", group("ou_alice", {{"question", kQuestion}}));
  (void)called(daemon, "/v1/ask", group("ou_bob", {{"question", "火星基地的预算是多少？"}}));
  auto const rows = [&](std::string const& path, std::string const& list, Json const& who) {
    return called(daemon, path, who)[list].size();
  };
  CHECK_EQ(rows("/v1/log", "records", group("ou_alice")), 1);
  CHECK_EQ(rows("/v1/log", "records", group("ou_bob")), 1);
  CHECK_EQ(rows("/v1/gaps", "gaps", group("ou_alice")), 0);
  CHECK_EQ(rows("/v1/gaps", "gaps", group("ou_bob")), 1);
  CHECK_EQ(rows("/v1/log", "records", direct("ou_root")), 2);
  CHECK_EQ(rows("/v1/gaps", "gaps", direct("ou_root")), 1);
  CHECK_EQ(rows("/v1/log", "records", direct("ou_root", {{"limit", 1}})), 1);
  CHECK_EQ(rows("/v1/bindings", "bindings", direct("ou_alice")), 1);
  CHECK_EQ(rows("/v1/bindings", "bindings", direct("ou_dave")), 0);
  CHECK_EQ(rows("/v1/bindings", "bindings", direct("ou_root")), 1);
}

TEST_CASE("scope and validation answer as their verbs do") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Json const scope = called(daemon, "/v1/scope", group("ou_alice", {{"question", kQuestion}}));
  Finished const verb = w.run(KB_PROGRAM, {"resolve_scope", "--sender_id", "ou_alice", "--chat_type", "group",
                                           "--chat_id", "oc_nlp", "--question", kQuestion});
  CHECK_EQ(scope.dump(), Json::parse(verb.out).dump());
  CHECK_EQ(called(daemon, "/v1/scope", group("ou_carol")).value("error", ""), "not_team_member");

  Json const bad = called(daemon, "/v1/validate", {{"SenderId", "ou_alice"}, {"answer", "没有来源的答案。"}});
  CHECK_FALSE(bad.value("valid", true));
  CHECK_EQ(bad["errors"][0].value("code", ""), "missing_sources");
}

TEST_CASE("what is malformed is a problem that says what is wrong") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  std::uint16_t const port = daemon.port();
  CHECK(is_problem(http_post(port, "/v1/ask", "{"), 400, "bad_request"));
  CHECK(is_problem(http_post(port, "/v1/ask", "[]"), 400, "bad_request"));
  CHECK(is_problem(http_post(port, "/v1/ask", group("ou_alice").dump()), 400, "bad_request"));
  CHECK(is_problem(http_post(port, "/v1/ask", group("ou_alice", {{"question", 7}}).dump()), 400, "bad_request"));
  CHECK(is_problem(http_post(port, "/v1/ask", group("ou_alice", {{"question", "x"}, {"colour", "red"}}).dump()), 400,
                   "bad_request"));
  Json const odd{{"SenderId", "ou_alice"}, {"ChatType", "channel"}, {"question", "x"}};
  CHECK(is_problem(http_post(port, "/v1/ask", odd.dump()), 400, "bad_request"));
  CHECK(is_problem(http_post(port, "/v1/log", direct("ou_alice", {{"limit", 0}}).dump()), 400, "bad_request"));
  CHECK(is_problem(http_post(port, "/v1/repos", "{}"), 401, "missing_sender_id"));
  CHECK_EQ(http_send(port, "DELETE", "/v1/ask", "{}").status, 405);
  CHECK_EQ(http_post(port, "/v1/nothing", "{}").status, 405);  // as everything that only GET could know
  CHECK_EQ(http_get(port, "/v1/nothing").status, 404);
}

TEST_CASE("with a token every call needs it, and pages of other sites may not call") {
  Workspace w;
  w.write("token", "a-s3cret-of-ours\n");
  std::filesystem::permissions(w.path() / "token", std::filesystem::perms(0600));
  w.configure([](Json& config) { config["listen"]["token_file"] = "token"; });
  Daemon daemon(KB_PROGRAM, w);
  std::uint16_t const port = daemon.port();
  std::string const body = group("ou_alice", {{"question", kQuestion}}).dump();
  std::string const bearer = "Authorization: Bearer a-s3cret-of-ours";
  CHECK_EQ(http_post(port, "/v1/ask", body).status, 401);
  CHECK_EQ(http_post(port, "/v1/ask", body, {"Authorization: Bearer other"}).status, 401);
  CHECK_EQ(http_post(port, "/v1/ask", body, {bearer}).status, 200);
  CHECK_EQ(http_get(port, "/metrics").status, 401);
  CHECK_EQ(http_get(port, "/metrics", {bearer}).status, 200);
  CHECK_EQ(http_post(port, "/mcp", "{}").status, 401);
  CHECK_EQ(http_post(port, "/v1/ask", body, {bearer, "Origin: https://evil.example"}).status, 403);
  CHECK_EQ(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 1);

  Workspace open;
  Daemon loopback(KB_PROGRAM, open);
  CHECK_EQ(http_get(loopback.port(), "/v1/repos?sender_id=ou_alice", {}, "rebound.example").status, 403);
  CHECK_EQ(http_get(loopback.port(), "/v1/repos?sender_id=ou_alice", {"Sec-Fetch-Site: cross-site"}).status, 403);
  CHECK_EQ(http_get(loopback.port(), "/v1/repos?sender_id=ou_alice").status, 200);
}

TEST_CASE("one caller has sixty requests a minute") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  std::string const alice = direct("ou_alice").dump();
  for (int i = 0; i < 60; ++i) REQUIRE_EQ(http_post(daemon.port(), "/v1/repos", alice).status, 200);
  HttpReply const over = http_post(daemon.port(), "/v1/repos", alice);
  CHECK(is_problem(over, 429, "rate_limited"));
  CHECK_EQ(Json::parse(over.body).value("detail", ""), "Rate limit exceeded. Max 60 requests/minute.");
  CHECK_EQ(http_post(daemon.port(), "/v1/repos", direct("ou_bob").dump()).status, 200);
}

TEST_CASE("metrics are Prometheus text and name nobody") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  (void)called(daemon, "/v1/ask", group("ou_alice", {{"question", kQuestion}}));
  Client client(daemon);
  (void)client.ask("m1", "ou_alice", "oc_nlp", kQuestion);
  HttpReply const reply = http_get(daemon.port(), "/metrics");
  CHECK_EQ(reply.status, 200);
  CHECK(reply.head.find("text/plain; version=0.0.4") != std::string::npos);
  CHECK(reply.body.find("kbgate_replies_total{outcome=\"answered\"} 2\n") != std::string::npos);
  CHECK(reply.body.find("kbgate_http_requests_total{route=\"/v1/ask\",status=\"200\"} 1\n") != std::string::npos);
  CHECK(reply.body.find("kbgate_repositories 4\n") != std::string::npos);
  for (char const* secret : {"ou_alice", "oc_nlp", "nlp-team-kb", "组会"}) {
    CHECK_EQ(reply.body.find(secret), std::string::npos);
  }
  std::istringstream lines(reply.body);
  std::set<std::string> typed;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    if (line.starts_with("# TYPE ")) typed.insert(line.substr(7, line.find(' ', 7) - 7));
    if (line.starts_with("#")) continue;
    std::string name = line.substr(0, line.find_first_of("{ "));
    for (std::string_view const end : {"_bucket", "_sum", "_count"}) {
      bool const part = name.ends_with(end) && !typed.contains(name);
      if (part) name.resize(name.size() - end.size());
    }
    CHECK(name.starts_with("kbgate_"));
    CHECK(typed.contains(name));
    CHECK_NOTHROW((void)std::stod(line.substr(line.rfind(' ') + 1)));
  }
}

TEST_CASE("the API describes itself, and every path it names is served") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Json const api = Json::parse(http_get(daemon.port(), "/openapi.json").body);
  CHECK_EQ(api.value("openapi", ""), "3.1.0");
  std::set<std::string> operations;
  std::size_t count = 0;
  for (auto const& [path, methods] : api["paths"].items()) {
    for (auto const& [method, operation] : methods.items()) {
      ++count;
      operations.insert(operation.value("operationId", ""));
      CHECK(operation["responses"].contains("200"));
      CHECK_FALSE(operation.value("summary", "").empty());
      for (Json const& parameter : operation.value("parameters", Json::array())) {
        CHECK_EQ(parameter.value("in", ""), "query");
        CHECK(parameter.contains("schema"));
      }
    }
    CHECK_NE(http_get(daemon.port(), path).status, 404);
  }
  CHECK_GE(count, 18);
  CHECK_EQ(operations.size(), count);
  std::string const guide = http_get(daemon.port(), "/llms.txt").body;
  CHECK(guide.starts_with("# kbgate\n"));
  for (auto const& [path, methods] : api["paths"].items()) CHECK(guide.find("(" + path + ")") != std::string::npos);
}

}  // namespace kb::test
