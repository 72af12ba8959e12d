#include "kbrepo/mirror.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <git2.h>
#include <string>

#include "tests/support/temp_repo.hpp"

namespace fs = std::filesystem;
using kb::Errc;
using kb::kbrepo::CommitId;
using kb::kbrepo::Mirror;
using kb::test::TempDir;
using kb::test::TempRepo;

namespace {

kb::config::RepoSettings local(fs::path const& git) {
  kb::config::RepoSettings settings;
  settings.id = kb::RepoId("nlp", "kb");
  settings.git = git;
  return settings;
}

kb::config::RepoSettings cloned(fs::path const& git, std::string const& remote) {
  auto settings = local(git);
  settings.remote = remote;
  return settings;
}

std::string url(TempRepo const& repo) { return "file://" + repo.path().string(); }

bool names(kb::Error const& error, std::string const& part) { return error.what.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a repository opens where it is, bare or not, and says what is wrong otherwise") {
  TempRepo repo;
  auto const empty = Mirror::open_local(local(repo.path()));
  REQUIRE(empty.has_value());
  auto const nothing = empty->head();
  REQUIRE(nothing.has_error());
  CHECK(nothing.error().code == Errc::not_found);
  CHECK(names(nothing.error(), "no commits yet; push one to refs/heads/main"));

  auto const id = repo.commit({{"a.md", "a"}});
  auto const head = empty->head();
  REQUIRE(head.has_value());
  CHECK_EQ(head->hex(), id);

  auto settings = local(repo.path());
  settings.ref = "refs/heads/other";
  auto const missing = Mirror::open_local(settings)->head();
  REQUIRE(missing.has_error());
  CHECK(missing.error().code == Errc::not_found);
  CHECK(names(missing.error(), "nlp/kb"));
  CHECK(names(missing.error(), "it has refs/heads/main"));

  TempDir dir;
  auto const absent = Mirror::open_local(local(dir.path() / "none.git"));
  REQUIRE(absent.has_error());
  CHECK(absent.error().code == Errc::not_found);
  auto const plain = Mirror::open_local(local(dir.path()));
  REQUIRE(plain.has_error());
  CHECK(names(plain.error(), "no git repository"));
}

TEST_CASE("a folder inside a work tree is not taken for its repository") {
  TempDir dir;
  git_repository* raw = nullptr;
  REQUIRE_EQ(git_repository_init(&raw, dir.path().c_str(), 0), 0);
  git_repository_free(raw);
  fs::create_directories(dir.path() / "sub");
  CHECK(Mirror::open_local(local(dir.path())).has_value());
  CHECK(Mirror::open_local(local(dir.path() / "sub")).has_error());
}

TEST_CASE("commits are found by prefix, ref and date") {
  TempRepo repo;  // commits a minute apart from 2026-01-01T00:00:00Z
  auto const first = repo.commit({{"a.md", "1"}});
  auto const second = repo.commit({{"a.md", "2"}});
  repo.set_ref("refs/tags/v1", first);
  auto const mirror = Mirror::open_local(local(repo.path()));
  REQUIRE(mirror.has_value());
  struct Row {
    std::string at;
    std::string want;
    char const* why;
  };
  Row const rows[] = {
      {first, first, "whole id"},
      {second.substr(0, 7), second, "prefix"},
      {"HEAD", second, "HEAD"},
      {"main", second, "branch"},
      {"refs/heads/main", second, "full ref"},
      {"v1", first, "tag"},
      {"2026-01-01", second, "the last of that day"},
      {"2026-01-01T00:00:30Z", first, "between the two"},
      {"2026-01-01 08:00", first, "UTC+8 without a zone"},
      {"2030-06-01", second, "the future"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    auto const got = mirror->resolve(row.at);
    if (!got) FAIL_CHECK(got.error().what);
    if (got) CHECK_EQ(got->hex(), row.want);
  }
  for (char const* const bad : {"2025-12-31", "deadbeef", "nope", "HEAD~1", ":/text", "", "../x"}) {
    CAPTURE(bad);
    auto const got = mirror->resolve(bad);
    REQUIRE(got.has_error());
    CHECK(got.error().code == Errc::not_found);
  }
}

TEST_CASE("a missing repository is cloned bare, by path or URL, and what a kill left is cleared first") {
  TempRepo source;
  auto const id = source.commit({{"a.md", "a"}});
  for (std::string const& remote : {url(source), source.path().string()}) {
    CAPTURE(remote);
    TempDir dir;
    fs::path const git = dir.path() / "deep" / "kb.git";
    fs::create_directories(dir.path() / "deep" / "kb.git.cloning" / "objects");
    auto const mirror = Mirror::open(cloned(git, remote));
    if (!mirror) FAIL(mirror.error().what);
    CHECK_EQ(mirror->head()->hex(), id);
    CHECK_FALSE(fs::exists(dir.path() / "deep" / "kb.git.cloning"));
    CHECK(git_repository_is_bare(mirror->raw()) == 1);
  }
}

TEST_CASE("a clone that fails leaves nothing behind and names the remote without its password") {
  TempDir dir;
  auto const gone = Mirror::open(cloned(dir.path() / "kb.git", "file:///nowhere/kb.git"));
  REQUIRE(gone.has_error());
  CHECK(gone.error().code == Errc::unavailable);
  CHECK(names(gone.error(), "cloning nlp/kb"));
  CHECK(names(gone.error(), "file:///nowhere/kb.git"));
  CHECK(fs::is_empty(dir.path()));

  auto const secret = Mirror::open(cloned(dir.path() / "kb.git", "http://me:hunter2@127.0.0.1:1/kb.git"));
  REQUIRE(secret.has_error());
  CHECK_FALSE(names(secret.error(), "hunter2"));
}

TEST_CASE("a stopped clone is cancelled and leaves nothing behind") {
  TempRepo source;
  source.commit({{"a.md", "a"}});
  TempDir dir;
  std::stop_source stop;
  stop.request_stop();
  auto const mirror = Mirror::open(cloned(dir.path() / "kb.git", url(source)), stop.get_token());
  REQUIRE(mirror.has_error());
  CHECK(mirror.error().code == Errc::cancelled);
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("a fetch follows the remote") {
  TempRepo source;
  auto const first = source.commit({{"a.md", "1"}});
  TempDir dir;
  auto mirror = Mirror::open(cloned(dir.path() / "kb.git", url(source)));
  REQUIRE(mirror.has_value());

  SUBCASE("nothing new") {
    auto const report = mirror->fetch();
    REQUIRE(report.has_value());
    CHECK(report->before == report->after);
    CHECK_FALSE(report->forced);
    CHECK_EQ(report->ref, "refs/heads/main");
  }
  SUBCASE("a new commit") {
    auto const second = source.commit({{"a.md", "2"}});
    auto const report = mirror->fetch();
    REQUIRE(report.has_value());
    CHECK_EQ(report->before->hex(), first);
    CHECK_EQ(report->after->hex(), second);
    CHECK_FALSE(report->forced);
    CHECK_EQ(mirror->head()->hex(), second);
  }
  SUBCASE("a force-push") {
    auto const other = source.commit(kb::test::files({{"b.md", "x"}}), "other", "refs/heads/other");
    source.set_ref("refs/heads/main", other);
    auto const report = mirror->fetch();
    REQUIRE(report.has_value());
    CHECK(report->forced);
    CHECK_EQ(mirror->head()->hex(), other);
  }
  SUBCASE("a renamed default branch") {
    auto const trunk = source.commit(kb::test::files({{"b.md", "x"}}), "trunk", "refs/heads/trunk");
    source.set_head("refs/heads/trunk");
    source.remove_ref("refs/heads/main");
    auto const report = mirror->fetch();
    if (!report) FAIL(report.error().what);
    CHECK_EQ(report->ref, "refs/heads/trunk");
    CHECK_EQ(mirror->head()->hex(), trunk);
  }
  SUBCASE("an emptied remote keeps what we have") {
    source.remove_ref("refs/heads/main");
    auto const report = mirror->fetch();
    REQUIRE(report.has_error());
    CHECK(report.error().code == Errc::not_found);
    CHECK_EQ(mirror->head()->hex(), first);
  }
  SUBCASE("a remote that is gone keeps what we have") {
    fs::rename(source.path(), source.path().string() + ".away");
    auto const report = mirror->fetch();
    REQUIRE(report.has_error());
    CHECK(report.error().code == Errc::unavailable);
    CHECK_EQ(mirror->head()->hex(), first);
  }
  SUBCASE("a stop") {
    std::stop_source stop;
    stop.request_stop();
    auto const report = mirror->fetch(stop.get_token());
    REQUIRE(report.has_error());
    CHECK(report.error().code == Errc::cancelled);
  }
}

TEST_CASE("a ref that the remote lacks is named with those it has") {
  TempRepo source;
  source.commit({{"a.md", "1"}});
  TempDir dir;
  auto settings = cloned(dir.path() / "kb.git", url(source));
  settings.ref = "refs/heads/release";
  auto mirror = Mirror::open(settings);
  REQUIRE(mirror.has_value());  // there, though it has nothing to read yet
  auto const report = mirror->fetch();
  REQUIRE(report.has_error());
  CHECK(report.error().code == Errc::not_found);
  CHECK(names(report.error(), "no refs/heads/release; it has refs/heads/main"));
}

TEST_CASE("an empty remote is cloned, and its first commit fetched later") {
  TempRepo source;
  TempDir dir;
  auto mirror = Mirror::open(cloned(dir.path() / "kb.git", url(source)));
  if (!mirror) FAIL(mirror.error().what);
  CHECK(mirror->head().has_error());
  auto const id = source.commit({{"a.md", "1"}});
  auto const report = mirror->fetch();
  REQUIRE(report.has_value());
  CHECK_FALSE(report->before.has_value());
  CHECK_EQ(mirror->head()->hex(), id);
}

TEST_CASE("a fetch moves no branch of ours: a checked-out repository and our log commits stay as they are") {
  TempRepo source;
  source.commit({{"a.md", "1"}});
  TempDir dir;
  TempRepo ours(dir.path() / "ours.git");
  auto const own = ours.commit({{"mine.md", "x"}});
  auto mirror = Mirror::open(cloned(ours.path(), url(source)));
  REQUIRE(mirror.has_value());
  CHECK_EQ(mirror->head()->hex(), own);  // until the first fetch
  auto const report = mirror->fetch();
  REQUIRE(report.has_value());
  CHECK_EQ(ours.head(), own);
  CHECK_EQ(mirror->head()->hex(), source.head());
}

TEST_CASE("a repository without a remote is fetched by doing nothing") {
  TempRepo repo;
  auto const id = repo.commit({{"a.md", "1"}});
  auto mirror = Mirror::open(local(repo.path()));
  REQUIRE(mirror.has_value());
  auto const report = mirror->fetch();
  REQUIRE(report.has_value());
  CHECK_EQ(report->after->hex(), id);
  CHECK_EQ(report->ref, "refs/heads/main");
}
