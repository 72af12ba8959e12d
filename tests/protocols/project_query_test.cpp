#include "answer/protocols/project_query.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "answer/protocols/budget.hpp"
#include "answer/protocols/graph.hpp"
#include "tests/protocols/books.hpp"
#include "tests/support/manual_clock.hpp"

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using kb::RepoId;
using kb::test::Books;
using kb::test::TempDir;
using namespace kb::protocols;

namespace {

RepoId const kId("acme", "docs");
using Files = std::map<std::string, std::string>;

Files const kMyApp{
    {"README.md",
     "---\ntitle: myapp\ntype: overview\ntags: [backend, Payments]\n---\n# myapp\n\nMyApp is a shop. "
     "See [[modules/auth|Auth]].\n"},
    {"architecture.md", "---\ntags: [layers]\n---\n# Architecture\n\nThree layers and a queue.\n"},
    {"dependencies.md",
     "# Dependencies\n\n## redis\n\nUsed as a cache.\n\nVersion 7.\n\n## libcurl\n\nFetches pages.\n\n| name | why "
     "|\n|---|---|\n"
     "| zlib | packs |\n| openssl | signs |\n"},
    {"modules/_index.md", "# Modules\n\n- [[modules/auth]] — who may\n- [[modules/oauth-proxy]] — others\n- ghost\n"},
    {"modules/auth.md", "# auth\n\n## Purpose\n\nHandles authentication. See [[modules/oauth-proxy|Proxy]].\n"},
    {"modules/oauth-proxy.md", "# oauth-proxy\n\nTalks OAuth.\n"},
    {"modules/hidden.md", "# hidden\n\nNot in the index.\n"},
    {"services/_index.md",
     "# Services\n\nTwo services behind one gateway.\n\n| service | port |\n|---|---|\n| api | 80 |\n"},
    {"services/api.md", "# api\n\nServes the shop.\n"},
    {"graph.json",
     R"({"version":1,"nodes":[{"id":"auth","label":"Auth","type":"module"},{"id":"api","label":"API","type":"service"},
        {"id":"ext:redis","label":"redis","type":"external_dep"},{"id":"db","label":"DB","type":"datastore","scope":"shared"}],
        "edges":[{"source":"api","target":"auth","relation":"calls","confidence":"EXTRACTED"},
        {"source":"auth","target":"ext:redis","relation":"depends_on","confidence":"EXTRACTED"},
        {"source":"api","target":"db","relation":"shares_datastore","confidence":"INFERRED"}]})"},
};

Files project(std::string const& name, Files files = kMyApp) {
  Files out;
  for (auto& [path, text] : files) out["projects/" + name + "/" + path] = std::move(text);
  return out;
}
Files without(Files files, std::initializer_list<char const*> paths) {
  for (char const* path : paths) files.erase(path);
  return files;
}
Files with(Files files, std::string const& path, std::string const& text) {
  files[path] = text;
  return files;
}

ProjectReply asked(Books const& books, std::string const& type, std::string const& target = {},
                   void (*change)(ProjectQuery&) = nullptr) {
  ProjectQuery query;
  query.project_name = "myapp";
  query.query_type = type;
  query.target = target;
  if (change != nullptr) change(query);
  return query_project(books.all(), query);
}
/// Asked of a knowledge base with these files.
ProjectReply of(Files const& files, std::string const& type, std::string const& target = {},
                void (*change)(ProjectQuery&) = nullptr) {
  Books books;
  books.add(kId, project("myapp", files));
  return asked(books, type, target, change);
}

using Texts = std::vector<std::string>;
std::string status(ProjectReply const& reply) { return std::string(to_string(reply.status)); }

std::string const kStale = "---\nstale: true\n---\n";

}  // namespace

