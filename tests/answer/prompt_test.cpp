#include "answer/prompt.hpp"

#include <array>
#include <doctest/doctest.h>
#include <string>

#include "answer/model_draft.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

constexpr std::string_view kGood = R"({"sentences":[{"text":"甲","quotes":[{"id":"p2","quote":"乙"}]}]})";

}  // namespace

TEST_CASE("the claims of a completion are read however the model dresses them") {
  std::array<PromptPassage, 2> const passages{PromptPassage{3, "A", "a"}, PromptPassage{5, "B", "b"}};
  struct Row {
    std::string text;
    std::size_t claims;
    char const* why;
  };
  std::string const good(kGood);
  Row const rows[] = {
      {good, 1, "alone"},
      {"```json\n" + good + "\n```", 1, "fenced"},
      {"Here it is: " + good + " Hope it helps.", 1, "in prose"},
      {"<think>{\"sentences\":[{\"text\":\"x\"},{\"text\":\"y\"}]}</think>" + good, 1, "behind thoughts"},
      {"{\"note\":1} " + good, 1, "behind another object"},
      {R"({"sentences":[{"text":"甲","quotes":[]},{"text":"乙","quo)", 1, "broken off in its second sentence"},
      {R"({"sentences":[]})", 0, "none"},
      {R"({"sentences":[1,"x",{"text":""},{"text":7}]})", 0, "none that is one"},
      {R"({"sentences":[{"sentence":"甲","citations":[{"source":"p1","text":"乙"}]}]})", 1, "other names"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    auto const claims = read_completion(row.text, passages);
    REQUIRE(claims.has_value());
    CHECK_EQ(claims->size(), row.claims);
  }
  for (std::string const text : {"", "no", "{", "[1,2]", R"({"answer":"甲"})"})
    CHECK_FALSE(read_completion(text, passages));
  Claim const claim = read_completion(good, passages)->front();
  CHECK_EQ(claim.text, "甲");
  REQUIRE_EQ(claim.quotes.size(), 1);
  CHECK_EQ(claim.quotes[0].page, std::size_t{5});
  auto const foreign =
      read_completion(R"({"sentences":[{"text":"甲","quotes":[{"id":"p9","quote":"乙"}]}]})", passages);
  CHECK_FALSE(foreign->front().quotes[0].page.has_value());
}

TEST_CASE("a completion that grows is at its end when its object is, and not before") {
  struct Row {
    std::string before, last;  ///< `last` ends it; empty: it never ends
    char const* why;
  };
  std::string const good(kGood);
  std::string const open = good.substr(0, good.size() - 1);
  Row const rows[] = {
      {open, "}", "alone"},
      {"```json\n" + open, "}", "in a fence"},
      {"<think>" + good + "</think>" + open, "}", "thoughts hold a decoy"},
      {good.substr(0, 4) + "</think>" + open, "}", "the beginning of the thoughts is missing"},
      {"{\"x\":[1,2]} " + open, "}", "another object stands before"},
      {R"({"sentences":[{"text":"a } \" ] b"}])", "}", "brackets in a text"},
      {"<think>" + good, "", "still thinking"},
      {"no object, } only prose ]", "", "nothing begins"},
      {"{\"answer\":[]}", "", "not the object asked for"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    CompletionEnd ended;
    std::string text;
    for (char const c : row.before) {
      text += c;
      CHECK_FALSE(ended(text));
    }
    if (row.last.empty()) continue;
    CHECK(ended(text + row.last));
    CHECK_FALSE(ended("{"));  // another completion
    CHECK(CompletionEnd()(text + row.last + " and more"));
  }
}

TEST_CASE("each sentence of a model is noted with its verdict, the reason and what it rests on") {
  test::Library const library;
  int calls = 0;
  auto const model = [&calls](Prompt const&) -> std::string {
    if (++calls > 1) return R"({"sentences":[]})";
    return R"({"sentences":[
      {"text":"数据库采用 PostgreSQL 16，端口 5433。","quotes":[{"id":"p1","quote":"数据库采用 PostgreSQL 16，端口 5433。"}]},
      {"text":"数据库采用 PostgreSQL 17。","quotes":[{"id":"p1","quote":"数据库采用 PostgreSQL 16，端口 5433。"}]}]})";
  };
  Answer const answer = library.ask_model("Atlas 的数据库用什么？", model);
  REQUIRE_EQ(calls, 2);
  REQUIRE_EQ(answer.claims.size(), 2);
  ClaimNote const& said = answer.claims[0];
  CHECK_EQ(said.fate, "said");
  CHECK(said.reason.empty());
  REQUIRE_EQ(said.quotes.size(), 1);
  CHECK_EQ(said.quotes[0].path, "projects/atlas/decisions.md");
  CHECK(said.quotes[0].repo == test::Library::team_id());
  ClaimNote const& dropped = answer.claims[1];
  CHECK_EQ(dropped.fate, "dropped");
  CHECK_EQ(dropped.guard, "number");
  CHECK_EQ(dropped.reason, "a number, date or version in it is not in its quotes");
  REQUIRE_EQ(dropped.quotes.size(), 1);
  CHECK_EQ(dropped.quotes[0].text, "数据库采用 PostgreSQL 16，端口 5433。");
  std::string const json = to_json(answer, true);
  CHECK(json.find(R"("explain":[{"text":"数据库采用 PostgreSQL 16，端口 5433。","verdict":)") != json.npos);
  CHECK(to_json(answer).find("\"explain\"") == std::string::npos);
}

TEST_CASE("what is proven of a model's reply and answers nothing is set aside") {
  test::Library const library;
  auto const model = [](Prompt const&) -> std::string {
    return R"({"sentences":[{"text":"目标：为全公司提供统一检索。","quotes":[{"id":"p1","quote":"目标：为全公司提供统一检索。"},)"
           R"({"id":"p2","quote":"目标：为全公司提供统一检索。"},{"id":"p3","quote":"目标：为全公司提供统一检索。"}]}]})";
  };
  Answer const answer = library.ask_model("网关的端口是多少", model);
  CHECK_EQ(answer.drafter, "extractive");
  for (ClaimNote const& note : answer.claims) CHECK(note.fate != "said");
}

}  // namespace kb::answer
