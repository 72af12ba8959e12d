#include "kbrepo/directory.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <sys/stat.h>

#include "kbrepo/mirror.hpp"
#include "kbrepo/snapshot.hpp"
#include "tests/support/temp_repo.hpp"

namespace fs = std::filesystem;
using kb::Errc;
using kb::kbrepo::CommitId;
using kb::kbrepo::FetchReport;
using kb::kbrepo::Mirror;
using kb::kbrepo::Snapshot;
using kb::kbrepo::SnapshotPtr;
using kb::test::TempDir;

namespace {

/// A plain directory and the private repository of its snapshots.
struct Bench {
  TempDir dir, state;
  kb::config::RepoSettings settings;
  kb::scope::ReadGrant grant = kb::scope::operator_grant(kb::RepoId("local", "docs"), kb::scope::Label::team);

  Bench() {
    settings.id = kb::RepoId("local", "docs");
    settings.dir = dir.path();
    settings.git = state.path() / "docs.git";
  }
  /// What a look at the directory gives: opened, and looked at again.
  kb::Result<FetchReport> look() const {
    auto mirror = Mirror::open(settings);
    if (!mirror) return mirror.error();
    return mirror->fetch();
  }
  CommitId take() const {
    auto const report = look();
    if (!report) FAIL(report.error().what);
    return *report->after;
  }
  std::string paths() const {
    auto const built = Snapshot::build(settings, take(), nullptr, {});
    if (!built) FAIL(built.error().what);
    std::string out;
    for (auto const& page : (*built)->pages(grant)) out += page.path + "|";
    return out;
  }
  std::string text(std::string const& path) const {
    auto const built = Snapshot::build(settings, take(), nullptr, {});
    auto const page = (*built)->read(grant, path);
    return page ? (*page)->text : page.error().what;
  }
};

}  // namespace

TEST_CASE("a plain directory is served from commits of its own, and only a change makes a new one") {
  Bench b;
  b.dir.write("a.md", "# A\n\none\n");
  b.dir.write("sub/b.md", "# B\n\ntwo\n");
  b.dir.write("sub/x.txt", "no page");
  CommitId const first = b.take();
  CHECK_EQ(b.paths(), "a.md|sub/b.md|");
  CHECK_EQ(b.take().hex(), first.hex());

  b.dir.write("a.md", "# A\n\nONE\n");  // same size, same moment
  CommitId const second = b.take();
  CHECK_NE(second.hex(), first.hex());
  CHECK_EQ(b.text("a.md"), "# A\n\nONE\n");
  fs::remove(b.dir.path() / "sub/b.md");
  CHECK_EQ(b.paths(), "a.md|");

  auto const then = Mirror::open(b.settings)->resolve(first.hex());
  REQUIRE(then.has_value());
  auto const old = Snapshot::build(b.settings, *then, nullptr, {});
  CHECK_EQ((*(*old)->read(b.grant, "a.md"))->text, "# A\n\none\n");
}

TEST_CASE("include and exclude decide, and the .json files of a knowledge base come along") {
  Bench b;
  b.dir.write("a.md", "a");
  b.dir.write("a.txt", "a");
  b.dir.write("skip/b.md", "b");
  b.dir.write("catalog.json", R"({"documents":[{"title":"A","file":"a.md"}]})");
  b.dir.write(".git/config.md", "never");
  b.settings.include = {"**/*.{md,txt}"};
  b.settings.exclude = {"skip/**"};
  CHECK_EQ(b.paths(), "a.md|a.txt|");
  auto const built = Snapshot::build(b.settings, b.take(), nullptr, {});
  CHECK((*built)->catalog(b.grant).present);
  b.settings.exclude = {"**/*.json"};
  auto const without = Snapshot::build(b.settings, b.take(), nullptr, {});
  CHECK_FALSE((*without)->catalog(b.grant).present);
}

TEST_CASE("links lead to files of the directory or nowhere") {
  Bench b;
  TempDir outside;
  outside.write("secret.md", "secret");
  outside.write("deep/secret.md", "secret");
  b.dir.write("a.md", "inside");
  fs::create_symlink("a.md", b.dir.path() / "inside.md");
  fs::create_symlink(outside.path() / "secret.md", b.dir.path() / "absolute.md");
  fs::create_symlink("../" + outside.path().filename().string() + "/secret.md", b.dir.path() / "relative.md");
  fs::create_directory_symlink(outside.path() / "deep", b.dir.path() / "folder");
  CHECK_EQ(b.paths(), "a.md|inside.md|");
  CHECK_EQ(b.text("inside.md"), "inside");
}

