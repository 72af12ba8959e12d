#include "logging/git_log.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <git2.h>
#include <thread>

#include "tests/logging/journal_fixture.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb;
using namespace kb::logging;
using test::at_second;
using test::record;
using test::succeeds;
using test::value;

namespace {

constexpr char kMain[] = "refs/heads/main";

config::RepoSettings settings_of(std::filesystem::path const& git, config::QueryLogMode mode) {
  config::RepoSettings settings;
  settings.id = RepoId("nlp", "nlp-team-kb");
  settings.git = git;
  settings.ref = kMain;
  settings.query_log = mode;
  return settings;
}

kbrepo::Mirror mirror_of(config::RepoSettings const& settings) { return value(kbrepo::Mirror::open(settings)); }

/// A clone of `remote` that pushes its log, in a directory of its own.
struct Clone {
  Clone(std::filesystem::path const& dir, std::filesystem::path const& remote, config::QueryLogMode mode)
      : settings(settings_of(dir, mode)) {
    settings.remote = remote.string();
    settings.push_query_log = true;
  }
  config::RepoSettings settings;
};

std::vector<QueryRecord> some_records(std::string const& prefix, int count) {
  std::vector<QueryRecord> records;
  for (int i = 0; i < count; ++i) {
    records.push_back(record(prefix + std::to_string(i)));
    records.back().question = prefix + std::to_string(i) + "?";
  }
  return records;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

struct Seen {
  std::string message, author, email;
  std::size_t parents = 0;
  std::vector<std::string> paths;  ///< root of its tree
};

Seen seen(std::filesystem::path const& git, std::string const& hex) {
  git_repository* repo = nullptr;
  REQUIRE_EQ(git_repository_open(&repo, git.c_str()), 0);
  git_oid id;
  REQUIRE_EQ(git_oid_fromstr(&id, hex.c_str()), 0);
  git_commit* commit = nullptr;
  REQUIRE_EQ(git_commit_lookup(&commit, repo, &id), 0);
  git_tree* tree = nullptr;
  REQUIRE_EQ(git_commit_tree(&tree, commit), 0);
  Seen out{git_commit_message(commit),
           git_commit_author(commit)->name,
           git_commit_author(commit)->email,
           git_commit_parentcount(commit),
           {}};
  for (std::size_t i = 0; i < git_tree_entrycount(tree); ++i) {
    out.paths.emplace_back(git_tree_entry_name(git_tree_entry_byindex(tree, i)));
  }
  git_tree_free(tree);
  git_commit_free(commit);
  git_repository_free(repo);
  return out;
}

}  // namespace

TEST_CASE("in mode branch the log is a branch of its own, made with its heading") {
  test::TempRepo repo;
  std::string const pages = repo.commit({{"a.md", "# A\n"}}, "pages");
  auto const mirror = mirror_of(settings_of(repo.path(), config::QueryLogMode::branch));
  CHECK_EQ(value(read_log(mirror)), "");
  Published const done = value(publish(mirror, std::vector{record("Q1")}, at_second(20)));
  CHECK_EQ(done.lines, 1);
  CHECK_FALSE(done.pushed);
  CHECK_EQ(repo.head(kMain), pages);
  CHECK_EQ(repo.head(kLogRef), done.commit.hex());
  CHECK_EQ(value(read_log(mirror)),
           "# Log\n\n- `2026-01-01 08:00:10` **query** | user=ou_1 scope=team | 上周定了什么？ | "
           "hits=projects/atlas/decisions.md, index.md\n");
  Seen const commit = seen(repo.path(), done.commit.hex());
  CHECK_EQ(commit.message, "paper-kb: log query\n\nRecord: " + record("Q1").record_id + "\n");
  CHECK_EQ(commit.author, "kbgate");
  CHECK_EQ(commit.email, "kbgate@localhost");
  CHECK_EQ(commit.parents, 0);
  CHECK(commit.paths == std::vector<std::string>{"log.md"});
}

TEST_CASE("in mode commit only log.md of the page branch changes") {
  test::TempRepo repo;
  std::string const pages =
      repo.commit({{"a.md", "# A\n"}, {"log.md", "# 操作日志\n- by hand, no line end"}, {"sub/b.md", "# B\n"}});
  auto const mirror = mirror_of(settings_of(repo.path(), config::QueryLogMode::commit));
  Published const done = value(publish(mirror, std::vector{record("Q1"), record("Q2")}, at_second(20)));
  CHECK_EQ(done.lines, 2);
  CHECK_EQ(repo.head(kMain), done.commit.hex());
  CHECK_EQ(repo.head(kLogRef), "");
  CHECK_EQ(*repo.file("log.md"),
           "# 操作日志\n- by hand, no line end\n" + log_line(record("Q1")) + "\n" + log_line(record("Q2")) + "\n");
  CHECK_EQ(*repo.file("a.md"), "# A\n");
  CHECK_EQ(*repo.file("sub/b.md"), "# B\n");
  Seen const commit = seen(repo.path(), done.commit.hex());
  CHECK_EQ(commit.parents, 1);
  CHECK(commit.paths == std::vector<std::string>{"a.md", "log.md", "sub"});
  CHECK_EQ(value(read_log(mirror)), *repo.file("log.md"));
}

TEST_CASE("mode commit makes log.md and even the branch when there is none") {
  test::TempRepo repo;
  auto settings = settings_of(repo.path(), config::QueryLogMode::commit);
  settings.ref = "";  // what HEAD names, though it is not born
  REQUIRE(succeeds(publish(mirror_of(settings), std::vector{record("Q1")}, at_second(20))));
  CHECK_EQ(*repo.file("log.md"), "# Log\n\n" + log_line(record("Q1")) + "\n");
}

TEST_CASE("mode commit needs a branch and a plain file") {
  test::TempRepo repo;
  repo.commit({{"log.md/inside.md", "x"}});
  auto settings = settings_of(repo.path(), config::QueryLogMode::commit);
  auto const folder = publish(mirror_of(settings), std::vector{record("Q1")}, at_second(20));
  REQUIRE_FALSE(folder.has_value());
  CHECK(folder.error().code == Errc::invalid_input);
  repo.set_ref("refs/tags/v1", repo.head());
  settings.ref = "refs/tags/v1";
  auto const tag = publish(mirror_of(settings), std::vector{record("Q1")}, at_second(20));
  REQUIRE_FALSE(tag.has_value());
  CHECK(tag.error().code == Errc::invalid_input);
}

TEST_CASE("mode local writes nothing") {
  test::TempRepo repo;
  std::string const pages = repo.commit({{"a.md", "# A\n"}}, "pages");
  auto const mirror = mirror_of(settings_of(repo.path(), config::QueryLogMode::local));
  CHECK_EQ(value(publish(mirror, std::vector{record("Q1")}, at_second(20))).lines, 0);
  CHECK_EQ(repo.head(kMain), pages);
  CHECK_EQ(repo.head(kLogRef), "");
  CHECK_EQ(value(read_log(mirror)), "");
}

TEST_CASE("publishing a record again adds nothing, in whichever company it comes") {
  for (auto const mode : {config::QueryLogMode::branch, config::QueryLogMode::commit}) {
    test::TempRepo repo;
    repo.commit({{"a.md", "# A\n"}}, "pages");
    auto const mirror = mirror_of(settings_of(repo.path(), mode));
    auto const records = some_records("q", 5);
    auto const first = value(publish(mirror, std::span(records).first(3), at_second(20)));
    CHECK_EQ(value(publish(mirror, std::span(records).first(3), at_second(30))).commit, first.commit);
    repo.commit({{"b.md", "# B\n"}}, "a person's commit on top");
    CHECK_EQ(value(publish(mirror, records, at_second(40))).lines, 2);
    CHECK_EQ(value(publish(mirror, records, at_second(7200))).lines, 0);
    std::vector<QueryRecord> const twice{record("once"), record("once")};
    CHECK_EQ(value(publish(mirror, twice, at_second(7300))).lines, 1);
    CHECK_EQ(count_of(value(read_log(mirror)), "\n- `"), 6);
  }
}

TEST_CASE("a batch is one commit") {
  test::TempRepo repo;
  auto const mirror = mirror_of(settings_of(repo.path(), config::QueryLogMode::branch));
  auto const first = value(publish(mirror, std::vector{record("Q0")}, at_second(20)));
  auto const batch = value(publish(mirror, some_records("q", 200), at_second(21)));
  CHECK_EQ(batch.lines, 200);
  Seen const commit = seen(repo.path(), batch.commit.hex());
  CHECK_EQ(commit.parents, 1);
  CHECK_EQ(count_of(commit.message, "Record: "), 200);
  CHECK_NE(batch.commit, first.commit);
}

TEST_CASE("publishers at once lose no line of each other, from the first commit on") {  // S1-55
  for (auto const mode : {config::QueryLogMode::branch, config::QueryLogMode::commit}) {
    test::TempRepo repo;
    auto const settings = settings_of(repo.path(), mode);
    constexpr int kThreads = 2, kEach = 12;
    std::atomic<int> published{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        auto const mirror = kbrepo::Mirror::open(settings);
        for (int i = 0; mirror && i < kEach; ++i) {
          auto const records = some_records("t" + std::to_string(t) + "-" + std::to_string(i) + "-", 1);
          if (publish(*mirror, records, at_second(20 + i))) ++published;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK_EQ(published, kThreads * kEach);
    std::string const log = value(read_log(mirror_of(settings)));
    for (int t = 0; t < kThreads; ++t) {
      for (int i = 0; i < kEach; ++i) {
        std::string const question = "t" + std::to_string(t) + "-" + std::to_string(i) + "-0?";
        CAPTURE(question);
        CHECK_EQ(count_of(log, question), 1);
      }
    }
  }
}

TEST_CASE("a work tree and its index stay as they are") {
  test::TempDir const dir;
  auto const work = dir.path() / "work";
  git_repository* raw = nullptr;
  kbrepo::Mirror const init = [&] {
    git_libgit2_init();
    REQUIRE_EQ(git_repository_init(&raw, work.c_str(), 0), 0);
    git_repository_free(raw);
    return mirror_of(settings_of(work, config::QueryLogMode::commit));
  }();
  dir.write("work/draft.md", "not committed");
  REQUIRE(succeeds(publish(init, std::vector{record("Q1")}, at_second(20))));
  CHECK_FALSE(std::filesystem::exists(work / "log.md"));
  CHECK_FALSE(std::filesystem::exists(work / ".git" / "index"));
  CHECK(std::filesystem::exists(work / "draft.md"));
}

TEST_CASE("two clones that push lose no line of either side") {  // S1-55
  for (auto const mode : {config::QueryLogMode::branch, config::QueryLogMode::commit}) {
    test::TempRepo remote;
    remote.commit({{"a.md", "# A\n"}}, "pages");
    test::TempDir const dir;
    Clone const one(dir.path() / "one.git", remote.path(), mode);
    Clone const two(dir.path() / "two.git", remote.path(), mode);
    auto const first = mirror_of(one.settings);
    auto const second = mirror_of(two.settings);
    auto const batch = some_records("one", 2);
    CHECK(value(publish(first, batch, at_second(20))).pushed);
    auto const other = value(publish(second, some_records("two", 2), at_second(21)));
    CHECK(other.pushed);
    CHECK_GE(other.retries, mode == config::QueryLogMode::branch ? 1 : 0);
    remote.commit({{"b.md", "# B\n"}}, "a person's commit");
    CHECK(value(publish(first, some_records("three", 1), at_second(22))).pushed);
    CHECK_EQ(value(publish(first, batch, at_second(23))).lines, 0);

    std::string const ref = mode == config::QueryLogMode::branch ? kLogRef : kMain;
    std::string const log = *remote.file("log.md", ref);
    CHECK(log.starts_with("# Log\n\n- `"));
    for (auto const* question : {"one0?", "one1?", "two0?", "two1?", "three0?"}) {
      CAPTURE(question);
      CHECK_EQ(count_of(log, question), 1);
    }
    CHECK_EQ(*remote.file("b.md"), "# B\n");
    CHECK_EQ(value(read_log(first)), log);
  }
}

TEST_CASE("clones that push at once lose no line") {  // S1-55
  test::TempRepo remote;
  remote.commit({{"a.md", "# A\n"}}, "pages");
  test::TempDir const dir;
  constexpr int kThreads = 2, kEach = 5;
  std::atomic<int> published{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::string const name = "clone" + std::to_string(t);
      Clone const clone(dir.path() / name, remote.path(), config::QueryLogMode::commit);
      auto const mirror = kbrepo::Mirror::open(clone.settings);
      for (int i = 0; mirror && i < kEach; ++i) {
        if (publish(*mirror, some_records(name + "-" + std::to_string(i) + "-", 1), at_second(20 + i))) ++published;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(published, kThreads * kEach);
  std::string const log = *remote.file("log.md");
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kEach; ++i) {
      std::string const question = "clone" + std::to_string(t) + "-" + std::to_string(i) + "-0?";
      CAPTURE(question);
      CHECK_EQ(count_of(log, question), 1);
    }
  }
}

TEST_CASE("what could not be pushed goes with the next push") {
  test::TempRepo remote;
  remote.commit({{"a.md", "# A\n"}}, "pages");
  test::TempDir const dir;
  Clone const clone(dir.path() / "clone.git", remote.path(), config::QueryLogMode::branch);
  auto const mirror = mirror_of(clone.settings);
  auto const away = dir.path() / "away";
  std::filesystem::rename(remote.path(), away);
  auto const records = some_records("q", 2);
  auto const failed = publish(mirror, records, at_second(20));
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code == Errc::unavailable);
  std::filesystem::rename(away, remote.path());
  auto const again = value(publish(mirror, records, at_second(30)));
  CHECK_EQ(again.lines, 0);
  CHECK(again.pushed);
  CHECK_EQ(count_of(*remote.file("log.md", kLogRef), "\n- `"), 2);
}

TEST_CASE("a remote log that was rewritten is not written over") {
  test::TempRepo remote;
  remote.commit({{"a.md", "# A\n"}}, "pages");
  test::TempDir const dir;
  Clone const clone(dir.path() / "clone.git", remote.path(), config::QueryLogMode::branch);
  auto const mirror = mirror_of(clone.settings);
  REQUIRE(succeeds(publish(mirror, some_records("old", 1), at_second(20))));
  remote.remove_ref(kLogRef);
  remote.commit(test::files({{"log.md", "# Log\n\n- by hand\n"}}), "rewritten", kLogRef);
  REQUIRE(succeeds(publish(mirror, some_records("new", 1), at_second(30))));
  std::string const log = *remote.file("log.md", kLogRef);
  CHECK(log.starts_with("# Log\n\n- by hand\n"));
  CHECK_EQ(count_of(log, "old0?"), 1);
  CHECK_EQ(count_of(log, "new0?"), 1);
}
