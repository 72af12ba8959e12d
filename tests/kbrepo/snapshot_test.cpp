#include "kbrepo/snapshot.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

#include "kbrepo/shelf.hpp"
#include "kbrepo/tree_listing.hpp"
#include "tests/support/temp_repo.hpp"

namespace fs = std::filesystem;
using kb::Errc;
using kb::kbrepo::CommitId;
using kb::kbrepo::Snapshot;
using kb::kbrepo::SnapshotOptions;
using kb::kbrepo::SnapshotPtr;
using kb::test::Changes;
using kb::test::FileChange;
using kb::test::TempDir;
using kb::test::TempRepo;

namespace {

kb::config::RepoSettings settings_of(TempRepo const& repo) {
  kb::config::RepoSettings settings;
  settings.id = kb::RepoId("nlp", "知识库");
  settings.git = repo.path();
  return settings;
}

/// A repository, its snapshots and the right to read them.
struct Bench {
  TempRepo repo;
  kb::config::RepoSettings settings = settings_of(repo);
  kb::scope::ReadGrant grant = kb::scope::operator_grant(settings.id, kb::scope::Label::team);
  SnapshotOptions options;

  kb::Result<SnapshotPtr> build(std::string const& commit, SnapshotPtr const& previous = nullptr) const {
    return Snapshot::build(settings, *CommitId::parse(commit), previous, options);
  }
  SnapshotPtr take(std::string const& commit, SnapshotPtr const& previous = nullptr) const {
    auto built = build(commit, previous);
    if (!built) FAIL(built.error().what);
    return *built;
  }
  std::string paths(SnapshotPtr const& snapshot) const {
    std::string out;
    for (auto const& page : snapshot->pages(grant)) out += page.path + "|";
    return out;
  }
  std::string text(SnapshotPtr const& snapshot, std::string const& path) const {
    auto const page = snapshot->read(grant, path);
    return page ? (*page)->text : page.error().what;
  }
};

bool has_note(SnapshotPtr const& snapshot, std::string const& part) {
  auto const& notes = snapshot->stats().notes;
  return std::any_of(notes.begin(), notes.end(), [&](auto const& note) { return note.find(part) != note.npos; });
}

fs::path loose_object(fs::path const& git, std::string const& hex) {
  return git / "objects" / hex.substr(0, 2) / hex.substr(2);
}

void truncate(fs::path const& file) {
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  fs::resize_file(file, fs::file_size(file) / 2);
}

}  // namespace

TEST_CASE("a snapshot serves the pages of its commit, also after later ones") {
  Bench b;
  auto const first = b.repo.commit({{"a.md", "# A\none\n"}, {"b/c.md", "two"}, {"x.txt", "no page"}});
  auto const one = b.take(first);
  auto const second = b.repo.commit({{"a.md", "# A\nchanged\n"}});
  auto const two = b.take(second, one);
  CHECK_EQ(b.paths(one), "a.md|b/c.md|");
  CHECK_EQ(b.text(one, "a.md"), "# A\none\n");
  CHECK_EQ(b.text(two, "a.md"), "# A\nchanged\n");
  CHECK_EQ(one->commit().hex(), first);
  REQUIRE(one->find(b.grant, "a.md") != nullptr);
  CHECK_EQ(one->find(b.grant, "a.md")->title, "A");
  CHECK(one->find(b.grant, "none.md") == nullptr);
  CHECK_EQ(b.text(one, "none.md"), "页面不存在：none.md");  // ACCEPTANCE 1.2
}

TEST_CASE("only blobs that are new are analysed") {
  Bench b;
  auto const one = b.take(b.repo.commit({{"a.md", "a"}, {"b.md", "b"}, {"c.md", "c"}}));
  CHECK_EQ(one->stats().analysed, 3u);
  CHECK_EQ(one->stats().pages, 3u);
  CHECK_EQ(one->stats().passages, 3u);
  auto const two = b.take(b.repo.commit(Changes{{"a.md", {"a2"}}, {"b.md", {std::nullopt}}, {"d.md", {"d"}}}), one);
  CHECK_EQ(two->stats().analysed, 2u);
  CHECK_EQ(b.paths(two), "a.md|c.md|d.md|");
  CHECK_EQ(two->index(b.grant).stats().documents, 3u);
  auto const same = b.take(two->commit().hex(), two);
  CHECK_EQ(same->stats().analysed, 0u);
}

