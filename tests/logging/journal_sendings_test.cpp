// What a pushed reply leaves behind on its way, and what older journals become.
#include <SQLiteCpp/Database.h>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>

#include "tests/logging/journal_fixture.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb;
using namespace kb::logging;
using test::admit;
using test::at_second;
using test::message;
using test::opened;
using test::settle;
using test::settlement;
using test::succeeds;
using test::value;
using test::waited;

namespace {

std::string const kKey = inbox_key(message("m1"));

SendingRow part(int number, std::string form, TimePoint at, std::string platform_id = {}) {
  return {kKey, number, std::move(form), at, std::move(platform_id), false};
}

Result<SendingRow> begin(Journal& journal, SendingRow row) {
  return waited<SendingRow>([&](auto done) { journal.begin_sending(std::move(row), std::move(done)); });
}
Result<void> sent(Journal& journal, SendingRow row) {
  return waited<void>([&](auto done) { journal.sent(std::move(row), std::move(done)); });
}
Result<void> refused(Journal& journal, SendingRow row) {
  return waited<void>([&](auto done) { journal.refused(std::move(row), std::move(done)); });
}
Result<void> give_up(Journal& journal, std::string key, std::string reason, TimePoint now) {
  return waited<void>([&](auto done) { journal.give_up(std::move(key), std::move(reason), now, std::move(done)); });
}
Result<std::string> claim(Journal& journal, std::string key, std::string held, TimePoint now = at_second(1)) {
  return waited<std::string>([&](auto done) { journal.claim(std::move(key), std::move(held), now, std::move(done)); });
}
Result<std::size_t> expire(Journal& journal, TimePoint now, std::chrono::hours keep) {
  return waited<std::size_t>([&](auto done) { journal.expire(now, keep, std::move(done)); });
}

std::unique_ptr<Journal> with_reply(std::filesystem::path const& dir) {
  auto journal = opened(dir);
  REQUIRE(succeeds(admit(*journal, message("m1"))));
  REQUIRE(succeeds(settle(*journal, settlement(message("m1"), "Q1", "text"))));
  return journal;
}

/// "part form second platform_id[!]" of each, the mark for refused.
std::string shown(std::vector<SendingRow> const& rows) {
  std::string out;
  for (SendingRow const& row : rows) {
    CHECK_EQ(row.key, kKey);
    auto const second = std::chrono::duration_cast<std::chrono::seconds>(row.first_try - at_second(0)).count();
    out += std::to_string(row.part) + ' ' + row.form + ' ' + std::to_string(second) + ' ' + row.platform_id +
           (row.refused ? "!" : "") + '\n';
  }
  return out;
}

/// A journal as the first release left it: one message answered and delivered, one answered, one waiting.
void make_schema_1(std::filesystem::path const& dir) {
  std::ifstream file(KB_SOURCE_DIR "/tests/logging/schema_1.sql");
  std::string const schema((std::istreambuf_iterator<char>(file)), {});
  REQUIRE_FALSE(schema.empty());
  SQLite::Database db((dir / "state.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db.exec(schema);
  for (std::string const id : {"m1", "m2", "m3"}) {
    bool const waits = id == "m3";
    db.exec(
        "INSERT INTO inbox(key, conversation, adapter, account, sender, is_group, chat, chat_name, thread, message_id,"
        " text, mentioned, sent_at, admitted_at, settled_at) VALUES('" +
        inbox_key(message(id)) + "', 'c', 'bridge', 'main', 'ou_1', 1, 'oc_1', 'NLP', 't1', '" + id +
        "', 'question', 1, 1767225605000000, 1767225606000000, " + (waits ? "NULL" : "1767225607000000") + ")");
    if (waits) continue;
    bool const delivered = id == "m1";
    db.exec(
        "INSERT INTO reply(key, conversation, query_id, outcome, text, sources, settled_at, state, delivered_at)"
        " VALUES('" +
        inbox_key(message(id)) + "', 'c', 'Q-" + id + "', 'answered', 'answer', '[]', 1767225607000000, " +
        (delivered ? "1, 1767225608000000)" : "0, NULL)"));
  }
}

}  // namespace

TEST_CASE("a journal of the first release keeps its rows and takes the new ones") {
  test::TempDir const dir;
  make_schema_1(dir.path());
  auto const journal = opened(dir.path());
  auto const waiting = value(journal->unsettled());
  REQUIRE_EQ(waiting.size(), 1);
  CHECK_EQ(waiting[0].message.message_id, "m3");
  CHECK_FALSE(waiting[0].message.external);
  auto const pending = value(journal->undelivered());
  REQUIRE_EQ(pending.size(), 1);
  CHECK_EQ(pending[0].reply.text, "answer");
  CHECK_EQ(pending[0].reply.details_json, "");
  CHECK_FALSE(pending[0].message.external);
  CHECK(pending[0].message.sent_at == at_second(5));
  Admitted const again = value(admit(*journal, message("m1")));
  CHECK(again.admission == Admission::settled);
  CHECK(again.reply->state == ReplyState::delivered);

  SendingRow row{inbox_key(message("m2")), 0, "card", at_second(20), "om_1", false};
  CHECK(succeeds(begin(*journal, row)));
  CHECK(succeeds(sent(*journal, row)));
  REQUIRE(succeeds(settle(*journal, settlement(message("m3"), "Q-m3", "text"))));
  CHECK_EQ(value(journal->reply_of("Q-m3"))->details_json, R"({"confidence":"high"})");
  CHECK_EQ(value(claim(*journal, "k", "v")), "v");
}

TEST_CASE("a try keeps its first time until it is refused or arrives, over reopening") {
  test::TempDir const dir;
  {
    auto const journal = with_reply(dir.path());
    CHECK(value(begin(*journal, part(0, "card", at_second(10)))).first_try == at_second(10));
    CHECK(value(begin(*journal, part(0, "card", at_second(50)))).first_try == at_second(10));
    CHECK(succeeds(refused(*journal, part(0, "card", at_second(50)))));
    CHECK(succeeds(begin(*journal, part(0, "post", at_second(60)))));
    CHECK(succeeds(sent(*journal, part(0, "post", at_second(60), "om_1"))));
    CHECK(succeeds(begin(*journal, part(1, "post", at_second(61)))));
  }
  auto const journal = opened(dir.path());
  CHECK_EQ(shown(value(journal->sendings(kKey))), "0 card 10 !\n0 post 60 om_1\n1 post 61 \n");
  CHECK_EQ(shown(value(journal->sendings("other"))), "");
  SendingRow const again = value(begin(*journal, part(0, "post", at_second(99))));
  CHECK_EQ(again.platform_id, "om_1");
  CHECK(again.first_try == at_second(60));
  SendingRow const anew = value(begin(*journal, part(0, "card", at_second(99))));
  CHECK(anew.first_try == at_second(99));
  CHECK_EQ(shown(value(journal->sendings(kKey))), "0 post 60 om_1\n0 card 99 \n1 post 61 \n");
}

TEST_CASE("what was never settled or begun cannot be sent") {
  test::TempDir const dir;
  auto const journal = with_reply(dir.path());
  SendingRow foreign = part(0, "card", at_second(10));
  foreign.key = "other";
  Result<SendingRow> const nobodys = begin(*journal, foreign);
  REQUIRE_FALSE(nobodys.has_value());
  CHECK(nobodys.error().code == Errc::not_found);
  for (auto const& ended : {sent(*journal, part(3, "card", {}, "om_1")), refused(*journal, part(3, "card", {}))}) {
    REQUIRE_FALSE(ended.has_value());
    CHECK(ended.error().code == Errc::not_found);
  }
}

TEST_CASE("a reply is given up once, with the first reason, the newest shown first") {
  test::TempDir const dir;
  auto const journal = with_reply(dir.path());
  REQUIRE(succeeds(settle(*journal, settlement(message("m2"), "Q2", "text"))));
  CHECK(value(journal->given_up(10)).empty());
  REQUIRE(succeeds(give_up(*journal, kKey, "recalled", at_second(20))));
  REQUIRE(succeeds(give_up(*journal, kKey, "again", at_second(21))));
  REQUIRE(succeeds(give_up(*journal, inbox_key(message("m2")), "the group is gone", at_second(30))));
  auto const gone = value(journal->given_up(10));
  REQUIRE_EQ(gone.size(), 2);
  CHECK_EQ(gone[0].query_id, "Q2");
  CHECK_EQ(gone[1].reason, "recalled");
  CHECK(gone[1].at == at_second(20));
  CHECK_EQ(value(journal->given_up(1)).size(), 1);
  CHECK(value(journal->undelivered()).empty());
}

TEST_CASE("undelivered replies can be asked for by adapter") {
  test::TempDir const dir;
  auto const journal = with_reply(dir.path());
  auto pushed = message("m2");
  pushed.principal.adapter = "feishu";
  pushed.external = false;
  REQUIRE(succeeds(admit(*journal, pushed)));
  REQUIRE(succeeds(settle(*journal, settlement(pushed, "Q2", "text"))));
  CHECK_EQ(value(journal->undelivered()).size(), 2);
  auto const theirs = value(journal->undelivered("feishu"));
  REQUIRE_EQ(theirs.size(), 1);
  CHECK_EQ(theirs[0].message.message_id, "m2");
  CHECK_FALSE(theirs[0].message.external);
  CHECK(value(journal->undelivered("openclaw")).empty());
}

TEST_CASE("the first value of a claim holds it, over reopening") {
  test::TempDir const dir;
  {
    auto const journal = opened(dir.path());
    CHECK_EQ(value(journal->holder("event 1")), "");
    CHECK_EQ(value(claim(*journal, "event 1", "om_1")), "om_1");
    CHECK_EQ(value(claim(*journal, "event 1", "om_2")), "om_1");
  }
  auto const journal = opened(dir.path());
  CHECK_EQ(value(journal->holder("event 1")), "om_1");
  CHECK_EQ(value(claim(*journal, "event 1", "om_3")), "om_1");
  CHECK_EQ(value(claim(*journal, "event 2", "om_2")), "om_2");
  struct Row {
    char const *key, *held, *why;
  };
  static constexpr Row rows[] = {{"", "v", "no key"}, {"k", "", "an empty value reads as nobody"}};
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Result<std::string> const none = claim(*journal, row.key, row.held);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == Errc::invalid_input);
  }
}

