// What was acknowledged is answered once, whatever happens in between.
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

char const* const kQuestion = "组会什么时候开始？";

}  // namespace

TEST_CASE("the same id is never answered twice: it gets its first answer again") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Json first;
  {
    Client client(daemon);
    first = client.ask("m1", "ou_bob", "oc_nlp", kQuestion);
    Json const again = client.ask("m1", "ou_bob", "oc_nlp", kQuestion);
    CHECK_EQ(again, first);
  }
  Client later(daemon);
  CHECK_EQ(later.ask("m1", "ou_bob", "oc_nlp", kQuestion), first);
  CHECK_EQ(daemon.stop(), 0);
  CHECK_EQ(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 1);
}

TEST_CASE("the same id of two people is two questions") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  Json const alice = client.ask("m1", "ou_alice", "", "我的航班是哪天的？");
  Json const bob = client.ask("m1", "ou_bob", "", "我的航班是哪天的？");
  CHECK_NE(alice.value("query_id", ""), bob.value("query_id", ""));
  CHECK(bob.value("text", "").find("NH964") == std::string::npos);
}

TEST_CASE("killed anywhere between acknowledgement and delivery, the question is answered once after the restart") {
  for (char const* place : {"conversation.admitted", "conversation.before_settle", "journal.settle.before_commit",
                            "journal.settle.after_commit", "conversation.before_deliver"}) {
    CAPTURE(place);
    Workspace w;
    {
      Daemon daemon(KB_PROGRAM, w, {{"KBGATE_FAULT", place}});
      Client client(daemon);
      client.send(Client::message("m1", "ou_bob", "oc_nlp", kQuestion));
      CHECK(client.ends());
      CHECK_EQ(daemon.process().wait(), 128 + 9);
    }
    Daemon daemon(KB_PROGRAM, w);
    // Nobody has asked again yet: the daemon answers what it acknowledged by itself.
    CHECK(eventually([&] { return w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size() == 1; }));
    Client client(daemon);
    Json const answer = client.ask("m1", "ou_bob", "oc_nlp", kQuestion);
    CHECK_EQ(answer.value("outcome", ""), "answered");
    CHECK_EQ(daemon.stop(), 0);
    CHECK_EQ(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 1);
    CHECK_EQ(w.run(KB_PROGRAM, {"log", "verify", "--owner", "nlp", "--repo", "nlp-team-kb"}).exit_code, 0);
  }
}

TEST_CASE("questions in flight at SIGTERM are answered or kept, and the logs are published on leaving") {
  Workspace w;
  constexpr int kQuestions = 40;
  int answered = 0;
  {
    Daemon daemon(KB_PROGRAM, w);
    Client client(daemon);
    for (int i = 0; i < kQuestions; ++i) {
      client.send(Client::message("m" + std::to_string(i), i % 2 == 0 ? "ou_bob" : "ou_alice", "", kQuestion));
    }
    // In any order: a question that may not wait is acknowledged when its reply, "busy", is durable.
    for (int acks = 0; acks < kQuestions;) acks += client.next().value("type", "") == "ack" ? 1 : 0;
    daemon.process().signal(15);
    try {
      for (;;) answered += client.next().value("type", "") == "answer" ? 1 : 0;
    } catch (std::exception const&) {
      // the link is closed
    }
    CHECK_EQ(daemon.process().wait(), 0);
  }
  Daemon again(KB_PROGRAM, w);
  Client client(again);
  for (int i = 0; i < kQuestions; ++i) {
    Json const reply = client.ask("m" + std::to_string(i), i % 2 == 0 ? "ou_bob" : "ou_alice", "", kQuestion);
    CHECK_EQ(reply.value("type", ""), "answer");
  }
  CHECK_EQ(again.stop(), 0);
  std::size_t busy = 0;
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  CHECK(records.size() + busy <= kQuestions);
  std::string const log = w.team.file("log.md", "refs/heads/kbgate/query-log").value_or("");
  std::size_t lines = 0;
  for (auto at = log.find("**query**"); at != log.npos; at = log.find("**query**", at + 1)) ++lines;
  CHECK_EQ(lines, records.size());
}

}  // namespace kb::test