TEST_CASE("an index built step by step finds what a fresh one finds") {
  Bench b;
  SnapshotPtr step;
  for (int i = 0; i < 12; ++i) {
    auto const text = "page " + std::to_string(i) + " speaks of apples";
    step = b.take(b.repo.commit({{"p" + std::to_string(i % 7) + ".md", text}}), step);
  }
  auto const fresh = b.take(step->commit().hex());
  auto const query = kb::kbrepo::index::query_terms("apples page");
  auto const a = step->index(b.grant).search(query, {});
  auto const c = fresh->index(b.grant).search(query, {});
  REQUIRE_EQ(a.size(), 7u);
  REQUIRE_EQ(c.size(), 7u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK_EQ(a[i].doc, c[i].doc);
    CHECK_EQ(a[i].score, c[i].score);
  }
}

TEST_CASE("a stored index is taken up again without reading a page; a damaged one is made anew") {
  Bench b;
  TempDir state;
  b.options.index_file = state.path() / "index" / "nlp" / "kb.idx";
  auto const id = b.repo.commit({{"a.md", "---\ntitle: T\naliases: [x]\nstale: true\n---\nalpha"}, {"b.md", "beta"}});
  CHECK_EQ(b.take(id)->stats().analysed, 2u);

  auto const again = b.take(id);
  CHECK_EQ(again->stats().analysed, 0u);
  CHECK_EQ(again->find(b.grant, "a.md")->title, "T");
  CHECK_EQ(again->find(b.grant, "a.md")->aliases.size(), 1u);
  CHECK(again->find(b.grant, "a.md")->stale);
  CHECK_EQ(again->index(b.grant).search(kb::kbrepo::index::query_terms("alpha"), {}).size(), 1u);
  CHECK(again->last_change(b.grant, "a.md").has_value());
  CHECK_EQ(again->stats().passages, 2u);

  fs::path pages = b.options.index_file;
  pages += ".pages";
  for (fs::path const& file : {pages, b.options.index_file}) {
    CAPTURE(file);
    truncate(file);
    CHECK_EQ(b.take(id)->stats().analysed, 2u);
    CHECK_EQ(b.take(id)->stats().analysed, 0u);  // written back whole
  }
  fs::remove(pages);
  CHECK_EQ(b.take(id)->stats().analysed, 2u);
}

TEST_CASE("files of two different commits on disk do not confuse a start") {
  Bench b;
  TempDir state;
  b.options.index_file = state.path() / "kb.idx";
  auto const first = b.repo.commit({{"a.md", "one"}});
  b.take(first);
  fs::path const pages = b.options.index_file.string() + ".pages";
  fs::copy_file(b.options.index_file, state.path() / "old.idx");
  auto const second = b.repo.commit({{"a.md", "two"}, {"b.md", "three"}});
  b.take(second);
  fs::copy_file(state.path() / "old.idx", b.options.index_file, fs::copy_options::overwrite_existing);
  auto const snapshot = b.take(second);  // the table knows pages the old index does not hold
  CHECK_EQ(snapshot->stats().analysed, 2u);
  CHECK_EQ(snapshot->index(b.grant).search(kb::kbrepo::index::query_terms("three"), {}).size(), 1u);
}

