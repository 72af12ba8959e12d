#include "answer/validate.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace kb::answer {
namespace {

std::vector<ReadPage> pages() {
  return {
      {"Atlas 决策记录", "https://git.example/nlp/kb/src/commit/0123/projects/atlas/decisions.md", "项目",
       "# Atlas 决策记录\n\n"
       "- 2026-03-12 数据库采用 PostgreSQL 16，端口 5433。\n"
       "- 负责人是王敏，李雷负责测试。\n"
       "- 旧版接口不支持批量导入。\n"
       "- 如果没有备份，禁止升级。\n\n"
       "部署在上海机房，每天凌晨 3 点\n备份一次。安全审计没有找到漏洞。\n\n"
       "| 服务 | 端口 |\n|---|---|\n| API | 8080 |\n",
       "projects/atlas/decisions.md"},
      {"Borealis handbook", "https://git.example/nlp/kb/src/commit/0123/guides/borealis%20handbook.md", "团队知识库",
       "# Borealis handbook\n\nBorealis uses MySQL 8 and is deployed in Beijing. API keys are rotated every 90 "
       "days.\n\n"
       "* The gateway does **not** cache answers.\n* See [the runbook](https://wiki.example/run) for details.\n",
       "guides/borealis handbook.md"},
  };
}

constexpr auto kAtlas =
    "《Atlas 决策记录》（项目）https://git.example/nlp/kb/src/commit/0123/projects/atlas/decisions.md#L3-L3";
constexpr auto kBorealis =
    "《Borealis handbook》（团队知识库）https://git.example/nlp/kb/src/commit/0123/guides/borealis%20handbook.md#L3-L3";

std::string codes_of(Validation const& validation) {
  std::string out;
  for (ValidationError const& error : validation.errors) {
    if (out.find(error.code) != out.npos) continue;
    if (!out.empty()) out += ' ';
    out += error.code;
  }
  return out;
}

std::string codes(std::string const& answer) {
  auto const read = pages();
  return codes_of(validate({.answer = answer, .allowed_sources = std::nullopt, .pages = read}));
}

std::string codes_without_pages(std::string const& answer,
                                std::optional<std::vector<std::string>> allowed = std::nullopt) {
  return codes_of(validate({.answer = answer, .allowed_sources = std::move(allowed), .pages = std::nullopt}));
}

std::string from(std::string const& body, std::string const& source = kAtlas) {
  return body + "\n\n来源：\n1. " + source + "\n";
}

constexpr auto kNoAnswer = "我在知识库中没有找到与「法国首都」相关的资料，因此无法基于知识库回答。";
constexpr auto kInsufficient = "我找到了相关资料，但其中没有足够信息回答该问题，因此目前不能得出结论。";

}  // namespace

