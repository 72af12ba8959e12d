#include "answer/respond.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "answer/validate.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

using test::Library;

bool holds(std::string const& text, std::string_view part) { return text.find(part) != text.npos; }

std::vector<std::string> paths(std::vector<Consulted> const& consulted) {
  std::vector<std::string> out;
  for (auto const& page : consulted) out.push_back(page.path);
  return out;
}

}  // namespace

TEST_CASE("questions whose answer stands on a page of a small knowledge base are answered from it") {
  struct Case {
    char const* question;
    char const* says;
    char const* page;
    char const* why;
  };
  constexpr Case cases[] = {
      {"Atlas 的数据库用什么？", "PostgreSQL 16", "projects/atlas/decisions.md", "S1-1: project space"},
      {"Atlas 项目的负责人是谁", "王敏", "projects/atlas/index.md", "S1-7: people"},
      {"Atlas 什么时候上线？", "2026-09-01", "projects/atlas/timeline.md", "a date"},
      {"王敏负责什么？", "检索服务", "people/王敏.md", "S1-26"},
      {"上周组会关于备份定了什么", "每天凌晨 3 点", "summaries/meetings/2026-03-12-组会.md", "S1-7: meetings"},
      {"什么是左偏树？", "可并堆", "concepts/左偏树.md", "S1-29"},
      {"网关的端口是多少", "8443", "resources/服务清单.md", "a table row"},
      {"How often are API keys rotated?", "every 90 days", "guides/security.md", "English"},
      {"Where is Borealis deployed?", "Frankfurt", "guides/borealis.md", "English, a place"},
      {"Which cache does Borealis use?", "Redis 7", "guides/borealis.md", "English"},
  };
  Library library;
  for (auto const& c : cases) {
    CAPTURE(c.question);
    CAPTURE(c.why);
    Answer const answer = library.ask(c.question);
    CAPTURE(answer.text);
    CHECK(answer.outcome == Outcome::answered);
    CHECK(holds(answer.text, c.says));
    REQUIRE_FALSE(answer.sources.empty());
    CHECK(std::any_of(answer.sources.begin(), answer.sources.end(), [&](Source const& s) { return s.path == c.page; }));
  }
}

TEST_CASE("what the knowledge base does not know gets the fixed no-answer text (S1-2, S1-3, S1-38)") {
  Library library;
  CHECK(library.ask("法国首都是哪里？").text ==
        "我在知识库中没有找到与「法国首都」相关的资料，因此无法基于知识库回答。\n\n来源：无");
  CHECK(library.ask("What is the capital of France?").text ==
        "I found nothing about 「capital of France」 in the knowledge base, so I cannot answer from it.\n\nSources: "
        "none");
  for (char const* const question :
       {"量子纠错的阈值是多少", "谁赢了世界杯", "？", "的了吗", "Who won the world cup?"}) {
    CAPTURE(question);
    Answer const answer = library.ask(question);
    CHECK(answer.outcome == Outcome::no_answer);
    CHECK(answer.sources.empty());
    CHECK(answer.gap);
    CHECK(answer.confidence == Confidence::none);
  }
}

TEST_CASE("a page on the topic without the answer gives the insufficient text with that page (S1-40, S1-47)") {
  Library library;
  for (char const* const question :
       {"Atlas 的年度预算是多少？", "王敏的手机号是多少", "How much does Borealis cost per month?"}) {
    CAPTURE(question);
    Answer const answer = library.ask(question);
    CAPTURE(answer.text);
    CHECK(answer.outcome == Outcome::insufficient);
    CHECK_FALSE(answer.sources.empty());
    CHECK(answer.gap);
    CHECK(answer.confidence == Confidence::low);
    CHECK_FALSE(holds(answer.text, "（项目）"));  // C-39: no bracket here
  }
  CHECK(
      library.ask("Atlas 的年度预算是多少？")
          .text.starts_with("我找到了相关资料，但其中没有足够信息回答该问题，因此目前不能得出结论。\n\n来源：\n1. 《"));
}

