// Two pages that answer the same question: together, or against each other.
#include <doctest/doctest.h>

#include "answer/texts.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

using test::Library;

bool holds(std::string const& text, std::string_view part) { return text.find(part) != text.npos; }

Library two_pages(std::string const& first, std::string const& second) {
  return Library(
      std::map<std::string, std::string>{
          {"notes/a.md", "---\ndate: 2026-03-02\n---\n# 容灾演练安排\n\n" + first + "\n"},
          {"notes/b.md", "---\ndate: 2026-10-20\n---\n# 机房年度计划\n\n" + second + "\n"},
          {"notes/c.md", "# 食堂\n\n食堂周末不开门。\n"}},
      {});
}

}  // namespace

TEST_CASE("pages that agree are both cited, and the answer is sure") {
  Library const library = two_pages("容灾演练定在 9 月 14 日，由值班同事执行。", "今年的容灾演练是 9 月 14 日。");
  Answer const answer = library.ask_team("容灾演练是哪一天？");
  CAPTURE(answer.text);
  REQUIRE(answer.outcome == Outcome::answered);
  CHECK_EQ(answer.sources.size(), 2);
  CHECK(answer.confidence == Confidence::high);
  CHECK_FALSE(holds(answer.text, "说法不同"));
}

TEST_CASE("pages that disagree are both shown with their dates, and none is picked") {
  Library const library = two_pages("容灾演练定在 9 月 14 日，由值班同事执行。", "今年的容灾演练是 11 月 3 日。");
  Answer const answer = library.ask_team("容灾演练是哪一天？");
  CAPTURE(answer.text);
  REQUIRE(answer.outcome == Outcome::answered);
  CHECK_EQ(answer.sources.size(), 2);
  CHECK(holds(answer.text, "9 月 14 日"));
  CHECK(holds(answer.text, "11 月 3 日"));
  bool const dated = holds(answer.text, differing_note(Lang::zh, {1, "2026-03-02"}, {2, "2026-10-20"})) ||
                     holds(answer.text, differing_note(Lang::zh, {1, "2026-10-20"}, {2, "2026-03-02"}));
  CHECK(dated);
  CHECK(answer.confidence == Confidence::low);
}

TEST_CASE("a page without a date of its own goes by the commit that changed it last") {
  Library const library(std::map<std::string, std::string>{{"a.md", "# 演练安排\n\n容灾演练定在 9 月 14 日。\n"},
                                                           {"b.md", "# 年度计划\n\n容灾演练定在 11 月 3 日。\n"}},
                        {});
  Answer const answer = library.ask_team("容灾演练是哪一天？");
  CAPTURE(answer.text);
  REQUIRE(answer.outcome == Outcome::answered);
  CHECK(holds(answer.text, "[1] 2026-01-01, [2] 2026-01-01"));
}

TEST_CASE("only kbgate's own words are a note on pages that differ") {
  CHECK(is_note(differing_note(Lang::zh, {1, "2026-03-02"}, {2, ""})));
  CHECK(is_note(differing_note(Lang::en, {1, "2026-03-02"}, {12, "2026"})));
  CHECK_FALSE(is_note("（注意：两处的说法不同，请核对：[1] 预算翻倍, [2] 2026。）"));
  CHECK_FALSE(is_note("（注意：两处的说法不同，请核对：[1] 2026-03-02。）"));
}

TEST_CASE("different figures for different things are no disagreement") {
  Library const library = two_pages("容灾演练定在 9 月 14 日。", "消防演练定在 11 月 3 日。");
  Answer const answer = library.ask_team("容灾演练是哪一天？");
  CAPTURE(answer.text);
  CHECK_FALSE(holds(answer.text, "说法不同"));
}

}  // namespace kb::answer
