// A plain directory as a knowledge base: asked, edited, taken away and given back, under the running daemon.
#include <doctest/doctest.h>
#include <filesystem>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

namespace fs = std::filesystem;

void use_directory(Workspace& w, fs::path const& dir) {
  w.configure([&](Json& config) {
    config["repos"][0].erase("git");
    config["repos"][0].erase("ref");
    config["repos"][0]["dir"] = dir.string();
  });
}

}  // namespace

TEST_CASE("a plain directory answers like a repository, follows its edits and is never written") {
  Workspace w;
  TempDir dir;
  dir.write("concepts/缓存.md", "# 缓存\n\n缓存的保留时间是 45 分钟，由运维组设定。\n");
  use_directory(w, dir.path());
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  int n = 0;
  auto const ask = [&] {
    return client.ask("m" + std::to_string(n++), "ou_alice", "oc_nlp", "缓存的保留时间是多少？");
  };
  Json const first = ask();
  CHECK_EQ(first.value("outcome", ""), "answered");
  CHECK(first.value("text", "").find("45 分钟") != std::string::npos);
  CHECK_EQ(first["sources"][0].value("commit", "").size(), 40);

  dir.write("concepts/缓存.md", "# 缓存\n\n缓存的保留时间是 90 分钟，由运维组设定。\n");
  CHECK(eventually([&] { return ask().value("text", "").find("90 分钟") != std::string::npos; }));

  fs::path const away = dir.path().string() + ".away";
  fs::rename(dir.path(), away);
  auto const status = [&] { return Json::parse(http_get(daemon.port(), "/readyz").body).value("status", ""); };
  CHECK(eventually([&] { return status() == "degraded"; }));
  CHECK_EQ(ask().value("outcome", ""), "answered");
  fs::rename(away, dir.path());
  CHECK(eventually([&] { return status() == "ok"; }));

  CHECK(eventually([&] { return w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size() == static_cast<std::size_t>(n); }));
  std::size_t files = 0;
  for (auto const& entry : fs::recursive_directory_iterator(dir.path())) files += entry.is_regular_file() ? 1 : 0;
  CHECK_EQ(files, 1);
}

TEST_CASE("verbs look at a plain directory before they answer") {
  Workspace w;
  TempDir dir;
  dir.write("a.md", "# A\n\nfirst\n");
  use_directory(w, dir.path());
  auto const read = [&] {
    Finished const done = w.run(KB_PROGRAM, {"kb_read", "--owner", "nlp", "--repo", "nlp-team-kb", "--path", "a"});
    CHECK_EQ(done.exit_code, 0);
    return Json::parse(done.out).value("content", "");
  };
  CHECK_EQ(read(), "# A\n\nfirst\n");
  dir.write("a.md", "# A\n\nsecond\n");
  CHECK_EQ(read(), "# A\n\nsecond\n");
  dir.write("a.md", "# A\n\nthird\n");
  Finished const synced = w.run(KB_PROGRAM, {"sync", "--owner", "nlp"});
  CHECK_EQ(synced.exit_code, 0);
  Json const row = Json::parse(synced.out)["repos"][0];
  CHECK_NE(row.value("old_commit", ""), row.value("new_commit", ""));
}

}  // namespace kb::test
