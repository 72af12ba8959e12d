// The query skill's tools as its scripts call them: reading order, links, the read list, the validator's files, the
// log.
#include <algorithm>
#include <cctype>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

Json parsed(Finished const& finished) {
  CAPTURE(finished.err);
  Json json = Json::parse(finished.out, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  return json;
}

std::vector<std::string> asking(std::string verb, std::string sender, std::string chat, std::string question) {
  std::string type = chat.empty() ? "direct" : "group";
  return {std::move(verb), "--sender_id",   std::move(sender), "--chat_type",      std::move(type),
          "--chat_id",     std::move(chat), "--question",      std::move(question)};
}

std::string decoded(std::string const& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The fixed places of the seed's command line, lent to one test at a time; what stood there comes back at the end.
class SeedFiles {
 public:
  SeedFiles() : lock_(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    REQUIRE(::flock(lock_, LOCK_EX) == 0);
    made_ = std::filesystem::create_directory(kDir);
    for (char const* name : kNames) {
      // What stands beside a file set aside is left of a test that was killed.
      if (std::filesystem::exists(kDir / name) && !std::filesystem::exists(aside(name)))
        std::filesystem::rename(kDir / name, aside(name));
    }
  }
  ~SeedFiles() {
    std::error_code ignored;
    for (char const* name : kNames) {
      std::filesystem::remove(kDir / name, ignored);
      if (std::filesystem::exists(aside(name), ignored)) std::filesystem::rename(aside(name), kDir / name, ignored);
    }
    if (made_) std::filesystem::remove(kDir, ignored);
    ::close(lock_);
  }
  SeedFiles(SeedFiles const&) = delete;
  SeedFiles& operator=(SeedFiles const&) = delete;

  void write(std::string const& answer, Json const& read) const {
    (void)replaced("answer.md", answer);
    (void)replaced("read_pages.json", read.dump());
  }

 private:
  static inline std::filesystem::path const kDir = "/tmp/paperkb";
  static constexpr char const* kNames[] = {"answer.md", "read_pages.json"};

  [[nodiscard]] static std::filesystem::path aside(std::string const& name) { return kDir / (name + ".set-aside"); }
  [[nodiscard]] static bool replaced(std::string const& name, std::string const& text) {
    int const fd = ::open((kDir / name).c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    bool const whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    REQUIRE(whole);
    return whole;
  }

  int lock_;
  bool made_ = false;
};

}  // namespace

// S1-25 S1-26 S1-28 S1-29 S1-30 S1-31
TEST_CASE("pages are read in the order that the kind of question asks for") {
  Workspace w;
  std::string const text = "# 向量量化\n\n向量量化把浮点向量压成 8 位整数，召回率下降不到 1%。\n";
  w.team.commit({{"projects/atlas/timeline.md", "# Atlas 时间线\n\n- `2026-03-01` Atlas 完成索引原型。\n"},
                 {"projects/atlas/open_questions.md", "# Atlas 未决问题\n\n- Atlas 是否支持跨语言检索？\n"},
                 {"projects/atlas/people.md", "# Atlas 成员\n\n- 李明负责 Atlas 的部署。\n"},
                 {"concepts/向量量化.md", text},
                 {"notes/向量量化.md", text},
                 {"resources/向量量化.md", text},
                 {"summaries/papers/向量量化.md", text}});
  struct Row {
    char const* question;
    std::vector<std::string> first;
    char const* why;
  };
  static Row const rows[] = {
      {"Atlas 项目的进展",
       {"projects/atlas/index.md", "projects/atlas/timeline.md", "projects/atlas/decisions.md",
        "projects/atlas/open_questions.md", "projects/atlas/people.md"},
       "S1-25, S1-28"},
      {"李明负责什么？", {"people/李明.md"}, "S1-26"},
      {"什么是向量量化？", {"concepts/向量量化.md"}, "S1-29"},
      {"向量量化有哪些工具？", {"resources/向量量化.md"}, "S1-30"},
      {"向量量化的论文说了什么？", {"summaries/papers/向量量化.md"}, "S1-31"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Json const consulted = parsed(w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_nlp", row.question)))["consulted"];
    CAPTURE(consulted.dump());
    REQUIRE(consulted.size() >= row.first.size());
    for (std::size_t i = 0; i < row.first.size(); ++i) CHECK_EQ(consulted[i], row.first[i]);
  }
}

// S1-37
TEST_CASE("a source's link leads to its page, with Chinese, spaces and signs in the path") {
  Workspace w;
  std::string const path = "resources/共享 文件/GPU 集群 #1 & 配额?.md";
  std::string const text = "# GPU 集群\n\nGPU 集群的登录节点是 gpu-login-07。\n";
  w.team.commit({{path, text}});
  Json const answer = parsed(w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_nlp", "GPU 集群的登录节点是什么？")));
  REQUIRE_EQ(answer.value("outcome", ""), "answered");
  std::string const url = answer["sources"][0].value("url", "");
  CAPTURE(url);
  CHECK(answer.value("answer", "").find("）" + url) != std::string::npos);
  // Nothing that a chat client would end the link at.
  CHECK(std::all_of(url.begin(), url.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-._~:/%#").find(c) != std::string_view::npos;
  }));
  // Followed as a browser does: the fragment stays at home, the path is decoded, the host shows that file.
  std::string const base = "https://git.example/nlp/nlp-team-kb/src/commit/" + w.team.head() + "/";
  REQUIRE(url.starts_with(base));
  std::string const asked = url.substr(base.size(), url.find('#') - base.size());
  CHECK_EQ(w.team.file(decoded(asked), w.team.head()).value_or("-"), text);
  CHECK_EQ(url.substr(url.find('#')), "#L3-L3");
}

// S1-50 S1-64
TEST_CASE("the read list of an answer is what the validator takes, also from the seed's fixed places") {
  Workspace w;
  Json const answer = parsed(w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_nlp", "组会什么时候开始？")));
  REQUIRE_EQ(answer.value("outcome", ""), "answered");
  std::string const cited = answer["sources"][0].value("path", "");
  Json const read = answer["consulted"];  // S1-50
  CHECK(std::find(read.begin(), read.end(), cited) != read.end());
  for (Json const& page : read) CHECK(w.team.file(page.get<std::string>()));
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  REQUIRE_EQ(records.size(), 1);
  for (Json const& hit : records[0]["hits"]) CHECK(std::find(read.begin(), read.end(), hit) != read.end());

  Json others = Json::array();
  for (Json const& page : read) {
    if (page != cited) others.push_back(page);
  }
  std::vector<std::string> const spelled{"validate_answer", "--answer_file", "/tmp/paperkb/answer.md",
                                         "--allowed_sources_file", "/tmp/paperkb/read_pages.json"};
  SeedFiles const files;
  for (auto const& command : {spelled, std::vector<std::string>{"validate_answer"}}) {  // S1-64
    CAPTURE(command.size());
    files.write(answer.value("answer", ""), read);
    CHECK_EQ(run_program(KB_PROGRAM, command).exit_code, 0);
    files.write(answer.value("answer", ""), others);
    Finished const foreign = run_program(KB_PROGRAM, command);
    CHECK_EQ(foreign.exit_code, 5);
    Json const report = parsed(foreign);
    CHECK_EQ(report["errors"][0].value("code", ""), "source_not_in_allowed_hits");
    CHECK(report["unmatched_sources"].dump().find("2026-11-02 组会") != std::string::npos);
    files.write("组会每周一开始。", read);
    CHECK_EQ(parsed(run_program(KB_PROGRAM, command))["errors"][0].value("code", ""), "missing_sources");
  }
}

// N-22
TEST_CASE("each fault of an answer file has its code") {
  std::string const none = "我在知识库中没有找到与「左偏树」相关的资料，因此无法基于知识库回答。\n\n";
  std::string const some = "来源：\n1. 《组会》（团队知识库）https://h/组会.md\n";
  struct Row {
    std::string answer, code;
  };
  Row const rows[] = {
      {"\n", "empty_answer"},
      {"组会每周一开始。\n", "missing_sources"},
      {none + some, "no_answer_sources_must_be_empty"},
      {"组会每周一开始。\n\n来源：\n", "empty_sources"},
      {"组会每周一开始。\n\n来源：\n1. 《编造》（团队知识库）https://h/no.md\n", "source_not_in_allowed_hits"},
      {"组会每周一开始。\n\n" + some, ""},
      {none + "来源：无\n", ""},
      {"审计没有找到漏洞。\n\n" + some, ""},
  };
  TempDir files;
  std::string const allowed = files.write("read_pages.json", R"(["https://h/组会.md"])").string();
  for (Row const& row : rows) {
    CAPTURE(row.answer);
    std::string const file = files.write("answer.md", row.answer).string();
    Finished const checked =
        run_program(KB_PROGRAM, {"validate_answer", "--answer_file", file, "--allowed_sources_file", allowed});
    CHECK_EQ(checked.exit_code, row.code.empty() ? 0 : 5);
    Json const report = parsed(checked);
    CHECK_EQ(report.value("valid", false), row.code.empty());
    CHECK_EQ(report.value("no_answer", false), row.answer.starts_with(none));
    CHECK_EQ(report["errors"].empty() ? "" : report["errors"][0].value("code", ""), row.code);
  }
}

// N-15
TEST_CASE("a group does not take a forced personal scope") {
  Workspace w;
  for (char const* scope : {"personal", "both"}) {
    CAPTURE(scope);
    for (char const* verb : {"resolve_scope", "ask"}) {
      std::vector<std::string> command = asking(verb, "ou_bob", "oc_nlp", "组会什么时候开始？");
      command.insert(command.end(), {"--scope", scope});
      Finished const refused = w.run(KB_PROGRAM, command);
      CHECK_EQ(refused.exit_code, 4);
      CHECK_EQ(parsed(refused).value("error", ""), "personal_scope_not_allowed_in_group");
    }
  }
  CHECK(w.records(KB_PROGRAM, "bob", "bob-personal-kb").empty());
}

// N-18
TEST_CASE("a project of teams.json is recognised by its id or its name") {
  Workspace w;
  Json teams = w.read_json("teams.json");
  teams["team_nlp"]["projects"]["skylark"] = {{"name", "云雀计划"}};
  w.write("teams.json", teams.dump(2));
  struct Row {
    char const *question, *id;
  };
  static constexpr Row rows[] = {
      {"skylark 什么时候上线？", "skylark"}, {"云雀计划什么时候上线？", "skylark"}, {"Atlas 什么时候上线？", "atlas"}};
  for (Row const& row : rows) {
    CAPTURE(row.question);
    CHECK_EQ(parsed(w.run(KB_PROGRAM, asking("resolve_scope", "ou_bob", "oc_nlp", row.question)))["project_id"],
             row.id);
  }
  CHECK(parsed(w.run(KB_PROGRAM, asking("resolve_scope", "ou_bob", "oc_nlp", "组会什么时候开始？")))["project_id"]
            .is_null());
}

// N-19
TEST_CASE("kb_list gives one kind or all of them") {
  Workspace w;
  Json catalog = Json::object();
  std::vector<std::string> const kinds{"documents", "concepts", "resources", "people",
                                       "projects",  "reviews",  "imports"};
  for (std::string const& kind : kinds) {
    catalog[kind] = Json::array({{{"title", kind}, {"name", kind}, {"file", kind + "/a.md"}}});
  }
  w.team.commit({{"catalog.json", catalog.dump()}});
  auto const listed = [&](std::string const& kind) {
    return parsed(w.run(KB_PROGRAM, {"kb_list", "--owner", "nlp", "--repo", "nlp-team-kb", "--kind", kind}));
  };
  for (std::string const& kind : kinds) {
    CAPTURE(kind);
    Json const one = listed(kind);
    for (std::string const& other : kinds) CHECK_EQ(one[other].size(), other == kind ? 1 : 0);
  }
  Json const all = listed("all");
  for (std::string const& kind : kinds) CHECK_EQ(all[kind].size(), 1);
}

// S1-55
TEST_CASE("programs that log to one knowledge base at once lose no line") {
  Workspace w;
  constexpr int kWriters = 2, kEach = 4;
  std::vector<std::string> failures(kWriters);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&w, &failures, writer] {
      for (int i = 0; i < kEach; ++i) {
        std::string const question = "w" + std::to_string(writer) + "q" + std::to_string(i) + "?";
        Finished const logged = w.run(KB_PROGRAM, {"log_query", "--owner", "nlp", "--repo", "nlp-team-kb", "--open_id",
                                                   "ou_bob", "--question", question, "--scope", "team"});
        if (logged.exit_code != 0) failures[static_cast<std::size_t>(writer)] += logged.out + logged.err;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (std::string const& failed : failures) CHECK_EQ(failed, "");
  std::string const log = w.team.file("log.md", "refs/heads/kbgate/query-log").value_or("");
  CHECK_EQ(std::count(log.begin(), log.end(), '\n'), 2 + kWriters * kEach);
  for (int writer = 0; writer < kWriters; ++writer) {
    for (int i = 0; i < kEach; ++i) {
      std::string const question = "| w" + std::to_string(writer) + "q" + std::to_string(i) + "?";
      CHECK(log.find(question) != std::string::npos);
    }
  }
  CHECK_EQ(w.run(KB_PROGRAM, {"log", "verify", "--owner", "nlp", "--repo", "nlp-team-kb"}).exit_code, 0);
}

}  // namespace kb::test