TEST_CASE("each query type answers on a complete knowledge base, from its own files") {
  ProjectReply const overview = of(kMyApp, "overview");
  CHECK_EQ(status(overview), "success");
  CHECK(overview.sources == Texts{"README.md"});
  CHECK(overview.content.starts_with("# myapp\n\nMyApp is a shop."));
  CHECK(overview.content.find("[[modules/auth|Auth]]") != std::string::npos);
  CHECK_EQ(overview.content.find("Payments"), std::string::npos);
  CHECK(overview.stale_files.empty());
  ProjectReply const module = of(kMyApp, "module", "auth");
  CHECK_EQ(status(module), "success");
  CHECK(module.sources == Texts{"modules/_index.md", "modules/auth.md"});
  CHECK(module.content.find("Handles authentication") != std::string::npos);
  ProjectReply const service = of(kMyApp, "service", "api");
  CHECK_EQ(status(service), "success");
  CHECK(service.sources == Texts{"services/_index.md", "services/api.md"});
  ProjectReply const dependency = of(kMyApp, "dependency", "redis");
  CHECK_EQ(status(dependency), "success");
  CHECK(dependency.sources == Texts{"dependencies.md"});
  CHECK_EQ(dependency.content, "## redis\n\nUsed as a cache.\n\nVersion 7.");
  CHECK_EQ(of(kMyApp, "dependency", "openssl").content, "| name | why |\n| openssl | signs |");
  ProjectReply const relations = of(kMyApp, "relationship", "auth");
  CHECK_EQ(status(relations), "success");
  CHECK(relations.sources == Texts{"graph.json"});
  CHECK_EQ(relations.content,
           "Auth (module): 1 incoming, 1 outgoing\n- API calls Auth (EXTRACTED)\n- Auth depends_on redis (EXTRACTED)");
  CHECK_EQ(status(of(kMyApp, "relationship", "redis")), "success");
  ProjectReply const search = of(kMyApp, "search", "auth");
  CHECK_EQ(status(search), "success");
  CHECK(search.sources == Texts{"modules/_index.md", "README.md"});
}

TEST_CASE("what is not there has the seed's error and suggestion, to the letter") {
  struct Row {
    Files files;
    char const *type, *target, *status, *error, *suggestion;
  };
  Row const rows[] = {
      {kMyApp, "module", "nope", "not_found", "Module 'nope' not found in KB",
       "Check module name spelling, or run refresh"},
      {kMyApp, "module", "hidden", "not_found", "Module 'hidden' not found in KB",
       "Check module name spelling, or run refresh"},
      {kMyApp, "module", "ghost", "not_found", "Module doc not found: modules/ghost.md",
       "Check module name spelling, or run refresh"},
      {kMyApp, "service", "nope", "not_found", "Service 'nope' not found in KB",
       "Check module name spelling, or run refresh"},
      {without(kMyApp, {"services/api.md"}), "service", "api", "not_found", "Service doc not found: services/api.md",
       "Check module name spelling, or run refresh"},
      {without(kMyApp, {"dependencies.md"}), "dependency", "redis", "not_found", "dependencies.md not found",
       "Run kb-engineer with mode=full"},
      {kMyApp, "dependency", "leftpad", "not_found", "Dependency 'leftpad' not found",
       "Check module name spelling, or run refresh"},
      {without(kMyApp, {"graph.json"}), "relationship", "auth", "not_found", "graph.json not found",
       "Run kb-engineer with mode=full"},
      {kMyApp, "relationship", "nope", "not_found", "Node 'nope' not found in graph",
       "Check module name spelling, or run refresh"},
      {kMyApp, "search", "xyzzy", "not_found", "No matches for 'xyzzy'", ""},
      {with(kMyApp, "graph.json", "{"), "relationship", "auth", "error", "graph.json does not parse",
       "KB may be corrupted, regenerate"},
      {with(kMyApp, ".meta/identity.json", "nope"), "overview", "", "error", ".meta/identity.json does not parse",
       "KB may be corrupted, regenerate"},
      {with(kMyApp, "README.md", "---\ntags: [unclosed\n---\n# x\n"), "overview", "", "error",
       "README.md does not parse", "KB may be corrupted, regenerate"},
      {kMyApp, "module", "", "error", "target is required for query_type 'module'", ""},
      {kMyApp, "poetry", "", "error", "Unknown query_type 'poetry'", ""},
      {kMyApp, "module", "../../secret", "not_found", "Module '../../secret' not found in KB",
       "Check module name spelling, or run refresh"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.type);
    CAPTURE(row.target);
    ProjectReply const reply = of(row.files, row.type, row.target);
    CHECK_EQ(status(reply), row.status);
    CHECK_EQ(reply.error, row.error);
    CHECK_EQ(reply.suggestion, row.suggestion);
    CHECK(reply.content.empty());
    Json const json = Json::parse(to_json(reply));
    CHECK_FALSE(json.contains("content"));
    CHECK_EQ(json.value("error", ""), row.error);
  }
  for (char const* type : {"module", "service", "dependency", "relationship", "search"}) {
    CHECK_EQ(of(kMyApp, type).error, std::string("target is required for query_type '") + type + "'");
  }
}