TEST_CASE("a look at an old commit does not replace the stored index") {
  Bench b;
  TempDir state;
  kb::config::Settings all;
  all.state_dir = state.path();
  auto const first = b.repo.commit({{"a.md", "one"}});
  b.repo.commit({{"a.md", "two"}, {"b.md", "b"}});
  REQUIRE(kb::kbrepo::open_snapshot(all, b.settings).has_value());
  auto const old = kb::kbrepo::open_snapshot(all, b.settings, first);
  REQUIRE(old.has_value());
  CHECK_EQ(b.text(*old, "a.md"), "one");
  auto const now = kb::kbrepo::open_snapshot(all, b.settings);
  REQUIRE(now.has_value());
  CHECK_EQ((*now)->stats().analysed, 0u);
  CHECK_EQ(kb::kbrepo::index_file(all, kb::RepoId("a/b", ".c")), state.path() / "index" / "a%2Fb" / "%2Ec.idx");
}

TEST_CASE("any path git can hold is served") {
  Bench b;
  std::string const deep = std::string(120, 'd') + "/" + std::string(120, 'e') + ".md";
  std::vector<std::string> const paths{"with space.md",  "中文/页面 一.md", "😀.md",
                                       "quote'\".md",    "a%20b.md",        deep,
                                       "back\\slash.md", "tab\there.md",    "new\nline.md"};
  Changes changes;
  for (auto const& path : paths) changes[path] = FileChange{"text of " + path};
  auto const snapshot = b.take(b.repo.commit(changes));
  for (auto const& path : paths) {
    CAPTURE(path);
    CHECK_EQ(b.text(snapshot, path), "text of " + path);
    CHECK(snapshot->last_change(b.grant, path).has_value());
  }
}

TEST_CASE("symlinks are followed inside the tree only; submodules are skipped") {
  Bench b;
  constexpr std::uint32_t kLink = 0120000;
  auto const snapshot = b.take(b.repo.commit(Changes{{"docs/real.md", {"real"}},
                                                     {"link.md", {"docs/real.md", kLink}},
                                                     {"docs/up.md", {"../link.md", kLink}},
                                                     {"loop-a.md", {"loop-b.md", kLink}},
                                                     {"loop-b.md", {"loop-a.md", kLink}},
                                                     {"passwd.md", {"/etc/passwd", kLink}},
                                                     {"out.md", {"../../etc/passwd", kLink}},
                                                     {"nothing.md", {"gone.md", kLink}},
                                                     {"folder", {"docs", kLink}},
                                                     {"sub", {std::string(40, 'a'), 0160000}}}));
  CHECK_EQ(b.paths(snapshot), "docs/real.md|docs/up.md|link.md|");
  CHECK_EQ(b.text(snapshot, "docs/up.md"), "real");
  CHECK_EQ(snapshot->stats().skipped_links, 7u);
  CHECK(has_note(snapshot, "passwd.md: a link out of the repository"));
  CHECK(has_note(snapshot, "loop-a.md: a link that leads through too many links"));
  CHECK(has_note(snapshot, "sub: a submodule"));
}

TEST_CASE("link targets are resolved against the link's folder") {
  struct Row {
    char const* path;
    char const* target;
    char const* want;  ///< nullptr: leaves the tree
  };
  static constexpr Row rows[] = {
      {"a/b.md", "c.md", "a/c.md"},    {"a/b.md", "../c.md", "c.md"},      {"a/b.md", "../../c.md", nullptr},
      {"b.md", "./x//y.md", "x/y.md"}, {"b.md", "/abs", nullptr},          {"b.md", "", nullptr},
      {"b.md", "x/..", nullptr},       {"a/b.md", "../a/../d.md", "d.md"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.target);
    auto const got = kb::kbrepo::link_target(row.path, row.target);
    CHECK_EQ(got.value_or("(out)"), row.want == nullptr ? "(out)" : row.want);
  }
}

TEST_CASE("binary and oversized files are skipped, counted, named, and not read again") {
  Bench b;
  b.options.max_page_bytes = 1000;
  auto const id =
      b.repo.commit({{"a.md", "text"}, {"bin.md", std::string("a\0b", 3)}, {"big.md", std::string(1001, 'x')}});
  auto const one = b.take(id);
  CHECK_EQ(b.paths(one), "a.md|");
  CHECK_EQ(one->stats().skipped_binary, 1u);
  CHECK_EQ(one->stats().skipped_large, 1u);
  CHECK(has_note(one, "big.md: 1001 bytes"));
  CHECK(has_note(one, "bin.md: binary"));
  b.options.max_page_bytes = 2000;
  auto const two = b.take(id, one);
  CHECK_EQ(b.paths(two), "a.md|big.md|");
  CHECK_EQ(two->stats().analysed, 1u);
}

