// The verbs kb_query and kb_identity, as a developer's agent calls them.
#include <doctest/doctest.h>
#include <filesystem>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

namespace fs = std::filesystem;

/// A home directory with a knowledge base where kb-engineer writes it, and nothing else.
struct Home {
  TempDir dir;
  std::string const root = ".cursor/docs/knowledge-base/projects/myapp/";
  Home() {
    put("README.md", "---\ntitle: myapp\n---\n# myapp\n\nMyApp is a shop.\n");
    put("modules/_index.md", "# Modules\n\n- [[modules/auth]]\n");
    put("modules/auth.md", "# auth\n\n## Purpose\n\nHandles authentication.\n");
    put("graph.json", R"({"nodes":[{"id":"auth","label":"auth","type":"module"}],"edges":[]})");
  }
  void put(std::string const& path, std::string const& text) const { (void)dir.write(root + path, text); }
  Finished run(std::vector<std::string> const& args) const {
    return run_program(
        KB_PROGRAM, args,
        {{"HOME", dir.path().string()}, {"XDG_CONFIG_HOME", ""}, {"XDG_STATE_HOME", ""}, {"KBGATE_CONFIG", ""}});
  }
  Json query(std::vector<std::string> args) const {
    args.insert(args.begin(), "kb-query");
    return Json::parse(run(args).out);
  }
};

}  // namespace

TEST_CASE("kb_query finds a knowledge base where kb-engineer writes it, without any settings") {
  Home home;
  Json const overview =
      home.query({"--project-name", "myapp", "--query-type", "overview", "--max-tokens", "200", "--paths", "absolute"});
  CHECK_EQ(overview.value("status", ""), "success");
  CHECK_EQ(overview.value("content", ""), "# myapp\n\nMyApp is a shop.\n");
  CHECK_EQ(overview["sources"].dump(), R"(["~/.cursor/docs/knowledge-base/projects/myapp/README.md"])");
  CHECK_EQ(overview.value("kb_path", ""), "~/.cursor/docs/knowledge-base/projects/myapp/");
  Json const module =
      home.query({"--project_name", "myapp", "--query_type", "module", "--target", "auth", "--max_tokens", "500"});
  CHECK(module.value("content", "").starts_with("# auth\n\n## Purpose\n\nHandles authentication."));
  CHECK_EQ(module["sources"].dump(), R"(["modules/_index.md","modules/auth.md"])");
  Json const absent = home.query({"--project_name", "newproject", "--query_type", "overview"});
  CHECK_EQ(
      absent.dump(),
      R"({"status":"kb_not_exists","suggestion":"Run kb-engineer or vp-onboarding to generate KB for this project","project_name":"newproject"})");
  CHECK_EQ(home.run({"kb_query", "--project_name", "newproject", "--query_type", "overview"}).exit_code, 1);
  Json const words = home.query({"--project_name", "myapp", "--question", "How does module auth work?"});
  CHECK_EQ(words["sources"].dump(), module["sources"].dump());
  home.put("modules/auth.md", "---\nstale: true\n---\n# auth\n\n## Purpose\n");
  Json const stale = home.query({"--project_name", "myapp", "--query_type", "module", "--target", "auth"});
  CHECK_EQ(stale.value("status", ""), "stale_warning");
  CHECK_EQ(stale["stale_files"].dump(), R"(["modules/auth.md"])");
  CHECK_EQ(stale.value("suggestion", ""), "This content may be outdated. Run kb-engineer with mode=refresh-stale");
}

TEST_CASE("kb_query by project root is the same as by name, and a folder without git is an error") {
  Home home;
  TempDir checkout;
  checkout.write("app/.git/config", "[remote \"origin\"]\n\turl = git@git.example:acme/MyApp.git\n");
  checkout.write("app/src/auth.cpp", "int main() {}\n");
  std::string const root = (checkout.path() / "app").string();
  Json const by_name = home.query({"--project_name", "myapp", "--query_type", "overview"});
  Json const by_root = home.query({"--project_root", root, "--query_type", "overview"});
  CHECK_EQ(by_root.dump(), by_name.dump());
  Json const identity = Json::parse(home.run({"kb_identity", "--project_root", root}).out);
  CHECK_EQ(identity.value("project_name", ""), by_root.value("project_name", "-"));
  CHECK_EQ(identity.value("status", ""), "success");
  Json const none = home.query({"--project_root", checkout.path().string(), "--query_type", "overview"});
  CHECK_EQ(none.dump(), "{\"status\":\"error\",\"error\":\"No .git found at " + checkout.path().string() + "\"}");

  home.put(".meta/manifest.json",
           R"({"version":1,"files":{"src/auth.cpp":{"sha256":"00","contributed_to":["modules/auth.md"]}}})");
  std::vector<std::string> deep{"--project_root", root, "--query_type", "module", "--target", "auth"};
  CHECK_EQ(home.query(deep).value("status", ""), "success");
  deep.emplace_back("--deep");
  Json const checked = home.query(deep);
  CHECK_EQ(checked.value("status", ""), "stale_warning");
  CHECK_EQ(checked["stale_files"].dump(), R"(["modules/auth.md"])");
}

}  // namespace kb::test