TEST_CASE("a missing or incomplete knowledge base is said before anything else") {
  Books books;
  books.add(kId, project("myapp"));
  books.add(kId, project("bare", without(kMyApp, {"README.md"})));
  for (char const* type : {"overview", "module", "service", "dependency", "relationship", "search", "poetry"}) {
    CAPTURE(type);
    ProjectReply const absent = asked(books, type, "", [](ProjectQuery& q) { q.project_name = "newproject"; });
    CHECK_EQ(status(absent), "kb_not_exists");
    CHECK_EQ(absent.suggestion, "Run kb-engineer or vp-onboarding to generate KB for this project");
    CHECK(absent.error.empty());
    ProjectReply const bare = asked(books, type, "", [](ProjectQuery& q) { q.project_name = "bare"; });
    CHECK_EQ(status(bare), "kb_not_exists");
    CHECK_EQ(bare.suggestion, "KB directory exists but is incomplete. Run kb-engineer with mode=full");
  }
  ProjectReply const escape =
      asked(books, "overview", "", [](ProjectQuery& q) { q.project_name = "../projects/myapp"; });
  CHECK_EQ(status(escape), "kb_not_exists");
  CHECK_EQ(status(asked(books, "overview", "", [](ProjectQuery& q) { q.project_name.clear(); })), "error");
}

TEST_CASE("the later hub name stands in for README.md") {
  Files files = without(kMyApp, {"README.md"});
  files["myapp.md"] = "# myapp\n\nThe hub.\n";
  ProjectReply const reply = of(files, "overview");
  CHECK_EQ(status(reply), "success");
  CHECK(reply.sources == Texts{"myapp.md"});
}

TEST_CASE("an index is optional, and names are whole names") {
  ProjectReply const module = of(without(kMyApp, {"modules/_index.md"}), "module", "hidden");
  CHECK_EQ(status(module), "success");
  CHECK(module.sources == Texts{"modules/hidden.md"});
  CHECK_EQ(of(without(kMyApp, {"services/_index.md"}), "service", "api").sources.size(), 1);
  Files files = kMyApp;
  files["modules/_index.md"] = "# Modules\n\n- [[modules/oauth-proxy]]\n- auth-service and more.\n";
  CHECK_EQ(of(files, "module", "auth").error, "Module 'auth' not found in KB");
  for (char const* index : {"- auth: who may", "| auth | x |", "[Auth](auth.md)", "`auth`.", "[[modules/auth|x]]"}) {
    CAPTURE(index);
    files["modules/_index.md"] = std::string("# Modules\n\n") + index + "\n";
    CHECK_EQ(status(of(files, "module", "auth")), "success");
  }
}

