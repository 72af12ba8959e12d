#include "logging/journal.hpp"

#include <doctest/doctest.h>
#include <latch>
#include <set>
#include <sys/stat.h>
#include <thread>

#include "tests/logging/journal_fixture.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb;
using namespace kb::logging;
using test::add_records;
using test::admit;
using test::at_second;
using test::message;
using test::opened;
using test::record;
using test::settle;
using test::settlement;
using test::succeeds;
using test::value;
using test::waited;

namespace {

RepoId const kRepo{"nlp", "nlp-team-kb"};

unsigned mode_of(std::filesystem::path const& path) {
  struct stat info {};
  REQUIRE_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777u;
}

}  // namespace

TEST_CASE("a message is fresh once, then in progress, then settled with its first reply") {
  test::TempDir const dir;
  auto const journal = opened(dir.path() / "state");
  auto const m = message("m1");
  CHECK(value(admit(*journal, m)).admission == Admission::fresh);
  CHECK(value(admit(*journal, m)).admission == Admission::in_progress);
  REQUIRE(succeeds(settle(*journal, settlement(m, "Q1", "第一次"))));
  Admitted const again = value(admit(*journal, m));
  CHECK(again.admission == Admission::settled);
  REQUIRE(again.reply.has_value());
  CHECK_EQ(again.reply->text, "第一次");
  CHECK_EQ(again.reply->query_id, "Q1");
  CHECK(again.reply->state == ReplyState::pending);
}

TEST_CASE("the first text of a message wins over a later one with the same id") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  REQUIRE(succeeds(admit(*journal, message("m1", "first"))));
  REQUIRE(succeeds(admit(*journal, message("m1", "second"))));
  auto const waiting = value(journal->unsettled());
  REQUIRE_EQ(waiting.size(), 1);
  CHECK_EQ(waiting[0].message.text, "first");
}

TEST_CASE("another adapter, account, chat, sender or id is another message") {
  auto const base = message("m1");
  std::vector<scope::InboundMessage> all(6, base);
  all[1].principal.adapter = "feishu";
  all[2].principal.account = "other";
  all[3].principal.user = UserId("ou_2");
  all[4].chat = ChatId("oc_2");
  all[5].message_id = "m2";
  std::set<std::string> keys;
  for (auto const& m : all) keys.insert(inbox_key(m));
  CHECK_EQ(keys.size(), all.size());

  auto left = base;
  auto right = base;
  left.principal.account = "a/b";
  left.chat = ChatId("c");
  right.principal.account = "a";
  right.chat = ChatId("b/c");
  CHECK_NE(inbox_key(left), inbox_key(right));
  left.principal.account = "a%2Fb";
  right.principal.account = "a/b";
  right.chat = left.chat;
  CHECK_NE(inbox_key(left), inbox_key(right));
}

TEST_CASE("a message without an id is refused") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  auto const refused = admit(*journal, message(""));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Errc::invalid_input);
}

TEST_CASE("an admitted message comes back whole after reopening") {
  test::TempDir const dir;
  auto sent = message("m1", std::string("NUL \0 inside", 12));
  sent.sent_at = at_second(5) + std::chrono::microseconds(123456);
  { REQUIRE(succeeds(admit(*opened(dir.path()), sent))); }
  auto const waiting = value(opened(dir.path())->unsettled());
  REQUIRE_EQ(waiting.size(), 1);
  auto const& got = waiting[0].message;
  CHECK_EQ(waiting[0].key, inbox_key(sent));
  CHECK(got.principal == sent.principal);
  CHECK(got.chat_type == sent.chat_type);
  CHECK_EQ(got.chat, sent.chat);
  CHECK_EQ(got.chat_name, sent.chat_name);
  CHECK_EQ(got.thread, sent.thread);
  CHECK_EQ(got.message_id, sent.message_id);
  CHECK_EQ(got.text, sent.text);
  CHECK_EQ(got.mentioned, sent.mentioned);
  CHECK_EQ(got.external, sent.external);
  CHECK(got.sent_at == sent.sent_at);
}

TEST_CASE("settling twice keeps the first reply and its records") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  auto const m = message("m1");
  REQUIRE(succeeds(admit(*journal, m)));
  REQUIRE(succeeds(settle(*journal, settlement(m, "Q1", "first"))));
  REQUIRE(succeeds(settle(*journal, settlement(m, "Q1", "again"))));
  REQUIRE(succeeds(settle(*journal, settlement(m, "Q2", "another run"))));
  CHECK_EQ(value(journal->reply_of("Q1"))->text, "first");
  CHECK_FALSE(value(journal->reply_of("Q2")).has_value());
  CHECK_EQ(value(journal->records(kRepo, "")).size(), 1);
  CHECK(value(journal->unsettled()).empty());
}

