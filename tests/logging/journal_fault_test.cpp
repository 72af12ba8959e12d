// What the journal does when the disk, the file, another process or a kill gets in its way.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

namespace {

RepoId const kRepo{"nlp", "nlp-team-kb"};
constexpr char kChild[] = "child of a crash test";
constexpr char kOpeningChild[] = "child of a test of starting";

/// Changes the closed database behind the journal's back.
void edit(std::filesystem::path const& dir, char const* sql) {
  SQLite::Database db((dir / "state.db").string(), SQLite::OPEN_READWRITE);
  db.exec(sql);
}

Error refusal_of(std::filesystem::path const& dir) {
  auto const journal = Journal::open(dir);
  REQUIRE_FALSE(journal.has_value());
  return journal.error();
}

/// Starts one case of this very program on `dir`, armed with `fault`.
pid_t start_child(std::string const& name, std::filesystem::path const& dir, std::string const& fault) {
  std::string self = "/proc/self/exe", only = "--test-case=" + name, skipped = "--no-skip";
  std::string quiet = "--out=/dev/null";
  std::string armed = "KBGATE_FAULT=" + fault, where = "KB_CRASH_DIR=" + dir.string();
  char* const arguments[] = {self.data(), only.data(), skipped.data(), quiet.data(), nullptr};
  char* const environment[] = {armed.data(), where.data(), nullptr};
  pid_t child = 0;
  REQUIRE_EQ(::posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environment), 0);
  return child;
}

/// How a child ended, once it did.
int status_of(pid_t child) {
  int status = 0;
  REQUIRE_EQ(::waitpid(child, &status, 0), child);
  return status;
}

int run_child(std::filesystem::path const& dir, std::string const& fault) {
  return status_of(start_child(kChild, dir, fault));
}

}  // namespace

TEST_CASE("child of a crash test" * doctest::skip()) {
  char const* const dir = std::getenv("KB_CRASH_DIR");
  REQUIRE_NE(dir, nullptr);
  auto const journal = opened(dir);
  for (auto const* id : {"m1", "m2"}) {
    auto const m = message(id);
    auto const admitted = value(admit(*journal, m));
    if (admitted.admission != Admission::settled) {
      REQUIRE(succeeds(settle(*journal, settlement(m, std::string("Q-") + id, "text"))));
    }
    SendingRow const row{inbox_key(m), 0, "card", at_second(8), "om_1", false};
    REQUIRE(succeeds(test::waited<SendingRow>([&](auto done) { journal->begin_sending(row, std::move(done)); })));
    REQUIRE(succeeds(test::waited<void>([&](auto done) { journal->sent(row, std::move(done)); })));
    REQUIRE(succeeds(
        test::waited<void>([&](auto done) { journal->mark_delivered(inbox_key(m), at_second(8), std::move(done)); })));
  }
  for (auto const& pending : value(journal->unpublished(kRepo, 10))) {
    REQUIRE(succeeds(test::waited<void>([&](auto done) { journal->mark_published({pending.row}, std::move(done)); })));
  }
}

TEST_CASE("child of a test of starting" * doctest::skip()) {
  char const* const dir = std::getenv("KB_CRASH_DIR");
  REQUIRE_NE(dir, nullptr);
  CHECK_EQ(value(opened(dir)->records(kRepo, "")).size(), 0);
}