TEST_CASE("what is stale is named in order, still returned, and told how to refresh") {
  char const* const suggestion = "This content may be outdated. Run kb-engineer with mode=refresh-stale";
  Files files = kMyApp;
  files["modules/auth.md"] = kStale + "# auth\n\n## Purpose\n\nOld.\n";
  ProjectReply const module = of(files, "module", "auth");
  CHECK_EQ(status(module), "stale_warning");
  CHECK(module.stale_files == Texts{"modules/auth.md"});
  CHECK_EQ(module.suggestion, suggestion);
  CHECK(module.content.find("Old.") != std::string::npos);
  Json const json = Json::parse(to_json(module));
  for (char const* key : {"status", "content", "sources", "stale_files", "suggestion"}) CHECK(json.contains(key));
  files["README.md"] = kStale + "# myapp\n\nMyApp.\n";
  CHECK(of(files, "overview").stale_files == Texts{"README.md"});
  files["services/api.md"] = kStale + "# api\n";
  CHECK(of(files, "service", "api").stale_files == Texts{"services/api.md"});
  files["dependencies.md"] = kStale + kMyApp.at("dependencies.md");
  CHECK_EQ(status(of(files, "dependency", "redis")), "stale_warning");
  CHECK_EQ(status(of(files, "search", "redis")), "stale_warning");
  files[".meta/identity.json"] = R"({"needs_refresh": true})";
  CHECK(of(files, "relationship", "auth").stale_files == Texts{"identity.json (needs_refresh=true)"});
  files[".meta/identity.json"] = R"({"needs_refresh": false})";
  CHECK_EQ(status(of(files, "relationship", "auth")), "success");

  files[".meta/identity.json"] = R"({"needs_refresh": true})";
  files[".meta/manifest.json"] =
      R"({"version":1,"files":{"src/auth.cpp":{"sha256":"00","contributed_to":["modules/auth.md","architecture.md"]}}})";
  ProjectReply const quick = of(files, "module", "auth");
  CHECK_EQ(quick.stale_files.size(), 2);
  ProjectReply const deep = of(files, "module", "auth", [](ProjectQuery& q) {
    q.deep = true;
    q.hash_of = [](std::string const&) { return std::optional<std::string>(std::string("11")); };
  });
  CHECK(deep.stale_files == Texts{"identity.json (needs_refresh=true)", "modules/auth.md", "architecture.md"});
}

TEST_CASE("both shapes of a manifest are read, and only what changed is stale") {
  auto const map = parse_manifest(
      R"({"version":2,"files":{"a":{"sha256":"1","contributed_to":["x.md"]},"b":{"sha256":"2","contributed_to":["y.md"]}},
          "manifests":{"CMakeLists.txt":{"sha256":"3","contributed_to":["dependencies.md","x.md"]}}})");
  auto const list = parse_manifest(
      R"({"sources":[{"path":"a","hash":"1","contributes_to":["x.md"]},{"path":"b","hash":"2","contributes_to":["y.md"]},
          {"path":"CMakeLists.txt","hash":"3","contributes_to":["dependencies.md","x.md"]}],"kb_docs":[]})");
  REQUIRE(map);
  REQUIRE(list);
  HashOf const changed = [](std::string const& path) {
    return path == "a" ? std::optional<std::string>("1") : path == "b" ? std::optional<std::string>("9") : std::nullopt;
  };
  Texts const want{"y.md", "dependencies.md", "x.md"};
  CHECK(stale_documents(*map, changed) == want);
  CHECK(stale_documents(*list, changed) == want);
  for (char const* broken : {"", "[]", "{}", R"({"files":{"a":7}})", R"({"sources":[7]})"})
    CHECK_FALSE(parse_manifest(broken));
}

TEST_CASE("search looks in the indexes first, takes a tag before content and folds case") {
  ProjectReply const both = of(kMyApp, "search", "PAYMENTS");
  CHECK_EQ(status(both), "success");
  CHECK(both.content.find("- README.md (tag_match)") != std::string::npos);
  CHECK_EQ(both.content.find("content_match"), std::string::npos);
  CHECK_EQ(of(kMyApp, "search", "payments").content, both.content);
  Files files = kMyApp;
  files["architecture.md"] = "# Architecture\n\nThe gateway and auth.\n";
  ProjectReply const order = of(files, "search", "auth");
  CHECK(order.sources == Texts{"modules/_index.md", "README.md", "architecture.md"});
  CHECK(order.content.find("- modules/_index.md (index): - [[modules/auth]]") != std::string::npos);
  CHECK(of(files, "search", "gateway").sources == Texts{"services/_index.md", "architecture.md"});
  CHECK_EQ(of(kMyApp, "search", "overview").error, "No matches for 'overview'");  // only in the head
  CHECK_EQ(status(of(without(kMyApp, {"architecture.md", "services/_index.md"}), "search", "redis")), "success");
}