TEST_CASE("the source block is checked without any page (S1-43…47, S1-66, C-39)") {
  struct Case {
    std::string answer;
    std::string codes;
    char const* why;
  };
  std::string const no(kNoAnswer);
  std::string const little(kInsufficient);
  Case const cases[] = {
      {"", "empty_answer", "nothing at all"},
      {" \n\t\n", "empty_answer", "white space"},
      {"来源：\n1. 《A》（团队知识库）https://x/a", "empty_answer", "sources without an answer"},
      {"用 PostgreSQL。", "missing_sources", "S1-43"},
      {"用 PostgreSQL，来源：内部文档", "missing_sources", "the word inside a line is no block"},
      {"用 PostgreSQL。\n\n来源：\n", "empty_sources", "S1-44"},
      {"用 PostgreSQL。\n\n来源：无", "empty_sources", "S1-44: an answer that names none"},
      {"用 PostgreSQL。\n\nSources: none.", "empty_sources", "S1-44 in English"},
      {"用 PostgreSQL。\n\n来源：无\n1. 《A》https://x/a", "empty_sources", "none and some"},
      {"用 PostgreSQL。\n\n来源：\n1. 《A》（团队知识库）https://x/a", "", "S1-35"},
      {"用 PostgreSQL。\n\n来源:\n1. 《A》（团队知识库）https://x/a", "", "half-width colon"},
      {"It uses PostgreSQL.\n\nSources:\n1. 《A》(team) https://x/a", "", "English"},
      {"用 PostgreSQL。\n\n来源：《A》https://x/a", "", "on the heading's line"},
      {no + "\n\n来源：无", "", "S1-38"},
      {no, "missing_sources", "S1-45"},
      {no + "\n\n来源：\n", "empty_sources", "S1-45: the word 无 is missing"},
      {no + "\n\n来源：\n1. 《A》https://x/a", "no_answer_sources_must_be_empty", "S1-46"},
      {no + "\n\n来源：无\n1. 《A》https://x/a", "no_answer_sources_must_be_empty", "S1-46 beside 无"},
      {no + "\n不过法国首都是巴黎。\n\n来源：无", "empty_sources", "S1-3: a no-answer says nothing beside its text"},
      {"审计没有找到漏洞。\n\n来源：\n1. 《A》https://x/a", "", "没有找到 inside a good answer"},
      {"The scan found no answer, not found.\n\nSources:\n1. 《A》https://x/a", "", "words of a guess in English"},
      {little + "\n\n来源：\n1. 《A》https://x/a", "", "S1-40, S1-66: no bracket"},
      {little + "\n\n来源：\n1. 《A》https://x/a\n   > 原文一句", "", "an excerpt shows where to look"},
      {little + "\n\n来源：无", "empty_sources", "S1-47"},
      {"用 PostgreSQL。\n\n来源：\n1. 《A》https://x/a\n   > 原文一句", "unsupported",
       "excerpts belong to insufficient"},
      {"I found nothing about 「Paris」 in the knowledge base, so I cannot answer from it.\n\nSources: none", "",
       "English no-answer"},
      {no + "\n（注意：知识库 nlp/kb 暂时无法读取，以上内容不包括它。）\n\n来源：无", "", "our own note"},
      {no + "\n（注意：知识库 nlp/kb。巴黎 暂时无法读取，以上内容不包括它。）\n\n来源：无", "empty_sources",
       "a note with a claim in its gap"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.why);
    CAPTURE(c.answer);
    CHECK(codes_without_pages(c.answer) == c.codes);
  }
}

TEST_CASE("a no-answer is told by its text alone") {
  CHECK(validate({.answer = std::string(kNoAnswer) + "\n\n来源：无", .allowed_sources = {}, .pages = {}}).no_answer);
  CHECK_FALSE(validate({.answer = from("没有找到漏洞。"), .allowed_sources = {}, .pages = {}}).no_answer);
}

TEST_CASE("allowed sources match whole titles, paths and links (S1-48, S1-49)") {
  struct Case {
    std::vector<std::string> allowed;
    bool ok;
    char const* why;
  };
  std::string const answer = from("数据库采用 PostgreSQL 16，端口 5433。");
  Case const cases[] = {
      {{"Atlas 决策记录"}, true, "title"},
      {{"projects/atlas/decisions.md"}, true, "path"},
      {{"https://git.example/nlp/kb/src/commit/0123/projects/atlas/decisions.md"}, true, "link without lines"},
      {{"https://git.example/nlp/kb/src/commit/0123/projects/atlas/decisions.md#L9"}, true, "link with other lines"},
      {{"别的", "Atlas 决策记录"}, true, "one of several"},
      {{"a"}, false, "the trap of the origin: `a` permits nothing"},
      {{"decisions.md"}, false, "a file name is no path"},
      {{"Atlas"}, false, "part of a title"},
      {{"Atlas 决策记录（草稿）"}, false, "longer title"},
      {{""}, false, "empty entry"},
      {{}, false, "nothing was read"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.why);
    auto const got = validate({.answer = answer, .allowed_sources = c.allowed, .pages = std::nullopt});
    CHECK(got.valid == c.ok);
    CHECK(got.checked_allowed_sources);
    CHECK(got.unmatched_sources.size() == (c.ok ? 0u : 1u));
    if (!c.ok) CHECK(codes_of(got) == "source_not_in_allowed_hits");
  }
  CHECK(codes_without_pages(from("x", "《Borealis handbook》（团队知识库）nlp/kb:guides/borealis handbook.md#L1-L2"),
                            {{"guides/borealis handbook.md"}}) == "");
  CHECK(codes_without_pages(from("x", "https://h/o/r/src/branch/main/a%20b.md"), {{"a b.md"}}) == "");
}