TEST_CASE("a page that does not parse costs its metadata; one in GB18030 is read; both are noted") {
  Bench b;
  auto const snapshot = b.take(b.repo.commit(
      {{"bad.md", "---\ntitle: a: b\n---\nbody text"}, {"gb.md", "# \xB1\xEA\xCC\xE2\r\n\r\n\xD5\xFD\xCE\xC4\r\n"}}));
  CHECK_EQ(snapshot->find(b.grant, "bad.md")->title, "bad");
  CHECK(has_note(snapshot, "bad.md: front matter does not parse: line 2"));
  CHECK_EQ(snapshot->find(b.grant, "gb.md")->title, "标题");
  CHECK(has_note(snapshot, "gb.md: decoded from GB18030"));
  CHECK_EQ(b.text(snapshot, "gb.md"), "# 标题\r\n\r\n正文\r\n");
}

TEST_CASE("log and control pages are neither listed nor searched") {
  Bench b;
  auto const snapshot = b.take(b.repo.commit({{"log.md", "needle"}, {"TEAM_INFO.md", "needle"}, {"a.md", "needle"}}));
  CHECK_EQ(snapshot->pages(b.grant).size(), 1u);
  CHECK(snapshot->read(b.grant, "TEAM_INFO.md").has_error());
  auto const hits = snapshot->index(b.grant).search(kb::kbrepo::index::query_terms("needle"), {});
  REQUIRE_EQ(hits.size(), 1u);
  CHECK_EQ(snapshot->pages(b.grant)[hits[0].doc].path, "a.md");
}

TEST_CASE("a damaged or missing object fails the build by name and leaves the last good snapshot serving") {
  Bench b;
  auto const first = b.repo.commit({{"a.md", "one"}});
  auto const good = b.take(first);
  auto const second = b.repo.commit({{"b.md", "a text long enough to be cut in half"}});
  auto const blob = b.take(second)->find(b.grant, "b.md")->blob.hex();
  SUBCASE("cut short") { truncate(loose_object(b.repo.path(), blob)); }
  SUBCASE("gone") { fs::remove(loose_object(b.repo.path(), blob)); }
  auto const failed = b.build(second, good);
  REQUIRE(failed.has_error());
  CAPTURE(failed.error().what);
  CHECK(failed.error().code == Errc::corrupt);
  CHECK_NE(failed.error().what.find("b.md"), std::string::npos);
  CHECK_NE(failed.error().what.find(blob), std::string::npos);
  CHECK_EQ(b.text(good, "a.md"), "one");
}

TEST_CASE("a commit that is not there is an error, not a snapshot") {
  Bench b;
  b.repo.commit({{"a.md", "one"}});
  CHECK(b.build(std::string(40, 'b')).has_error());
}

TEST_CASE("a stopped build is cancelled") {
  Bench b;
  auto const id = b.repo.commit({{"a.md", "one"}});
  std::stop_source stop;
  stop.request_stop();
  b.options.stop = stop.get_token();
  auto const built = b.build(id);
  REQUIRE(built.has_error());
  CHECK(built.error().code == Errc::cancelled);
}