TEST_CASE("a reply to a message that was never admitted is stored and answers a later one") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  auto const m = message("m1");
  REQUIRE(succeeds(settle(*journal, settlement(m, "Q1", "text"))));
  CHECK(value(admit(*journal, m)).admission == Admission::settled);
  CHECK(value(journal->undelivered()).empty());
}

TEST_CASE("a record whose id is there already is not stored again, by whichever way it comes") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  auto const first = value(add_records(*journal, {record("Q1")}));
  auto const second = value(add_records(*journal, {record("Q1"), record("Q2")}));
  REQUIRE(succeeds(settle(*journal, settlement(message("m1"), "Q1", "text"))));
  REQUIRE_EQ(second.size(), 2);
  CHECK_EQ(second[0].hash, first[0].hash);
  CHECK_EQ(second[1].prev, first[0].hash);
  CHECK_EQ(value(journal->records(kRepo, "")).size(), 2);
  CHECK_EQ(value(journal->verify(kRepo)), "");
}

TEST_CASE("each repository has a chain of its own, over settlements and reopening") {
  test::TempDir const dir;
  RepoId const other("wang", "wang-personal-kb");
  {
    auto const journal = opened(dir.path());
    auto both = settlement(message("m1"), "Q1", "text");
    both.records.push_back(record("Q1", other));
    REQUIRE(succeeds(settle(*journal, both)));
  }
  auto const journal = opened(dir.path());
  REQUIRE(succeeds(settle(*journal, settlement(message("m2"), "Q2", "text"))));
  auto const team = value(journal->records(kRepo, ""));
  REQUIRE_EQ(team.size(), 2);
  CHECK_EQ(team[0].prev, "");
  CHECK_EQ(team[1].prev, team[0].hash);
  auto const personal = value(journal->records(other, ""));
  REQUIRE_EQ(personal.size(), 1);
  CHECK_EQ(personal[0].prev, "");
  CHECK_EQ(value(journal->verify(kRepo)), "");
  CHECK_EQ(value(journal->verify(other)), "");
  CHECK_EQ(value(journal->verify(RepoId("no", "body"))), "");
}

TEST_CASE("records since a time leave out what is older") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  auto early = record("Q1");
  auto late = record("Q2");
  late.time = "2026-01-02T00:00:00Z";
  REQUIRE(succeeds(add_records(*journal, {early, late})));
  auto const got = value(journal->records(kRepo, "2026-01-01T12:00:00Z"));
  REQUIRE_EQ(got.size(), 1);
  CHECK_EQ(got[0].query_id, "Q2");
}

TEST_CASE("published records leave the queue of their repository") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  RepoId const other("a", "b");
  REQUIRE(succeeds(add_records(*journal, {record("Q1"), record("Q2"), record("Q3"), record("Q1", other)})));
  CHECK(value(journal->repos_with_unpublished()) == std::vector<RepoId>{other, kRepo});
  auto const first_two = value(journal->unpublished(kRepo, 2));
  REQUIRE_EQ(first_two.size(), 2);
  CHECK_EQ(first_two[0].record.query_id, "Q1");
  REQUIRE(succeeds(waited<void>([&](auto done) {
    journal->mark_published({first_two[0].row, first_two[1].row}, std::move(done));
  })));
  auto const rest = value(journal->unpublished(kRepo, 10));
  REQUIRE_EQ(rest.size(), 1);
  CHECK_EQ(rest[0].record.query_id, "Q3");
  CHECK_EQ(value(journal->stats()).records_pending, 2);
}

TEST_CASE("a reply is undelivered until it is delivered or given up") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  for (auto const* id : {"m1", "m2", "m3"}) {
    REQUIRE(succeeds(admit(*journal, message(id))));
    REQUIRE(succeeds(settle(*journal, settlement(message(id), std::string("Q-") + id, "text"))));
  }
  auto const key = [](char const* id) { return inbox_key(message(id)); };
  REQUIRE(
      succeeds(waited<void>([&](auto done) { journal->mark_delivered(key("m1"), at_second(8), std::move(done)); })));
  REQUIRE(
      succeeds(waited<void>([&](auto done) { journal->mark_delivered(key("m1"), at_second(9), std::move(done)); })));
  REQUIRE(succeeds(
      waited<void>([&](auto done) { journal->give_up(key("m3"), "recalled", at_second(8), std::move(done)); })));
  auto const left = value(journal->undelivered());
  REQUIRE_EQ(left.size(), 1);
  CHECK_EQ(left[0].message.message_id, "m2");
  CHECK_EQ(left[0].reply.query_id, "Q-m2");
  CHECK_EQ(left[0].reply.details_json, R"({"confidence":"high"})");
  CHECK(left[0].message.external);
  CHECK(left[0].settled_at == at_second(7));
  CHECK(value(admit(*journal, message("m1"))).reply->state == ReplyState::delivered);
  CHECK(value(admit(*journal, message("m2"))).reply->state == ReplyState::pending);
  CHECK(value(admit(*journal, message("m3"))).reply->state == ReplyState::given_up);
  auto const stats = value(journal->stats());
  CHECK_EQ(stats.replies_pending, 1);
  CHECK_EQ(stats.replies_given_up, 1);
  auto const nobody =
      waited<void>([&](auto done) { journal->mark_delivered("no such key", at_second(8), std::move(done)); });
  REQUIRE_FALSE(nobody.has_value());
  CHECK(nobody.error().code == Errc::not_found);
}