TEST_CASE("a kill at any named place loses nothing that was told and doubles nothing") {
  struct Row {
    std::string_view fault;
    std::size_t unsettled, replies, records, pending;  ///< what stands after the kill
    std::string_view why;
  };
  static constexpr Row rows[] = {
      {"journal.admit.before_commit", 0, 0, 0, 0, "never told: the platform sends it again"},
      {"journal.admit.after_commit", 1, 0, 0, 0, "durable: run again"},
      {"journal.settle.before_commit", 1, 0, 0, 0, "never sent: run again"},
      {"journal.settle.after_commit", 0, 1, 1, 1, "durable with its record: deliver"},
      {"journal.begun.after_commit", 0, 1, 1, 1, "the try is known before it is made"},
      {"journal.sent.before_commit", 0, 1, 1, 1, "arrived but not noted: tried again under the same key"},
      {"journal.delivered.before_commit", 0, 1, 1, 1, "sent but not noted: the idempotency key covers it"},
      {"journal.delivered.after_commit", 0, 0, 1, 1, "noted"},
      {"journal.settle.after_commit:2", 0, 1, 2, 2, "the second message"},
      {"journal.published.before_commit:2", 0, 0, 2, 1, "publishing again is seen by the record's id"},
      {"journal.published.after_commit:2", 0, 0, 2, 0, "all done"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.fault);
    CAPTURE(row.why);
    test::TempDir const dir;
    int const killed = run_child(dir.path(), std::string(row.fault));
    REQUIRE(WIFSIGNALED(killed));
    CHECK_EQ(WTERMSIG(killed), SIGKILL);
    {
      auto const journal = opened(dir.path());
      auto const stats = value(journal->stats());
      CHECK_EQ(stats.inbox_unsettled, row.unsettled);
      CHECK_EQ(stats.replies_pending, row.replies);
      CHECK_EQ(value(journal->records(kRepo, "")).size(), row.records);
      CHECK_EQ(stats.records_pending, row.pending);
      CHECK_EQ(value(journal->verify(kRepo)), "");
    }
    // Everything is asked again, as a platform and a restarted program do: in the end each stands there once.
    int const finished = run_child(dir.path(), "");
    REQUIRE(WIFEXITED(finished));
    REQUIRE_EQ(WEXITSTATUS(finished), 0);
    auto const journal = opened(dir.path());
    auto const stats = value(journal->stats());
    CHECK_EQ(stats.inbox_unsettled + stats.replies_pending + stats.records_pending, 0);
    CHECK_EQ(value(journal->records(kRepo, "")).size(), 2);
    CHECK_EQ(value(journal->verify(kRepo)), "");
  }
}

TEST_CASE("verify names the first record that was tampered with") {
  struct Row {
    char const* sql;
    std::string_view want;  ///< part of the verdict
    std::string_view why;
  };
  static constexpr Row rows[] = {
      {"UPDATE record SET json = json WHERE id = 2", "", "nothing changed"},
      {"UPDATE record SET json = json_set(json, '$.question', 'x') WHERE id = 2", "(row 2): its hash", "a field"},
      {"UPDATE record SET json = json_set(json, '$.prev', '') WHERE id = 2", "(row 2): does not follow", "prev"},
      {"UPDATE record SET json = json_set(json, '$.owner', 'x') WHERE id = 2", "(row 2): belongs to x/", "repository"},
      {"UPDATE record SET record_id = 'other' WHERE id = 2", "(row 2): the id inside", "the key"},
      {"UPDATE record SET json = '{' WHERE id = 2", "(row 2): query record", "no JSON"},
      {"DELETE FROM record WHERE id = 1", "(row 2): does not follow", "the first removed"},
      {"DELETE FROM record WHERE id = 2", "(row 3): does not follow", "one removed from the middle"},
      {"DELETE FROM record WHERE id = 3", "newest records", "the last removed"},
      {"DELETE FROM record", "newest records", "all removed"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    test::TempDir const dir;
    { REQUIRE(succeeds(add_records(*opened(dir.path()), {record("Q1"), record("Q2"), record("Q3")}))); }
    edit(dir.path(), row.sql);
    std::string const verdict = value(opened(dir.path())->verify(kRepo));
    CAPTURE(verdict);
    if (row.want.empty()) {
      CHECK_EQ(verdict, "");
    } else {
      CHECK(verdict.find(row.want) != verdict.npos);
    }
  }
}

TEST_CASE("a file that is no database, or a damaged one, is corrupt and named") {
  test::TempDir const dir;
  dir.write("garbage/state.db", std::string(8192, 'x'));
  auto const garbage = refusal_of(dir.path() / "garbage");
  CHECK(garbage.code == Errc::corrupt);
  CHECK(garbage.what.find("garbage/state.db") != std::string::npos);

  auto const damaged = dir.path() / "damaged";
  {
    auto const journal = opened(damaged);
    for (int i = 0; i < 50; ++i) REQUIRE(succeeds(admit(*journal, message("m" + std::to_string(i)))));
  }
  auto const file = damaged / "state.db";
  auto const size = std::filesystem::file_size(file);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<std::streamoff>(size / 2))
      << std::string(size / 4, 'x');
  CHECK(refusal_of(damaged).code == Errc::corrupt);
}