TEST_CASE("expiry takes the sendings with their reply, and claims after a week at the earliest") {
  test::TempDir const dir;
  auto const journal = with_reply(dir.path());
  REQUIRE(succeeds(begin(*journal, part(0, "card", at_second(10)))));
  REQUIRE(succeeds(claim(*journal, "old", "v", at_second(0))));
  constexpr std::chrono::hours kDay{24};
  CHECK_EQ(value(expire(*journal, at_second(60) + 2 * kDay, kDay)), 1);
  CHECK(value(journal->sendings(kKey)).empty());
  CHECK_EQ(value(journal->holder("old")), "v");
  for (int i = 0; i < 1100; ++i) {  // more than two lots; waited for by the change after them
    journal->claim("k" + std::to_string(i), "v", at_second(0), {});
    if (i % 500 == 0) REQUIRE(succeeds(claim(*journal, "young", "v", at_second(60) + kDay)));
  }
  CHECK_EQ(value(expire(*journal, at_second(60) + 7 * kDay, kDay)), 0);
  CHECK_EQ(value(journal->holder("old")), "");
  CHECK_EQ(value(journal->holder("k1099")), "");
  CHECK_EQ(value(journal->holder("young")), "v");
  CHECK_EQ(value(expire(*journal, at_second(61) + 8 * kDay, 9 * kDay)), 0);
  CHECK_EQ(value(journal->holder("young")), "v");  // kept as long as replies are
}
