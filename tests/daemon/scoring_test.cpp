#include "daemon/scoring.hpp"

#include <doctest/doctest.h>

namespace kb::daemon {
namespace {

GoldQuestion gold() {
  GoldQuestion q;
  q.question = "when?";
  q.answerable = true;
  q.gold_pages = {"a.md", "b.md"};
  q.answer_contains = {{"11 月 23 日", "2026-11-23"}, {"Milvus"}};
  q.line_begin = 10;
  q.line_end = 12;
  return q;
}

answer::Source source(std::string path, std::uint32_t begin, std::uint32_t end, std::string quote) {
  answer::Source s;
  s.path = std::move(path);
  s.line_begin = begin;
  s.line_end = end;
  s.quote = std::move(quote);
  return s;
}

answer::Found hit(std::string path) {
  answer::Found f;
  f.path = std::move(path);
  return f;
}

}  // namespace

TEST_CASE("a page's rank counts distinct pages, not passages") {
  Score const s = score(gold(), {hit("x.md"), hit("x.md"), hit("y.md"), hit("b.md")}, {});
  CHECK(s.page_rank == 3);
}

TEST_CASE("an answer holds the gold when every group has a string in it, marks, case and spaces aside") {
  answer::Answer a;
  a.text = "上线推迟到 **11月23日**，选用 `MILVUS`。";
  CHECK(score(gold(), {}, a).contains);
  a.text = "上线推迟到 11 月 23 日。";
  CHECK_FALSE(score(gold(), {}, a).contains);
}

TEST_CASE("a citation of the main page counts when its lines overlap the gold lines") {
  answer::Answer a;
  a.sources = {source("a.md", 12, 14, "x")};
  CHECK(score(gold(), {}, a).cites_lines);
  a.sources = {source("a.md", 13, 14, "x")};
  Score const beside = score(gold(), {}, a);
  CHECK(beside.cites_page);
  CHECK_FALSE(beside.cites_lines);
}

TEST_CASE("a citation of another gold page counts when the quote holds a gold string") {
  answer::Answer a;
  a.sources = {source("b.md", 1, 1, "we chose Milvus")};
  CHECK(score(gold(), {}, a).cites_lines);
  a.sources = {source("b.md", 1, 1, "we chose nothing")};
  CHECK_FALSE(score(gold(), {}, a).cites_lines);
}

TEST_CASE("totals keep answerable and unanswerable questions apart") {
  GoldQuestion open;
  open.answerable = false;
  Score right;
  right.page_rank = 1;
  right.answered = right.cites_page = right.contains = true;
  right.took_us = 5;
  Score wrong;
  wrong.answered = true;
  wrong.took_us = 9;
  Totals const t = total({gold(), gold(), open}, {right, Score{}, wrong});
  CHECK(t.answerable == 2);
  CHECK(t.page1 == 1);
  CHECK(t.answered == 1);
  CHECK(t.refused_plainly == 1);
  CHECK(t.wrongly_answered == 1);
  CHECK(t.median_us == 5);
}

TEST_CASE("a claim is wrong where there is no answer, and where it rests on other pages") {
  GoldQuestion open;
  Score wrong_page;
  wrong_page.answered = true;
  Score closest;
  closest.insufficient = true;
  Totals const t = total({gold(), gold(), open, open}, {wrong_page, closest, Score{}, wrong_page});
  CHECK(t.wrong_answer_rate() == doctest::Approx(0.5));
  CHECK(t.needless_refusal_rate() == 0);
  CHECK(t.unanswerable_refused == 1);
}

TEST_CASE("odd and even ids, languages and types are reported apart") {
  GoldQuestion odd = gold();
  odd.id = "cof-001";
  odd.lang = "zh";
  odd.type = "fact";
  GoldQuestion even = odd;
  even.id = "cof-010";
  even.lang = "en";
  Score first;
  first.page_rank = 1;
  std::vector<Group> const all = groups({odd, even}, {first, Score{}});
  std::vector<std::string> names;
  for (Group const& group : all) names.push_back(group.name);
  CHECK(names == std::vector<std::string>{"all", "even", "odd", "en", "zh", "fact"});
  CHECK(all[0].totals.page1 == 1);
  CHECK(all[1].totals.page1 == 0);
  CHECK(all[2].totals.page1 == 1);
  CHECK(all[5].totals.answerable == 2);
}

TEST_CASE("a line that is no question is named") {
  Result<std::vector<GoldQuestion>> const parsed = parse_questions("{\"question\":\"a\"}\n\n{\"question\":3}\n");
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().what.find("line 3") != std::string::npos);
}

}  // namespace kb::daemon