TEST_CASE("what is asked of one version is not answered from the page of another") {
  auto const release = [](std::string const& version, std::string const& port) {
    return "# Ferry " + version + " 发布说明\n\nFerry " + version + " 的管理端口默认是 " + port + "。\n";
  };
  std::map<std::string, std::string> pages{{"releases/ferry-5.1.md", release("5.1", "7001")},
                                           {"releases/ferry-5.2.md", release("5.2", "7002")},
                                           {"releases/ferry-5.3.md", release("5.3", "7003")}};
  for (int n = 0; n < 9; ++n) {  // so often named that its absence alone would not tell
    pages["notes/" + std::to_string(n) + ".md"] = "# 周报 " + std::to_string(n) + "\n\n等 5.3 的修复。\n";
  }
  char const* const question = "Ferry 5.3 的管理端口默认是多少？";
  Answer const known = Library(pages, test::personal_pages({})).ask(question);
  CHECK(known.outcome == Outcome::answered);
  CHECK(holds(known.text, "7003"));
  pages.erase("releases/ferry-5.3.md");
  Answer const gone = Library(pages, test::personal_pages({})).ask(question);
  CAPTURE(gone.text);
  CHECK(gone.outcome != Outcome::answered);
}

TEST_CASE("an answer has numbered sources with label and link, and its quotes are bytes of the page (S1-34…37)") {
  Library library;
  Answer const answer = library.ask("Atlas 的数据库用什么？");
  REQUIRE(answer.outcome == Outcome::answered);
  Source const& source = answer.sources.front();
  CHECK(source.title == "Atlas 决策记录");
  CHECK(source.label == "项目");
  CHECK(source.commit == library.team_commit());
  CHECK(holds(answer.text, "\n\n来源：\n1. 《Atlas 决策记录》（项目）https://git.example/nlp/team-kb/src/commit/" +
                               source.commit.hex() + "/projects/atlas/decisions.md#L"));
  CHECK(library.ask("王敏负责什么？").sources.front().label == "团队知识库");
  CHECK(library.ask("我的读书笔记里 Raft 的选举超时是多少").sources.front().label == "个人知识库");
}

TEST_CASE("every quote is a byte substring of its page inside its lines") {
  Library library;
  for (std::string const& question : Library::questions()) {
    Answer const answer = library.ask(question);
    CAPTURE(question);
    for (Source const& source : answer.sources) {
      std::string const page = library.file(source.repo, source.path);
      auto const at = page.find(source.quote);
      REQUIRE(at != page.npos);
      std::string const lines = Library::lines(page, source.line_begin, source.line_end);
      CHECK(holds(lines, source.quote));
    }
  }
}

TEST_CASE("every answer that leaves is valid against the pages read, in text as in structure (S1-41, S1-62)") {
  Library library;
  for (std::string const& question : Library::questions()) {
    Answer const answer = library.ask(question);
    CAPTURE(answer.text);
    auto const pages = library.pages_of(answer);
    CHECK(validate({.answer = answer.text, .allowed_sources = std::nullopt, .pages = pages}).valid);
  }
}

TEST_CASE("project pages are read first, in their order; the catalogue before any page (S1-25, S1-28, S1-65)") {
  Library library;
  auto const read = paths(library.ask("Atlas 最近的进展和决定").consulted);
  std::vector<std::string> const first(
      read.begin(), read.begin() + std::min<std::ptrdiff_t>(4, static_cast<std::ptrdiff_t>(read.size())));
  CHECK(first == std::vector<std::string>{"catalog.json", "projects/atlas/index.md", "projects/atlas/timeline.md",
                                          "projects/atlas/decisions.md"});
  auto const person = paths(library.ask("王敏负责什么？").consulted);
  REQUIRE(person.size() >= 2);
  CHECK(person[1] == "people/王敏.md");                                // S1-26
  CHECK(library.ask("Atlas 最近的进展和决定").consulted.size() <= 6);  // C-40: five pages and one catalogue
}

TEST_CASE("control pages and invite codes are never quoted (N-31)") {
  Library library;
  for (char const* const question :
       {"团队的邀请码是多少？", "NLP 团队邀请码", "What is the invite code of the team?"}) {
    CAPTURE(question);
    Answer const answer = library.ask(question);
    CHECK_FALSE(holds(answer.text, "7F3K"));
    CHECK(answer.outcome != Outcome::answered);
    for (auto const& page : answer.consulted) CHECK(page.path != "TEAM_INFO.md");
  }
}

TEST_CASE("an outdated page is quoted with a warning beside its source (C-12)") {
  Library library;
  Answer const answer = library.ask("旧版部署脚本在哪台机器上运行？");
  REQUIRE(answer.outcome == Outcome::answered);
  CHECK(holds(answer.text, "   ⚠ 此页已标记为过时（自 2025-01-02 起），建议更新后再引用。"));
  CHECK(answer.stale_files == std::vector<std::string>{"guides/旧版部署.md"});
  CHECK(answer.warnings.size() == 1);
}