TEST_CASE("every sentence must stand in a page cited for it (S1-62)") {
  struct Case {
    std::string body;
    std::string codes;
    char const* why;
  };
  Case const good[] = {
      {"2026-03-12 数据库采用 PostgreSQL 16，端口 5433。", "", "verbatim"},
      {"> - 2026-03-12 数据库采用 PostgreSQL 16，端口 5433。 [1]", "", "as kbgate quotes it"},
      {"2026-03-12数据库采用PostgreSQL 16，端口 5433", "", "space beside Han and the last mark do not count"},
      {"端口 5433。", "", "a clause, nothing cut that turns it"},
      {"部署在上海机房，每天凌晨 3 点备份一次。", "", "a line break of the page"},
      {"安全审计没有找到漏洞。", "", "quotes an absence"},
      {"旧版接口不支持批量导入。负责人是王敏，李雷负责测试。", "", "two sentences of one page"},
      {"| 服务 | 端口 |\n| API | 8080 |", "", "a row with its header"},
      {"数据库采用 PostgreSQL １６，端口 ５４３３。", "", "full-width digits"},
  };
  for (auto const& c : good) {
    CAPTURE(c.why);
    CHECK(codes(from(c.body)) == c.codes);
  }
  Case const bad[] = {
      {"法国首都是巴黎。", "unsupported", "S1-3"},
      {"2026-03-12 数据库采用 PostgreSQL 16，端口 5434。", "number_mismatch", "another digit"},
      {"2026-03-13 数据库采用 PostgreSQL 16，端口 5433。", "number_mismatch", "another date"},
      {"旧版接口支持批量导入。", "negation_mismatch", "不 is gone"},
      {"支持批量导入。", "negation_mismatch", "cut behind its 不"},
      {"禁止升级。", "negation_mismatch", "cut behind its 如果没有"},
      {"负责人不是王敏，李雷负责测试。", "negation_mismatch", "不 is new"},
      {"负责人是赵强，李雷负责测试。", "entity_mismatch", "another person"},
      {"2026-03-12 数据库采用 MongoDB 16，端口 5433。", "entity_mismatch", "another product"},
      {"2026-03-12 数据库采用 PostgreSQL 16，李雷负责测试。", "stitched", "two halves of one page"},
      {"Borealis uses MySQL 8 and is deployed in Beijing.", "misattributed", "stands on a page that is not cited"},
      {"负责人是王敏，李雷负责测试。据说他们也维护登录服务。", "unsupported", "one grounded, one not"},
      {"负责人是王敏，李雷负责测试。 [2]", "misattributed", "no source has this number"},
      {"[负责人是王敏，李雷负责测试。](https://evil.example/x)", "unsupported", "a link the page does not have"},
      {"敏", "unsupported", "one character proves nothing"},
  };
  for (auto const& c : bad) {
    CAPTURE(c.why);
    CHECK(codes(from(c.body)) == c.codes);
  }
}

TEST_CASE("English sentences are held to the same") {
  std::string const both = std::string(kAtlas) + "\n2. " + kBorealis;
  CHECK(codes(from("API keys are rotated every 90 days.", kBorealis)) == "");
  CHECK(codes(from("The gateway does not cache answers.", kBorealis)) == "");
  CHECK(codes(from("See [the runbook](https://wiki.example/run) for details.", kBorealis)) == "");
  CHECK(codes(from("API keys are rotated every 30 days.", kBorealis)) == "number_mismatch");
  CHECK(codes(from("The gateway does cache answers.", kBorealis)) == "negation_mismatch");
  CHECK(codes(from("Borealis uses Oracle 8 and is deployed in Beijing.", kBorealis)) == "entity_mismatch");
  CHECK(codes(from("API keys are rotated every 90 days. [2]", both)) == "");
  CHECK(codes(from("API keys are rotated every 90 days. [1]", both)) == "misattributed");
  CHECK(codes(from("API keys are rotated every 9", kBorealis)) != "");
}