TEST_CASE("an answer stays within its tokens, whatever they are, and breaks nothing") {
  Files files = kMyApp;
  std::string text = "# myapp\n\n";
  for (int i = 0; i < 300; ++i)
    text += "Sentence " + std::to_string(i) + " speaks of [[modules/auth|Auth]]. 中文也有一句。\n\n";
  text += "```\ncode\n```\n";
  files["README.md"] = text;
  files["modules/auth.md"] = text;
  files["services/api.md"] = text;
  files["dependencies.md"] = "## redis\n\n" + text.substr(9);
  Json graph{{"nodes", Json::array({{{"id", "auth"}, {"label", "Auth"}, {"type", "module"}}})},
             {"edges", Json::array()}};
  for (int i = 0; i < 500; ++i)
    graph["edges"].push_back({{"source", "m" + std::to_string(i)}, {"target", "auth"}, {"relation", "calls"}});
  files["graph.json"] = graph.dump();
  Books books;
  books.add(kId, project("myapp", files));
  ProjectQuery query;
  query.project_name = "myapp";
  std::size_t last = 0;
  for (std::size_t tokens : {20, 50, 77, 100, 200, 500, 1000, 4000}) {
    for (auto const& [type, target] : std::map<std::string, std::string>{{"overview", ""},
                                                                         {"module", "auth"},
                                                                         {"service", "api"},
                                                                         {"dependency", "redis"},
                                                                         {"relationship", "auth"},
                                                                         {"search", "auth"}}) {
      CAPTURE(type);
      CAPTURE(tokens);
      query.query_type = type;
      query.target = target;
      query.max_tokens = tokens;
      ProjectReply const reply = query_project(books.all(), query);
      CHECK_EQ(status(reply), "success");
      CHECK_LE(tokens_in(reply.content), tokens);
      CHECK_FALSE(reply.content.empty());
      CHECK_EQ(std::count(reply.content.begin(), reply.content.end(), '['),
               std::count(reply.content.begin(), reply.content.end(), ']'));
      if (type == "relationship" && tokens <= 1000) CHECK(reply.content.find(" more edges") != std::string::npos);
      if (type == "overview") {
        CHECK_GE(reply.content.size(), last);
        last = reply.content.size();
      }
    }
  }
  query.max_tokens.reset();
  query.query_type = "module";
  query.target = "auth";
  CHECK_LE(tokens_in(query_project(books.all(), query).content), 500);
  CHECK_GT(tokens_in(query_project(books.all(), query).content), 400);
}

TEST_CASE("tokens are counted alike for both scripts, and a cut keeps links, fences and characters whole") {
  CHECK_EQ(tokens_in(""), 0);
  CHECK_EQ(tokens_in("abcd"), 1);
  CHECK_EQ(tokens_in("abcde"), 2);
  CHECK_EQ(tokens_in("中文字"), 3);
  CHECK_EQ(tokens_in("中文ab"), 3);
  std::mt19937 random(7);
  std::string const pieces[] = {"word ", "中文", "。",   "[[a/b|c]]", "\n\n", "\n```\ncode line\n```\n",
                                ". ",    "é",    "🙂", "[x](y)"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned n = static_cast<unsigned>(random() % 40); n > 0; --n) text += pieces[random() % std::size(pieces)];
    std::size_t const budget = random() % 30;
    std::string const cut = cut_to(text, budget);
    CAPTURE(text);
    CAPTURE(budget);
    REQUIRE_LE(tokens_in(cut), budget);
    if (tokens_in(text) <= budget) REQUIRE_EQ(cut, text);
    std::size_t open = 0;
    std::size_t close = 0;
    std::size_t fences = 0;
    for (std::size_t at = 0; (at = cut.find("[[", at)) != cut.npos; at += 2) ++open;
    for (std::size_t at = 0; (at = cut.find("]]", at)) != cut.npos; at += 2) ++close;
    for (std::size_t at = 0; (at = cut.find("```", at)) != cut.npos; at += 3) ++fences;
    REQUIRE_EQ(open, close);
    bool const whole_fences = fences % 2 == 0;
    REQUIRE(whole_fences);
    std::string const body = cut.ends_with("…") ? cut.substr(0, cut.size() - 3) : cut;
    REQUIRE(text.starts_with(body));
    bool const at_character =
        body.size() == text.size() || (static_cast<unsigned char>(text[body.size()]) & 0xC0) != 0x80;
    REQUIRE(at_character);
  }
}