TEST_CASE("another program's database is refused, and so is a newer schema") {
  test::TempDir const dir;
  std::filesystem::create_directories(dir.path() / "foreign");
  {
    SQLite::Database other((dir.path() / "foreign/state.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE cats(name)");
  }
  CHECK(refusal_of(dir.path() / "foreign").code == Errc::corrupt);

  auto const newer = dir.path() / "newer";
  { REQUIRE(succeeds(admit(*opened(newer), message("m1")))); }
  int const ours = SQLite::Database((newer / "state.db").string()).execAndGet("PRAGMA user_version").getInt();
  edit(newer, "PRAGMA user_version = 99");
  auto const refused = refusal_of(newer);
  CHECK(refused.code == Errc::invalid_input);
  CHECK(refused.what.find("schema 99 is newer") != std::string::npos);
  edit(newer, ("PRAGMA user_version = " + std::to_string(ours)).c_str());
  CHECK_EQ(value(opened(newer)->unsettled()).size(), 1);
}

TEST_CASE("a state directory that cannot be made says so") {
  test::TempDir const dir;
  auto const file = dir.write("file", "");
  CHECK_FALSE(Journal::open(file / "state").has_value());
  CHECK_FALSE(Journal::open(file).has_value());
}

TEST_CASE("while another process holds the database changes fail, then succeed again") {
  test::TempDir const dir;
  auto const journal = opened(dir.path(), {1024, std::chrono::milliseconds(20)});
  REQUIRE(succeeds(admit(*journal, message("m1"))));
  {
    SQLite::Database other((dir.path() / "state.db").string(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    auto const refused = admit(*journal, message("m2"));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == Errc::unavailable);
    other.exec("ROLLBACK");
  }
  CHECK(value(admit(*journal, message("m2"))).admission == Admission::fresh);
  CHECK_EQ(value(journal->unsettled()).size(), 2);
}

TEST_CASE("on a full disk changes fail whole, and succeed once there is room") {
  test::TempDir const dir;
  auto const journal = opened(dir.path());
  REQUIRE(succeeds(admit(*journal, message("m1"))));
  REQUIRE(succeeds(settle(*journal, settlement(message("m1"), "Q1", "text"))));

  // No file of this process may grow beyond this: what a write past the end of the disk is to SQLite.
  struct rlimit old {};
  REQUIRE_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = old;
  small.rlim_cur = static_cast<rlim_t>(std::filesystem::file_size(dir.path() / "state.db-wal"));
  REQUIRE_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto const admitted = admit(*journal, message("m2"));
  auto const settled = settle(*journal, settlement(message("m3"), "Q3", std::string(100'000, 'x')));
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);

  REQUIRE_FALSE(admitted.has_value());
  CHECK(admitted.error().code == Errc::unavailable);
  CHECK_FALSE(settled.has_value());
  CHECK(value(journal->unsettled()).empty());
  CHECK_FALSE(value(journal->reply_of("Q3")).has_value());
  CHECK(value(admit(*journal, message("m2"))).admission == Admission::fresh);
  REQUIRE(succeeds(settle(*journal, settlement(message("m3"), "Q3", "text"))));
  CHECK_EQ(value(journal->records(kRepo, "")).size(), 2);
  CHECK_EQ(value(journal->verify(kRepo)), "");
}

TEST_CASE("programs that start at once on a new state directory all open it") {
  constexpr int kRounds = 10, kPrograms = 4;
  test::TempDir const dir;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> programs;
    for (int i = 0; i < kPrograms; ++i) {
      programs.push_back(start_child(kOpeningChild, dir.path() / std::to_string(round), ""));
    }
    for (pid_t const program : programs) CHECK_EQ(status_of(program), 0);
  }
}

TEST_CASE("two programs on one state directory keep one chain") {
  test::TempDir const dir;
  auto const daemon = opened(dir.path());
  auto const verb = opened(dir.path());
  for (int i = 0; i < 5; ++i) {
    REQUIRE(succeeds(add_records(*daemon, {record("D" + std::to_string(i))})));
    REQUIRE(succeeds(add_records(*verb, {record("V" + std::to_string(i))})));
  }
  CHECK_EQ(value(daemon->records(kRepo, "")).size(), 10);
  CHECK_EQ(value(verb->verify(kRepo)), "");
}