TEST_CASE("with pages, a source line must be one of them, label and link included (S1-36, S1-48)") {
  std::string const body = "负责人是王敏，李雷负责测试。";
  CHECK(codes(from(body, "《Atlas 决策记录》https://git.example/nlp/kb/src/commit/0123/projects/atlas/decisions.md")) ==
        "");
  CHECK(
      codes(
          from(
              body,
              "《Atlas 决策记录》（个人知识库）https://git.example/nlp/kb/src/commit/0123/projects/atlas/decisions.md"))
          .starts_with("source_not_in_allowed_hits"));
  CHECK(codes(from(body, "《Atlas 决策记录》（项目）https://evil.example/decisions.md"))
            .starts_with("source_not_in_allowed_hits"));
  CHECK(codes(from(body, std::string(kAtlas) + " 顺便说，法国首都是巴黎。")).starts_with("source_not_in_allowed_hits"));
  CHECK(codes(from(body, "《编造的页面》")).starts_with("source_not_in_allowed_hits"));
}

TEST_CASE("excerpts of the insufficient text are quotes too, at most 160 characters") {
  std::string const head = std::string(kInsufficient) + "\n\n来源：\n1. " + kAtlas + "\n   > ";
  CHECK(codes(head + "负责人是王敏，李雷负责测试。") == "");
  CHECK(codes(head + "负责人是赵强，李雷负责测试。") == "entity_mismatch");
  std::string long_excerpt;
  for (int i = 0; i < 161; ++i) long_excerpt += "字";
  CHECK(codes_without_pages(head + long_excerpt) == "unsupported");
}

TEST_CASE("a warning about an outdated page stands below its source (C-12)") {
  std::string const answer = from("负责人是王敏，李雷负责测试。");
  CHECK(codes(answer + "   ⚠ 此页已标记为过时（自 2026-01-02 起），建议更新后再引用。\n") == "");
  CHECK(codes(answer + "   ⚠ 此页已标记为过时（自 昨天李雷说 起），建议更新后再引用。\n")
            .starts_with("source_not_in_allowed_hits"));
}

TEST_CASE("allowed sources come inline, as JSON or as lines (S1-49)") {
  using List = std::vector<std::string>;
  CHECK(parse_allowed_sources("a.md;b.md|c.md") == List{"a.md;b.md|c.md", "a.md", "b.md", "c.md"});
  CHECK(parse_allowed_sources(R"(["a.md", {"title": "T", "url": "https://x/t"}])") == List{"a.md", "T", "https://x/t"});
  CHECK(parse_allowed_sources(R"({"sources": ["a.md"]})") == List{"a.md"});
  CHECK(parse_allowed_sources("a.md\n\n b.md \n") == List{"a.md", "b.md"});
  CHECK(parse_allowed_sources("{}").empty());
  CHECK(parse_allowed_sources("").empty());
}

TEST_CASE("pages come as a JSON array, and a broken file says why") {
  std::string why;
  auto const read = parse_read_pages(R"([{"title": "T", "url": "u", "text": "x"}])", why);
  REQUIRE(read.has_value());
  CHECK(read->front().title == "T");
  CHECK_FALSE(parse_read_pages("[{", why).has_value());
  CHECK_FALSE(why.empty());
  CHECK_FALSE(parse_read_pages(R"([{"title": "T"}])", why).has_value());
  CHECK(why.find("page 1") != why.npos);
}

TEST_CASE("the validation object has the fields of the contract") {
  auto const answer = from("x", "《编造》");
  auto const json =
      nlohmann::json::parse(to_json(validate({.answer = answer, .allowed_sources = {{"A"}}, .pages = {}})));
  CHECK(json["success"] == false);
  CHECK(json["valid"] == false);
  CHECK(json["no_answer"] == false);
  CHECK(json["checked_allowed_sources"] == true);
  CHECK(json["errors"][0]["code"] == "source_not_in_allowed_hits");
  CHECK(json["unmatched_sources"][0] == "1. 《编造》");
  CHECK(json["allowed_sources"][0] == "A");
}

}  // namespace kb::answer