TEST_CASE("the last reply is that of this chat, or of this person in private") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  auto const group = message("m1");
  auto colleague = message("m2");
  colleague.principal.user = UserId("ou_2");
  auto direct = message("m3");
  direct.chat_type = scope::ChatType::direct;
  direct.chat = ChatId();
  auto command = message("m4");
  struct Row {
    scope::InboundMessage const& m;
    char const* query_id;
  };
  for (Row const& row : {Row{group, "Q1"}, Row{colleague, "Q2"}, Row{direct, "Q3"}, Row{command, ""}}) {
    REQUIRE(succeeds(admit(*journal, row.m)));
    auto s = settlement(row.m, row.query_id, "text");
    if (s.reply.query_id.empty()) s.records.clear();
    REQUIRE(succeeds(settle(*journal, s)));
  }
  auto const last = [&](scope::InboundMessage const& m, std::string_view id = {}) {
    auto const reply = value(journal->last_reply(m, id));
    return reply ? reply->query_id : "none";
  };
  CHECK_EQ(last(group), "Q2");
  CHECK_EQ(last(direct), "Q3");
  CHECK_EQ(last(group, "Q1"), "Q1");
  CHECK_EQ(last(group, "Q3"), "none");  // given in private: not to be shown to the group
  auto stranger = direct;
  stranger.principal.user = UserId("ou_9");
  CHECK_EQ(last(stranger), "none");
}

TEST_CASE("feedback needs an answer, and the later vote of a person stands") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  REQUIRE(succeeds(settle(*journal, settlement(message("m1"), "Q1", "text"))));
  auto const vote = [&](Feedback f) {
    return waited<void>([&](auto done) { journal->add_feedback(std::move(f), std::move(done)); });
  };
  CHECK(succeeds(vote({"Q1", "ou_1", "up", "", "2026-01-01T00:01:00Z"})));
  CHECK(succeeds(vote({"Q1", "ou_1", "down", "wrong", "2026-01-01T00:02:00Z"})));
  for (auto const* id : {"Q9", ""}) {
    auto const unknown = vote({id, "ou_1", "up", "", "2026-01-01T00:01:00Z"});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().code == Errc::not_found);
  }
}

TEST_CASE("binding events come back in order") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  for (auto const* event : {"bind", "unbind"}) {
    BindingEventRow row{event, "oc_1", "team_1", "ou_1", "BIND-1234", "2026-01-01 08:00:00"};
    REQUIRE(succeeds(waited<void>([&](auto done) { journal->add_binding_event(row, std::move(done)); })));
  }
  auto const events = value(journal->binding_events());
  REQUIRE_EQ(events.size(), 2);
  CHECK_EQ(events[0].event, "bind");
  CHECK_EQ(events[1].event, "unbind");
  CHECK_EQ(events[1].code, "BIND-1234");
}

TEST_CASE("expiry removes old replies in lots, keeps young and unsettled ones and all records") {
  test::TempDir const dir;
  auto const journal = opened(dir.path(), {2048, std::chrono::seconds(5)});
  constexpr int kOld = 1203;  // more than two lots
  std::latch all(kOld);
  for (int i = 0; i < kOld; ++i) {
    auto const m = message("old" + std::to_string(i));
    journal->settle(settlement(m, "Q" + std::to_string(i), "text"), at_second(0),
                    [&all](Result<void>) { all.count_down(); });
  }
  all.wait();
  REQUIRE(succeeds(admit(*journal, message("young"))));
  REQUIRE(succeeds(settle(*journal, settlement(message("young"), "QY", "text"), at_second(3600 * 24 * 7))));
  REQUIRE(succeeds(admit(*journal, message("waiting"))));
  auto const now = at_second(3600 * 24 * 7 + 60);
  auto const removed =
      waited<std::size_t>([&](auto done) { journal->expire(now, std::chrono::hours(24 * 7), std::move(done)); });
  CHECK_EQ(value(removed), kOld);
  CHECK(value(journal->reply_of("QY")).has_value());
  CHECK_FALSE(value(journal->reply_of("Q1")).has_value());
  CHECK_EQ(value(journal->unsettled()).size(), 1);
  CHECK_EQ(value(journal->records(kRepo, "")).size(), kOld + 1);
  CHECK(value(admit(*journal, message("old1"))).admission == Admission::fresh);
}