TEST_CASE("a pipe, a name git refuses and an empty directory are no fault") {
  Bench b;
  CHECK_EQ(b.paths(), "");
  REQUIRE_EQ(::mkfifo((b.dir.path() / "pipe.md").c_str(), 0600), 0);
  b.dir.write(".GIT/a.md", "a");
  b.dir.write("b.md", "b");
  CHECK_EQ(b.paths(), "b.md|");
}

TEST_CASE("a fault names the file and leaves the last good commit to serve") {
  Bench b;
  b.dir.write("a.md", "good");
  std::string const good = b.take().hex();
  fs::path const moved = b.dir.path().string() + ".away";
  fs::rename(b.dir.path(), moved);
  auto const gone = b.look();
  REQUIRE(gone.has_error());
  CHECK(gone.error().code == Errc::unavailable);
  CHECK(gone.error().what.find(b.dir.path().string()) != std::string::npos);
  CHECK_EQ(Mirror::open(b.settings)->head()->hex(), good);
  fs::rename(moved, b.dir.path());
  CHECK_EQ(b.take().hex(), good);

  fs::path deep = b.dir.path();
  for (int i = 0; i < 70; ++i) deep /= "d";
  fs::create_directories(deep);
  auto const endless = b.look();
  REQUIRE(endless.has_error());
  CHECK(endless.error().what.find("64 folders deep") != std::string::npos);
  CHECK_EQ(Mirror::open(b.settings)->head()->hex(), good);

  TempDir none;
  b.settings.git = b.state.path() / "other.git";
  b.settings.dir = none.path() / "absent";
  auto const never = Mirror::open(b.settings);
  REQUIRE(never.has_error());
  CHECK(never.error().code == Errc::unavailable);
}

TEST_CASE("a file that looks as last time is not read again, and a broken memory of looks costs a reading only") {
  Bench b;
  b.dir.write("a.md", "a");
  b.dir.write("b.md", "b");
  std::string const first = b.take().hex();
  auto const mirror = Mirror::open(b.settings);
  auto const read_at = [&](std::chrono::seconds later) {
    auto const capture = kb::kbrepo::capture_directory(mirror->raw(), b.settings, kb::SystemClock().now() + later, {});
    REQUIRE(capture.has_value());
    CHECK_EQ(capture->files, 2);
    CHECK_FALSE(capture->changed);
    return capture->read;
  };
  CHECK_EQ(read_at(std::chrono::seconds(0)), 2);  // just written: they could change again without looking different
  CHECK_EQ(read_at(std::chrono::seconds(60)), 2);
  CHECK_EQ(read_at(std::chrono::seconds(60)), 0);
  b.dir.write("b.md", "c");
  fs::remove(b.dir.path() / "b.md");
  b.dir.write("b.md", "b");
  CHECK_EQ(read_at(std::chrono::seconds(60)), 1);
  std::ofstream(b.settings.git / "kbgate-directory.index") << "not an index";
  CHECK_EQ(b.take().hex(), first);
}

TEST_CASE("whatever happens to a directory, its newest commit holds what it holds") {
  Bench b;
  std::mt19937 random(20261130);
  auto const pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::map<std::string, std::string> files;
  for (int round = 0; round < 60; ++round) {
    for (unsigned change = pick(4); change > 0; --change) {
      std::string const name = std::string(1, static_cast<char>('a' + pick(3))) + "/" + std::to_string(pick(6)) + ".md";
      if (pick(3) == 0) {
        fs::remove(b.dir.path() / name);
        files.erase(name);
      } else {
        files[name] = "text " + std::to_string(pick(10));
        b.dir.write(name, files[name]);
      }
    }
    std::string want;
    for (auto const& [name, text] : files) want += name + "|";
    CAPTURE(round);
    REQUIRE_EQ(b.paths(), want);
    for (auto const& [name, text] : files) REQUIRE_EQ(b.text(name), text);
  }
}