TEST_CASE("levels grow from a name to the graph, and level 0 opens no page") {
  Files files = kMyApp;
  std::string text = "# myapp\n\n";
  for (int i = 0; i < 400; ++i) text += "Sentence number " + std::to_string(i) + " of the overview.\n\n";
  files["README.md"] = text;
  files["architecture.md"] = text;
  Books books;
  books.add(kId, project("myapp", files));
  std::size_t last = 0;
  std::size_t const budgets[] = {50, 200, 500, 1000};
  for (int level = 0; level <= 3; ++level) {
    ProjectQuery query;
    query.project_name = "myapp";
    query.query_type = "overview";
    query.level = level;
    ProjectReply const reply = query_project(books.all(), query);
    CAPTURE(level);
    std::size_t const tokens = tokens_in(reply.content);
    CHECK_LE(tokens, budgets[level]);
    CHECK_GT(tokens, last);
    last = tokens;
    if (level == 0) CHECK(reply.read.empty());
    if (level == 1) CHECK(reply.read == Texts{"README.md"});
    if (level == 2) CHECK(reply.sources == Texts{"README.md", "architecture.md"});
  }
  ProjectReply const small = of(kMyApp, "overview", "", [](ProjectQuery& q) { q.level = 1; });
  CHECK(small.content.find("modules: auth, hidden, oauth-proxy") != std::string::npos);
  CHECK(small.content.find("services: api") != std::string::npos);
}

TEST_CASE("an identity is kept for an hour, or until the folder's git config changes") {
  TempDir dir;
  (void)dir.write("one/.git/config", "[remote \"origin\"]\n\turl = https://git.example/acme/shop.git\n");
  (void)dir.write("one/.git/HEAD", "ref: refs/heads/main\n");
  fs::path const root = dir.path() / "one";
  fs::path const config = root / ".git" / "config";
  kb::test::ManualClock clock;
  IdentityCache cache(clock);
  CHECK_EQ(cache.of(root).project_name, "shop");
  // Another text of the same size, inode and time: what is kept is not read again.
  auto const time = fs::last_write_time(config);
  std::fstream(config, std::ios::in | std::ios::out)
      << "[remote \"origin\"]\n\turl = https://git.example/acme/maps.git\n";
  fs::last_write_time(config, time);
  CHECK_EQ(cache.of(root).project_name, "shop");
  clock.advance(std::chrono::minutes(60));
  CHECK_EQ(cache.of(root).project_name, "maps");
  (void)dir.write("one/.git/config", "[remote \"origin\"]\n\turl = https://git.example/acme/charts.git\n");
  CHECK_EQ(cache.of(root).project_name, "charts");
  CHECK_EQ(cache.of(dir.path() / "none").status, "not_git_repo");
}

TEST_CASE("a question in words goes to the cheapest level that answers it") {
  struct Row {
    char const* question;
    int level;
    char const *type, *target;
  };
  static constexpr Row rows[] = {
      {"What is this project?", 0, "overview", ""},
      {"What does this project do?", 1, "overview", ""},
      {"What modules exist?", 1, "overview", ""},
      {"How does module auth work?", 2, "module", "auth"},
      {"What depends on module auth?", 3, "relationship", "auth"},
      {"Show me the architecture", 2, "overview", ""},
      {"What external deps does this use?", 1, "dependency", "*"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.question);
    auto const route = route_of(row.question);
    REQUIRE(route);
    CHECK_EQ(route->level, row.level);
    CHECK_EQ(route->query_type, row.type);
    CHECK_EQ(route->target, row.target);
  }
  CHECK_FALSE(route_of("Who wrote this?"));
  CHECK(of(kMyApp, "dependency", "*").content.starts_with("# Dependencies"));
}

TEST_CASE("no query opens more than its own few files of a large knowledge base") {
  Files files = kMyApp;
  std::string index = "# Modules\n\n";
  for (int i = 0; i < 1000; ++i) {
    index += "- [[modules/m" + std::to_string(i) + "]]\n";
    files["modules/m" + std::to_string(i) + ".md"] = "# m" + std::to_string(i) + "\n\nauth\n";
  }
  files["modules/_index.md"] = index + "- [[modules/auth]]\n";
  Books books;
  books.add(kId, project("myapp", files));
  for (auto const& [type, target] : std::map<std::string, std::string>{{"overview", ""},
                                                                       {"module", "auth"},
                                                                       {"service", "api"},
                                                                       {"dependency", "redis"},
                                                                       {"relationship", "auth"},
                                                                       {"search", "auth"}}) {
    CAPTURE(type);
    CHECK_LE(asked(books, type, target).read.size(), 5);
  }
  CHECK(asked(books, "overview").read == Texts{"README.md"});
  CHECK(asked(books, "module", "auth").read == Texts{"modules/_index.md", "modules/auth.md"});
}