TEST_CASE("each page knows the commit that gave it its content") {
  Bench b;
  auto const first = b.repo.commit({{"a.md", "1"}, {"b/x.md", "1"}, {"c.md", "1"}});
  auto const second = b.repo.commit({{"b/x.md", "2"}});
  auto const third = b.repo.commit({{"c.md", "2"}});
  auto const changed = [&b](SnapshotPtr const& snapshot, char const* path) {
    auto const change = snapshot->last_change(b.grant, path);
    return change ? change->commit.hex() : "none";
  };
  auto const one = b.take(first);
  auto const whole = b.take(third);
  auto const step = b.take(third, one);  // carried on from the first
  for (auto const& snapshot : {whole, step}) {
    CHECK_EQ(changed(snapshot, "a.md"), first);
    CHECK_EQ(changed(snapshot, "b/x.md"), second);
    CHECK_EQ(changed(snapshot, "c.md"), third);
    CHECK_EQ(changed(snapshot, "none.md"), "none");
  }
  CHECK_EQ(whole->last_change(b.grant, "a.md")->author, "Test Author");
  CHECK_EQ(changed(b.take(first, whole), "c.md"), first);  // back to the past
  auto const back = b.repo.commit({{"c.md", "1"}});        // the old content again, but given now
  CHECK_EQ(changed(b.take(back, step), "c.md"), back);
  CHECK_EQ(changed(b.take(back), "c.md"), back);
}

TEST_CASE("links to the hosting site are encoded by segment and pinned to the commit") {
  Bench b;
  b.settings.web_url = "https://git.example/{owner}/{repo}/src/commit/{commit}/{path}#L{start}-L{end}";
  auto const id = b.repo.commit({{"a.md", "a"}});
  auto const snapshot = b.take(id);
  std::string const base = "https://git.example/nlp/%E7%9F%A5%E8%AF%86%E5%BA%93/src/commit/" + id + "/";
  CHECK_EQ(snapshot->url("中文/a b#c?.md", 3, 5), base + "%E4%B8%AD%E6%96%87/a%20b%23c%3F.md#L3-L5");
  CHECK_EQ(snapshot->url("a.md", 0, 0), base + "a.md");
  b.settings.web_url = "";
  CHECK_EQ(b.take(id)->url("a.md", 1, 1), "");
  b.settings.web_url = "https://x/#/{path}";
  CHECK_EQ(b.take(id)->url("a.md", 0, 0), "https://x/#/a.md");
}

TEST_CASE("paths are read as people give them (N-20)") {
  struct Row {
    char const* given;
    char const* path;
  };
  static constexpr Row rows[] = {
      {"/a/b/", "a/b.md"}, {"a.md", "a.md"},    {"v1.2/notes", "v1.2/notes.md"}, {"a.txt", "a.txt"}, {"", ""},
      {"///", ""},         {"中文", "中文.md"}, {".hidden", ".hidden"}};
  for (auto const& row : rows) {
    CAPTURE(row.given);
    CHECK_EQ(Snapshot::normal_path(row.given), row.path);
  }
}

TEST_CASE("the catalogue of a commit is read, and a broken one noted") {
  Bench b;
  auto const one = b.take(b.repo.commit({{"catalog.json", R"({"documents":[{"title":"T","file":"a.md"}]})"}}));
  CHECK(one->catalog(b.grant).present);
  CHECK_EQ(one->catalog(b.grant).documents.size(), 1u);
  auto const two = b.take(b.repo.commit({{"catalog.json", "{"}}), one);
  CHECK_FALSE(two->catalog(b.grant).present);
  CHECK(has_note(two, "catalog.json does not parse"));
}

TEST_CASE("a shelf holds what the grant names, in its order, and says what is missing") {
  Bench b;
  auto const snapshot = b.take(b.repo.commit({{"a.md", "a"}}));
  kb::kbrepo::Snapshots const all{{b.settings.id, snapshot}, {kb::RepoId("x", "other"), snapshot}};
  auto const shelf = kb::kbrepo::open_shelf(b.grant, all);
  REQUIRE_EQ(shelf.books.size(), 1u);
  CHECK(shelf.books[0] == snapshot);
  CHECK(shelf.missing.empty());
  auto const elsewhere = kb::scope::operator_grant(kb::RepoId("nlp", "new"), kb::scope::Label::team);
  auto const empty = kb::kbrepo::open_shelf(elsewhere, all);
  CHECK(empty.books.empty());
  REQUIRE_EQ(empty.missing.size(), 1u);
}