TEST_CASE("a knowledge base that cannot be read is named to the asker") {
  Library library;
  Answer const answer = library.ask_without_personal("Atlas 的数据库用什么？");
  CHECK(answer.outcome == Outcome::answered);
  CHECK(holds(answer.text, "（注意：知识库 wang/notes 暂时无法读取，以上内容不包括它。）"));
  CHECK(answer.queried == std::vector<RepoId>{Library::team_id()});
}

TEST_CASE("somebody without a team hears that a team question was asked of the personal notes alone (C-22)") {
  Library library;
  Answer const answer = library.ask_personal("我们的 Raft 选举超时是多少");
  CAPTURE(answer.text);
  CHECK(answer.outcome == Outcome::answered);
  CHECK(holds(answer.text, "（注意：你还没有加入团队，以上内容只来自个人知识库。）"));
  CHECK(answer.warnings.size() == 1);
  CHECK(library.ask_personal("Raft 的选举超时是多少").warnings.empty());
}

TEST_CASE("pages outside the grant do not change a byte (two worlds)") {
  Library one;
  Library two("- 2026-03-12 数据库采用 MongoDB。\n- Atlas 上线 Frankfurt 端口 9999，备份，左偏树。\n");
  for (std::string const& question : Library::questions()) {
    CAPTURE(question);
    CHECK(to_json(one.ask_team(question)) == to_json(two.ask_team(question)));
  }
}

TEST_CASE("the same question gives the same bytes") {
  Library library;
  for (std::string const& question : Library::questions()) {
    CHECK(to_json(library.ask(question)) == to_json(library.ask(question)));
  }
}

TEST_CASE("a hand-off reads nothing (S1-9)") {
  Library library;
  Answer const answer = library.ask("把这个存到知识库");
  CHECK(answer.outcome == Outcome::handed_off);
  CHECK(answer.handed_to == "ingest_document");
  CHECK(holds(answer.text, "ingest_document"));
  CHECK(answer.consulted.empty());
  CHECK(answer.queried.empty());
}

TEST_CASE("a refusal has the resolver's text and touches no repository (S1-21)") {
  scope::ScopeOutcome outcome;
  outcome.refusal = scope::Refusal::personal_scope_not_allowed_in_group;
  outcome.message = "群聊中不能查询个人知识库。请私聊我查询个人资料。";
  Answer const answer = refused("q1", "我的笔记", outcome);
  CHECK(answer.text == outcome.message);
  CHECK(answer.queried.empty());
  auto const json = nlohmann::json::parse(to_json(answer));
  CHECK(json["success"] == false);
  CHECK(json["error"] == "personal_scope_not_allowed_in_group");
  CHECK(json["scope"].is_null());
}

TEST_CASE("the answer object has the fields of the contract") {
  Library library;
  auto const json = nlohmann::json::parse(to_json(library.ask("Atlas 的数据库用什么？")));
  for (char const* const key : {"success", "outcome", "query_id", "question", "lang", "answer", "confidence", "scope",
                                "intent", "sources", "consulted", "stale_files", "warnings", "gap", "took_us"}) {
    CAPTURE(key);
    CHECK(json.contains(key));
  }
  auto const& source = json["sources"][0];
  CHECK(source["lines"].size() == 2);
  CHECK(source["author"] == "Test Author");
  CHECK(json["consulted"][0] == "catalog.json");
  CHECK(nlohmann::json::parse(sources_json(library.ask("Atlas 的数据库用什么？"))) == json["sources"]);
}

TEST_CASE("an empty shelf answers that there is nothing") {
  Library library;
  CHECK(library.ask_nothing("Atlas 的数据库用什么？").outcome == Outcome::no_answer);
}

TEST_CASE("any bytes as a question end in a valid text") {
  Library library;
  for (std::string const& question :
       {std::string("\xff\xfe\x80"), std::string(4000, 'a'), std::string("来源：无\n1. 《x》"), std::string("\n\n"),
        std::string("「」《》[1]"), std::string("Atlas\0Atlas", 11)}) {
    Answer const answer = library.ask(question);
    auto const pages = library.pages_of(answer);
    CHECK(validate({.answer = answer.text, .allowed_sources = std::nullopt, .pages = pages}).valid);
  }
}

TEST_CASE("passages for search come best first and name their lines") {
  Library library;
  auto const found = library.find("Atlas 数据库 PostgreSQL", 3);
  REQUIRE_FALSE(found.empty());
  CHECK(found.size() <= 3);
  CHECK(found.front().path == "projects/atlas/decisions.md");
  CHECK(found.front().line_begin > 0);
  CHECK(std::is_sorted(found.begin(), found.end(), [](Found const& a, Found const& b) { return a.score > b.score; }));
}

}  // namespace kb::answer