TEST_CASE("pages taken out of use are not answered from") {
  Files files = kMyApp;
  files["modules/auth.md"] = "---\nlifecycle_state: quarantined\n---\n# auth\n\nOld.\n";
  CHECK_EQ(of(files, "module", "auth").error, "Module doc not found: modules/auth.md");
  files["architecture.md"] = "---\nlifecycle_state: demoted\n---\n# A\n\nuniqueword\n";
  CHECK_EQ(of(files, "search", "uniqueword").error, "No matches for 'uniqueword'");
}

TEST_CASE("service topology is the services' head and the edges that touch them, in 200 tokens") {
  ProjectReply const reply = of(kMyApp, "service-topology");
  CHECK_EQ(status(reply), "success");
  CHECK(reply.content.find("Two services") != std::string::npos);
  CHECK(reply.content.find("- API calls Auth") != std::string::npos);
  CHECK(reply.content.find("- API shares_datastore DB (INFERRED)") != std::string::npos);
  CHECK_EQ(reply.content.find("depends_on"), std::string::npos);
  CHECK_LE(tokens_in(reply.content), 200);
}

TEST_CASE("an identity is read from git's files: clone, worktree, submodule, bare, none") {
  TempDir dir;
  auto const config = [](std::string const& url) {
    return "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + url + "\n";
  };
  dir.write("clone/.git/config", config("https://git.example/acme/MyApp.git"));
  Identity const clone = identity_of(dir.path() / "clone");
  CHECK_EQ(clone.status, "success");
  CHECK_EQ(clone.project_name, "myapp");
  CHECK_EQ(clone.derived_from, "remote_origin");
  CHECK_EQ(clone.identity_hash, short_hash("https://git.example/acme/MyApp.git"));
  CHECK_EQ(clone.identity_hash.size(), 8);
  CHECK_EQ(clone.full_identity, "myapp-" + clone.identity_hash);
  CHECK_FALSE(clone.is_worktree);
  CHECK_EQ(short_hash("abc"), "ba7816bf");

  dir.write("wt/.git", "gitdir: " + (dir.path() / "clone/.git/worktrees/wt").string() + "\n");
  Identity const worktree = identity_of(dir.path() / "wt");
  CHECK_EQ(worktree.full_identity, clone.full_identity);
  CHECK(worktree.is_worktree);
  CHECK_EQ(worktree.main_repo_path, (dir.path() / "clone").string());

  dir.write("clone/.git/modules/sub/config", config("git@git.example:acme/sub.git"));
  dir.write("clone/sub/.git", "gitdir: ../.git/modules/sub\n");
  CHECK_EQ(identity_of(dir.path() / "clone/sub").project_name, "sub");

  dir.write("local/.git/config", "[core]\n\tbare = false\n");
  Identity const local = identity_of(dir.path() / "local");
  CHECK_EQ(local.project_name, "local");
  CHECK_EQ(local.derived_from, "folder_name");
  CHECK_EQ(local.identity_hash, short_hash((dir.path() / "local").string()));

  dir.write("rewritten/.git/config", "[url \"https://git.example/\"]\n\tinsteadOf = gh:\n" + config("gh:acme/tool"));
  CHECK_EQ(identity_of(dir.path() / "rewritten").remote_url, "https://git.example/acme/tool");

  dir.write("bare.git/HEAD", "ref: refs/heads/main\n");
  dir.write("bare.git/config", config("ssh://git@git.example/acme/bare"));
  fs::create_directories(dir.path() / "bare.git/objects");
  CHECK_EQ(identity_of(dir.path() / "bare.git").project_name, "bare");

  fs::path const none = dir.path() / "plain";
  fs::create_directories(none);
  CHECK_EQ(identity_of(none).status, "not_git_repo");
  CHECK_EQ(identity_of(none).error, "No .git found at " + none.string());
  dir.write("broken/.git", "nonsense\n");
  CHECK_EQ(identity_of(dir.path() / "broken").error, "Cannot parse worktree gitdir");
  fs::create_directories(dir.path() / "empty/.git");
  CHECK_EQ(identity_of(dir.path() / "empty").error,
           "Cannot read git config at " + (dir.path() / "empty/.git/config").string());
  for (auto const& [url, name] :
       Files{{"https://h/o/R.git", "r"}, {"git@h:o/r.git", "r"}, {"ssh://h/o/r/", "r"}, {"h:r", "r"}, {"", ""}}) {
    CHECK_EQ(name_of_remote(url), name);
  }
}

