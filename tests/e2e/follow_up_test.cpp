// Follow-ups through the built program (S1-8): the asker's own last question in this chat is meant, and nobody else's.
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a follow-up is answered from the pages spoken of, says so first, and is recorded as typed") {  // S1-8
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  Json const first = client.ask("m1", "ou_bob", "oc_nlp", "Atlas 什么时候立项？");
  CAPTURE(first.dump());
  REQUIRE_EQ(first.value("outcome", ""), "answered");
  CHECK_FALSE(has(first.value("text", ""), "关于「"));
  Json const next = client.ask("m2", "ou_bob", "oc_nlp", "@bot 那它的负责人是谁？");
  CAPTURE(next.dump());
  CHECK_EQ(next.value("outcome", ""), "answered");
  CHECK(next.value("text", "").starts_with("关于「Atlas」：\n> "));
  CHECK(has(next.value("text", ""), "负责人是李明"));
  for (Json const& source : next["sources"]) CHECK(source.value("path", "").starts_with("projects/atlas/"));
  CHECK_EQ(daemon.stop(), 0);
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  REQUIRE_EQ(records.size(), 2);
  CHECK_EQ(records[1].value("question", ""), "那它的负责人是谁？");
  CHECK_EQ(records[1].value("scope", ""), "team");
}

TEST_CASE("another person, another chat and a later life of the program inherit nothing") {  // S1-8
  Workspace w;
  {
    Daemon daemon(KB_PROGRAM, w);
    Client client(daemon);
    REQUIRE_EQ(client.ask("m1", "ou_bob", "oc_nlp", "Atlas 什么时候立项？").value("outcome", ""), "answered");
    struct Row {
      char const *id, *sender, *chat;
    };
    static constexpr Row rows[] = {{"m2", "ou_alice", "oc_nlp"}, {"m3", "ou_bob", ""}, {"m4", "ou_alice", ""}};
    for (Row const& row : rows) {
      CAPTURE(row.id);
      Json const reply = client.ask(row.id, row.sender, row.chat, "那它的负责人是谁？");
      CHECK_FALSE(has(reply.value("text", ""), "Atlas」"));
      CHECK_FALSE(has(reply.value("text", ""), "关于「"));
    }
    Json thread = Client::message("m5", "ou_bob", "oc_nlp", "那它的负责人是谁？");
    thread["ThreadId"] = "om_other";
    client.send(thread);
    CHECK_FALSE(has(client.next("answer", "m5").value("text", ""), "关于「"));
    CHECK(has(client.ask("m6", "ou_bob", "oc_nlp", "那它的负责人是谁？").value("text", ""), "关于「Atlas」："));
    CHECK_EQ(daemon.stop(), 0);
  }
  Daemon again(KB_PROGRAM, w);
  Client client(again);
  CHECK_FALSE(has(client.ask("m7", "ou_bob", "oc_nlp", "那它的负责人是谁？").value("text", ""), "关于「"));
}

TEST_CASE("one's own pages are followed up in private only, and never by words that reach the team's") {  // S1-20
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  REQUIRE_EQ(client.ask("m1", "ou_alice", "", "我的航班是哪天的？").value("outcome", ""), "answered");
  Json const group = client.ask("m2", "ou_alice", "oc_nlp", "那它是哪天的？");
  CHECK_FALSE(has(group.value("text", ""), "航班"));
  CHECK_FALSE(has(group.dump(), "NH964"));
  // In private these words reach the team's pages too: another scope than the earlier question's.
  CHECK_FALSE(has(client.ask("m3", "ou_alice", "", "那它是哪天的？").value("text", ""), "关于「"));
}

}  // namespace kb::test
