// MCP over both transports of the built program.
#include <csignal>
#include <doctest/doctest.h>
#include <sstream>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

Json request(int id, std::string const& method, Json const& params = Json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

Json call(int id, std::string const& tool, Json const& arguments) {
  return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

/// What `kbgate mcp` prints for these lines, by id.
std::map<int, Json> over_stdio(Workspace const& w, std::vector<std::string> const& who,
                               std::vector<Json> const& lines) {
  std::string input;
  for (Json const& line : lines) input += line.dump() + "\n";
  w.write("input", input);
  std::string command = std::string("exec ") + KB_PROGRAM + " mcp --config " + w.config();
  for (std::string const& word : who) command += " " + word;
  Finished const done = run_program("/bin/sh", {"-c", command + " < " + (w.path() / "input").string()});
  CHECK_EQ(done.exit_code, 0);
  std::map<int, Json> out;
  std::istringstream in(done.out);
  for (std::string line; std::getline(in, line);) {
    Json response = Json::parse(line);
    int const id = response.value("id", -1);
    out[id] = std::move(response);
  }
  return out;
}

std::vector<std::string> const kAlice{"--sender_id", "ou_alice", "--chat_type", "group", "--chat_id", "oc_nlp"};
std::vector<std::string> const kAliceHeaders{"X-Kbgate-Sender-Id: ou_alice", "X-Kbgate-Chat-Type: group",
                                             "X-Kbgate-Chat-Id: oc_nlp"};

}  // namespace

TEST_CASE("an agent on stdio asks as the caller of the command line, and its questions are logged") {
  Workspace w;
  auto const replies = over_stdio(
      w, kAlice,
      {request(1, "initialize", {{"protocolVersion", "2025-06-18"}}),
       {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
       request(2, "tools/list"),
       call(3, "kb_ask", {{"question", "组会什么时候开始？"}}),
       call(4, "kb_read", {{"path", "projects/atlas/index"}}),
       call(5, "kb_read", {{"owner", "alice"}, {"repo", "alice-personal-kb"}, {"path", "concepts/知识蒸馏"}}),
       call(6, "kb_ask", {{"question", "x"}, {"SenderId", "ou_bob"}})});
  REQUIRE_EQ(replies.size(), 6);
  CHECK_EQ(replies.at(1)["result"].value("protocolVersion", ""), "2025-06-18");
  CHECK_GE(replies.at(2)["result"]["tools"].size(), 4);
  CHECK_EQ(replies.at(3)["result"]["structuredContent"].value("outcome", ""), "answered");
  CHECK(replies.at(4)["result"]["structuredContent"].value("content", "").find("李明") != std::string::npos);
  CHECK_EQ(replies.at(5)["result"]["structuredContent"].value("error", ""), "knowledge_base_not_found");
  CHECK(replies.at(6)["result"].value("isError", false));
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  REQUIRE_EQ(records.size(), 1);
  CHECK_EQ(records[0].value("open_id", ""), "ou_alice");
}

TEST_CASE("broken lines are answered, and the next one is read") {
  Workspace w;
  w.write("input", "{\n\n" + call(2, "kb_list", {{"kind", "people"}}).dump() + "\n");
  Finished const done = run_program(
      "/bin/sh", {"-c", std::string("exec ") + KB_PROGRAM + " mcp --sender_id ou_alice --chat_id oc_nlp --config " +
                            w.config() + " < " + (w.path() / "input").string()});
  CHECK_EQ(done.exit_code, 0);
  std::istringstream in(done.out);
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  CHECK_EQ(Json::parse(first)["error"].value("code", 0), -32700);
  CHECK_EQ(Json::parse(second)["result"]["structuredContent"]["people"].size(), 1);
}

TEST_CASE("an agent over HTTP asks as its connection says") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  auto const post = [&](Json const& body, std::vector<std::string> const& headers) {
    return http_post(daemon.port(), "/mcp", body.dump(), headers);
  };
  HttpReply const hello = post(request(1, "initialize", {{"protocolVersion", "2025-06-18"}}), {});
  CHECK_EQ(hello.status, 200);
  CHECK(hello.head.find("application/json") != std::string::npos);
  HttpReply const note = post({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}, {});
  CHECK_EQ(note.status, 202);
  CHECK(note.body.empty());
  CHECK_EQ(http_get(daemon.port(), "/mcp").status, 405);
  CHECK_EQ(http_post(daemon.port(), "/mcp", "{").status, 400);
  CHECK_EQ(post(request(2, "ping"), {"MCP-Protocol-Version: 1999-01-01"}).status, 400);

  Json const question = call(3, "kb_ask", {{"question", "组会什么时候开始？"}});
  auto const result = [&](std::vector<std::string> const& headers) {
    return Json::parse(post(question, headers).body)["result"];
  };
  CHECK_EQ(result(kAliceHeaders)["structuredContent"].value("outcome", ""), "answered");
  CHECK_EQ(
      result({"X-Kbgate-Sender-Id: ou_carol", "X-Kbgate-Chat-Id: oc_nlp"})["structuredContent"].value("outcome", ""),
      "scope_refused");
  CHECK_EQ(result({})["structuredContent"].value("outcome", ""), "scope_refused");
  CHECK(result({"X-Kbgate-Chat-Type: channel"}).value("isError", false));
  CHECK_EQ(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 1);
}

}  // namespace kb::test
