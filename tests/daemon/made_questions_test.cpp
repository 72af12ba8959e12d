#include "daemon/made_questions.hpp"

#include <algorithm>
#include <doctest/doctest.h>

namespace kb::daemon {
namespace {

kbrepo::Page page_of(std::string const& text) { return kbrepo::parse_page("kb/budget.md", {}, text); }

std::vector<MadeQuestion> of_type(std::string const& type, std::string const& text) {
  std::vector<MadeQuestion> made = questions_of(page_of(text));
  std::erase_if(made, [&](MadeQuestion const& m) { return m.gold.type != type; });
  return made;
}

}  // namespace

TEST_CASE("a heading is asked for by its page and answered by the lines below it") {
  auto const made =
      of_type("heading", "# 算力预算\n\n## 申请流程\n\n先填表。\n\n再等批准。\n\n## 谁能申请？\n\n所有人。\n");
  REQUIRE_EQ(made.size(), 2);
  CHECK_EQ(made[0].gold.question, "算力预算的申请流程是什么？");
  CHECK_EQ(made[0].gold.line_begin, 3);
  CHECK_EQ(made[0].gold.line_end, 7);
  CHECK_EQ(made[0].gold.gold_pages, std::vector<std::string>{"kb/budget.md"});
  CHECK_EQ(made[1].gold.question, "谁能申请？");
  auto const en = of_type("heading", "# Compute budget\n\n## How to apply\n\nFill in the form.\n");
  REQUIRE_EQ(en.size(), 1);
  CHECK_EQ(en[0].gold.question, "What does Compute budget say about How to apply?");
}

TEST_CASE("a table row with a number of its own makes one question") {
  std::string const text =
      "# Machines\n\n| Host | Memory | Price |\n|---|---|---|\n| alpha | 512 GB | 12,400 |\n| beta | 5 | 9 |\n";
  auto const made = of_type("table", text);
  REQUIRE_EQ(made.size(), 1);
  CHECK_EQ(made[0].gold.question, "In Machines, what is the Memory of alpha?");
  CHECK_EQ(made[0].value, "512");
  CHECK_EQ(made[0].gold.line_begin, 5);
  CHECK_EQ(made[0].swapped, "513");
  CHECK_EQ(swapped_text(page_of(text), made[0]).find("| alpha | 513 GB | 12,400 |") != std::string::npos, true);
}

TEST_CASE("a date is taken out of its sentence and asked for") {
  auto const made = of_type("date", "# 发布\n\n- 2026-03-19：第一个版本交给所有试用的团队。\n");
  REQUIRE_EQ(made.size(), 1);
  CHECK_EQ(made[0].gold.question, "第一个版本交给所有试用的团队，是什么时候？");
  CHECK_EQ(made[0].value, "2026-03-19");
  CHECK_EQ(made[0].swapped, "2026-03-11");  // never the 10th or the 20th turned into a day that is none
  auto const written = of_type("date", "# 发布\n\n第二个版本在 2026 年 4 月 2 日交给所有试用的团队。\n");
  REQUIRE_EQ(written.size(), 1);
  CHECK_EQ(written[0].value, "2026 年 4 月 2 日");
}

TEST_CASE("a definition is a sentence that begins with the page's or the section's name") {
  auto const made = of_type("definition", "# 线段树\n\n线段树是一种用来求区间和的结构。\n\n树是一种植物。\n");
  REQUIRE_EQ(made.size(), 1);
  CHECK_EQ(made[0].gold.question, "什么是线段树？");
  CHECK_EQ(made[0].gold.line_begin, 3);
}

TEST_CASE("a value that stands on its page twice makes no question") {
  CHECK(of_type("date", "# 发布\n\n第一个版本在 2026-03-19 交给试用团队。\n\n下一次也不早于 2026-03-19。\n").empty());
  CHECK(of_type("table", "# M\n\n| Host | Memory |\n|---|---|\n| alpha | 512 |\n\nAll have 512.\n").empty());
}

TEST_CASE("a swapped value is none that the page has") {
  auto const made = of_type("table", "# Mx\n\n| Host | Memory |\n|---|---|\n| alpha | 512 |\n\nNot 513, not 514.\n");
  REQUIRE_EQ(made.size(), 1);
  CHECK_EQ(made[0].swapped, "515");
}

TEST_CASE("a value inside a longer number is not that value") {
  CHECK(holds_value("it is 512 GB", "512"));
  CHECK(holds_value("512", "512"));
  CHECK_FALSE(holds_value("it is 1512 GB", "512"));
  CHECK_FALSE(holds_value("5120", "512"));
  CHECK_FALSE(holds_value("anything", ""));
}

}  // namespace kb::daemon
