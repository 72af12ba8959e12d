// Admins in chat: binding a group in two steps (N-11…N-14), in force at once and after a kill.
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// The code in a reply to /bind or /unbind.
std::string code_in(std::string const& text) {
  auto const at = text.find("BIND-");
  if (at == text.npos) return {};
  auto const begin = at >= 2 && text.compare(at - 2, 2, "UN") == 0 ? at - 2 : at;
  return text.substr(begin, at + 9 - begin);
}

}  // namespace

TEST_CASE("an admin binds a group in two steps, and it answers at once and after a kill") {  // N-11
  Workspace w;
  {
    Daemon daemon(KB_PROGRAM, w);
    Client client(daemon);
    std::string const asked = client.ask("b1", "ou_alice", "oc_new", "@bot 绑定本群到 NLP 团队").value("text", "");
    std::string const code = code_in(asked);
    REQUIRE_FALSE(code.empty());
    CHECK(has(client.ask("b2", "ou_bob", "oc_new", "组会什么时候开始？").value("text", ""), "还没有绑定团队"));
    Json const done = client.ask("b3", "ou_alice", "oc_new", "/confirm " + code);
    CHECK(has(done.value("text", ""), "已绑定"));
    CHECK_EQ(client.ask("b4", "ou_bob", "oc_new", "组会什么时候开始？").value("outcome", ""), "answered");
    daemon.kill();
  }
  Daemon again(KB_PROGRAM, w);
  Client client(again);
  CHECK_EQ(client.ask("b5", "ou_bob", "oc_new", "组会什么时候开始？").value("outcome", ""), "answered");
  Json const file = w.read_json("chat_bindings.json");
  CHECK_EQ(file["oc_new"].value("team_id", ""), "team_nlp");
  CHECK_EQ(file["oc_new"].value("bound_by", ""), "ou_alice");
  CHECK_EQ(file["oc_nlp"].value("colour", ""), "kept");  // another entry's unknown field
  Json const listed = Json::parse(w.run(KB_PROGRAM, {"bindings", "--history"}).out);
  REQUIRE_EQ(listed["events"].size(), 2);
  CHECK_EQ(listed["events"][0].value("event", ""), "request_bind");
  CHECK_EQ(listed["events"][1].value("event", ""), "bind");
}

TEST_CASE("only an admin of that team binds, only in the same group, and never over another team") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  Json const member = client.ask("b1", "ou_bob", "oc_new", "/bind NLP 团队");
  CHECK_EQ(member.value("outcome", ""), "scope_refused");
  CHECK(code_in(member.value("text", "")).empty());
  Json const foreign = client.ask("b2", "ou_dave", "oc_new", "/bind NLP 团队");
  CHECK(code_in(foreign.value("text", "")).empty());
  Json const over = client.ask("b3", "ou_dave", "oc_nlp", "/bind CV 团队");  // N-12
  CHECK(code_in(over.value("text", "")).empty());
  Json const in_private = client.ask("b4", "ou_alice", "", "/bind NLP 团队");
  CHECK(code_in(in_private.value("text", "")).empty());

  std::string const code = code_in(client.ask("b5", "ou_alice", "oc_new", "/bind NLP 团队").value("text", ""));
  REQUIRE_FALSE(code.empty());
  CHECK_FALSE(has(client.ask("b6", "ou_alice", "oc_other", "/confirm " + code).value("text", ""), "已绑定"));
  CHECK_FALSE(has(client.ask("b7", "ou_bob", "oc_new", "/confirm " + code).value("text", ""), "已绑定"));
  CHECK_FALSE(has(client.ask("b8", "ou_alice", "oc_new", "/confirm BIND-XXXX").value("text", ""), "已绑定"));
  CHECK(has(client.ask("b9", "ou_alice", "oc_new", "/confirm " + code).value("text", ""), "已绑定"));
}

TEST_CASE("unbinding takes two steps too, and the group answers no more") {  // N-11 N-13
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  std::string const code = code_in(client.ask("u1", "ou_alice", "oc_nlp", "/unbind").value("text", ""));
  REQUIRE(code.starts_with("UNBIND-"));
  CHECK_EQ(client.ask("u2", "ou_bob", "oc_nlp", "组会什么时候开始？").value("outcome", ""), "answered");
  CHECK(has(client.ask("u3", "ou_alice", "oc_nlp", "确认解绑 " + code).value("text", ""), "已解绑"));
  CHECK(has(client.ask("u4", "ou_bob", "oc_nlp", "组会什么时候开始？").value("text", ""), "还没有绑定团队"));
  Json const file = w.read_json("chat_bindings.json");
  CHECK_EQ(file["oc_nlp"].value("enabled", true), false);
  CHECK_EQ(file["oc_nlp"].value("unbound_by", ""), "ou_alice");
}

TEST_CASE("the other commands answer from the asker's own place") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  CHECK(has(client.ask("c1", "ou_alice", "", "/whoami").value("text", ""), "alice/alice-personal-kb"));
  std::string const in_group = client.ask("c2", "ou_alice", "oc_nlp", "/whoami").value("text", "");
  CHECK(has(in_group, "管理员"));
  CHECK_FALSE(has(in_group, "personal-kb"));
  CHECK(has(client.ask("c3", "ou_bob", "", "/scope 我的计划").value("text", ""), "bob/bob-personal-kb"));
  CHECK_EQ(client.ask("c4", "ou_bob", "oc_nlp", "/scope 我的计划").value("outcome", ""), "scope_refused");
  CHECK(has(client.ask("c5", "ou_bob", "oc_nlp", "/status").value("text", ""), "nlp/nlp-team-kb：5 页"));
  CHECK(has(client.ask("c6", "ou_bob", "oc_nlp", "/help").value("text", ""), "/sources"));

  Json const answer = client.ask("c7", "ou_bob", "oc_nlp", "组会什么时候开始？");
  Json const sources = client.ask("c8", "ou_bob", "oc_nlp", "/sources");
  CHECK(has(sources.value("text", ""), "2026-11-02"));
  CHECK_EQ(sources["sources"], answer["sources"]);
  // An answer given in a group is not shown in another chat, not even to somebody who knows its id.
  std::string const id = answer.value("query_id", "");
  CHECK(has(client.ask("c9", "ou_bob", "oc_nlp", "/sources " + id).value("text", ""), "2026-11-02"));
  CHECK_FALSE(has(client.ask("c10", "ou_carol", "", "/sources " + id).value("text", ""), "2026-11-02"));
}

TEST_CASE("the operator's verbs bind and unbind with the same checks") {
  Workspace w;
  CHECK_EQ(w.run(KB_PROGRAM, {"bind", "--chat_id", "oc_new", "--team_id", "team_nlp", "--actor", "ou_bob"}).exit_code,
           4);
  Finished const bound =
      w.run(KB_PROGRAM, {"bind", "--chat-id", "oc_new", "--team-id", "team_nlp", "--actor", "ou_alice"});
  CHECK_EQ(bound.exit_code, 0);
  CHECK_EQ(Json::parse(bound.out)["binding"].value("team_id", ""), "team_nlp");
  CHECK_EQ(w.run(KB_PROGRAM, {"bind", "--chat_id", "oc_new", "--team_id", "team_cv", "--actor", "ou_dave"}).exit_code,
           4);  // N-12
  CHECK_EQ(w.run(KB_PROGRAM, {"unbind", "--chat_id", "oc_new", "--actor", "ou_alice"}).exit_code, 0);
}

}  // namespace kb::test