TEST_CASE("a project is found by its root as by its name, and one name of two organisations does not mix") {
  Identity mine;
  mine.status = "success";
  mine.project_name = "myapp";
  mine.identity_hash = "aaaaaaaa";
  mine.full_identity = "myapp-aaaaaaaa";
  Identity theirs = mine;
  theirs.identity_hash = "bbbbbbbb";
  theirs.full_identity = "myapp-bbbbbbbb";
  Books books;
  books.add({"one", "docs"}, project("myapp", with(kMyApp, ".meta/identity.json", R"({"identity_hash":"aaaaaaaa"})")));
  auto const by = [&](Identity const& identity) {
    ProjectQuery query;
    query.identity = identity;
    query.query_type = "overview";
    return query_project(books.all(), query);
  };
  ProjectReply const found = by(mine);
  CHECK_EQ(found.content, asked(books, "overview").content);
  CHECK_EQ(found.project_name, "myapp");
  CHECK_EQ(found.kb_path, "one/docs/projects/myapp/");
  CHECK(found.warnings.empty());
  CHECK_EQ(by(theirs).warnings.size(), 1);
  books.add({"two", "docs"},
            project("myapp", with(with(kMyApp, ".meta/identity.json", R"({"identity_hash":"bbbbbbbb"})"), "README.md",
                                  "# other\n")));
  CHECK(by(theirs).warnings.empty());
  CHECK_EQ(by(theirs).repo->owner, "two");
  CHECK_EQ(by(mine).repo->owner, "one");
  CHECK_EQ(asked(books, "overview").warnings.size(), 1);
  Identity none;
  none.status = "not_git_repo";
  none.error = "No .git found at /x";
  CHECK_EQ(status(by(none)), "error");
  CHECK_EQ(by(none).error, "No .git found at /x");
}

TEST_CASE("sources carry the path of a plain directory when asked to, with its home as a tilde") {
  Books books;
  books.add(kId, project("myapp"));
  ProjectReply const reply = asked(books, "module", "auth", [](ProjectQuery& q) { q.absolute_paths = true; });
  CHECK(reply.sources ==
        Texts{"acme/docs/projects/myapp/modules/_index.md", "acme/docs/projects/myapp/modules/auth.md"});
}

TEST_CASE("whatever is asked, the status is one of five and no stale list is null") {
  std::mt19937 random(11);
  std::string const types[] = {"overview", "module",           "service", "dependency", "relationship",
                               "search",   "service-topology", "",        "x"};
  std::string const targets[] = {"", "auth", "api", "redis", "nope", "..", "a/b", "中文", std::string(300, 'x'), "*"};
  std::string const broken[] = {"{", "[]", "", "---\nx: [\n---\n", "# fine\n", R"({"nodes":[7],"edges":[]})"};
  std::set<std::string> const known{"success", "not_found", "stale_warning", "kb_not_exists", "error"};
  for (int round = 0; round < 40; ++round) {
    Files files = kMyApp;
    auto at = files.begin();
    std::advance(at, static_cast<long>(random() % files.size()));
    if (random() % 3 == 0) {
      files.erase(at);
    } else {
      at->second = broken[random() % std::size(broken)];
    }
    Books books;
    books.add(kId, project("myapp", files));
    for (std::string const& type : types) {
      ProjectQuery query;
      query.project_name = "myapp";
      query.query_type = type;
      query.target = targets[random() % std::size(targets)];
      Json const json = Json::parse(to_json(query_project(books.all(), query)));
      REQUIRE(known.contains(json.value("status", "")));
      if (json.contains("stale_files")) REQUIRE(json["stale_files"].is_array());
    }
  }
}