TEST_CASE("changes waiting together share a transaction") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  constexpr int kThreads = 4, kEach = 200;
  std::latch all(kThreads * kEach);
  std::vector<std::thread> threads;
  std::atomic<int> fresh{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        journal->admit(message(std::to_string(t) + "-" + std::to_string(i)), at_second(6), [&](Result<Admitted> got) {
          if (got && got->admission == Admission::fresh) ++fresh;
          all.count_down();
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  all.wait();
  CHECK_EQ(fresh, kThreads * kEach);
  auto const stats = value(journal->stats());
  CHECK_EQ(stats.changes, kThreads * kEach);
  CHECK_LT(stats.transactions, stats.changes / 4);
}

TEST_CASE("one key admitted by many threads at once is fresh exactly once") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  constexpr int kThreads = 4, kEach = 50;
  std::latch all(kThreads * kEach);
  std::atomic<int> fresh{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        journal->admit(message("same"), at_second(6), [&](Result<Admitted> got) {
          if (got && got->admission == Admission::fresh) ++fresh;
          all.count_down();
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  all.wait();
  CHECK_EQ(fresh, 1);
}

TEST_CASE("a change that fails does not sink the others of its transaction") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  std::latch all(3);
  std::vector<bool> ok(3);
  // Queued from the journal's own thread, so that all three wait when it wakes.
  journal->admit(message("m0"), at_second(6), [&](Result<Admitted>) {
    journal->admit(message("m1"), at_second(6), [&](Result<Admitted> r) { ok[0] = r.has_value(), all.count_down(); });
    journal->admit(message(""), at_second(6), [&](Result<Admitted> r) { ok[1] = r.has_value(), all.count_down(); });
    journal->admit(message("m2"), at_second(6), [&](Result<Admitted> r) { ok[2] = r.has_value(), all.count_down(); });
  });
  all.wait();
  CHECK(ok == std::vector<bool>{true, false, true});
  CHECK_EQ(value(journal->stats()).transactions, 2);
  CHECK_EQ(value(journal->unsettled()).size(), 3);
}

TEST_CASE("a full queue says exhausted at once, and what was queued is kept") {
  test::TempDir const dir;
  auto const journal = opened(dir.path(), {4, std::chrono::seconds(5)});
  std::latch all(6);
  int exhausted = 0;
  journal->admit(message("m0"), at_second(6), [&](Result<Admitted>) {
    for (int i = 0; i < 6; ++i) {
      journal->admit(message("n" + std::to_string(i)), at_second(6), [&](Result<Admitted> r) {
        if (!r && r.error().code == Errc::exhausted) ++exhausted;
        all.count_down();
      });
    }
  });
  all.wait();
  CHECK_EQ(exhausted, 2);
  CHECK_EQ(value(journal->unsettled()).size(), 5);
}

TEST_CASE("closing the journal finishes what waits") {
  test::TempDir const dir;
  std::atomic<int> done{0};
  {
    auto const journal = opened(dir.path());
    for (int i = 0; i < 100; ++i) {
      journal->admit(message(std::to_string(i)), at_second(6), [&](Result<Admitted> r) { done += r ? 1 : 0; });
    }
  }
  CHECK_EQ(done, 100);
  CHECK_EQ(value(opened(dir.path())->unsettled()).size(), 100);
}

TEST_CASE("only the owner may read the state, whatever the mode was") {
  test::TempDir const dir;
  auto const state = dir.path() / "deep" / "state";
  {
    auto const journal = opened(state);
    REQUIRE(succeeds(admit(*journal, message("m1"))));
    CHECK_EQ(mode_of(state), 0700);
    for (auto const* name : {"state.db", "state.db-wal", "state.db-shm"}) CHECK_EQ(mode_of(state / name), 0600);
  }
  REQUIRE_EQ(::chmod((state / "state.db").c_str(), 0644), 0);
  REQUIRE_EQ(::chmod(state.c_str(), 0755), 0);
  auto const journal = opened(state);
  CHECK_EQ(mode_of(state), 0700);
  CHECK_EQ(mode_of(state / "state.db"), 0600);
}
