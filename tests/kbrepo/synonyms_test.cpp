#include "kbrepo/synonyms.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>

namespace kb::kbrepo {
namespace {

/// All that may stand in for words of the question, each term once.
std::set<std::string> terms_for(StandIns const& table, std::string const& question) {
  std::set<std::string> out;
  for (StandIn const& one : table.of(question)) {
    for (auto const& phrase : one.instead) out.insert(phrase.begin(), phrase.end());
  }
  return out;
}

StandIns own(std::string const& json) {
  Synonyms table;
  CHECK_EQ(table.add(json), "");
  return StandIns(table);
}

}  // namespace

TEST_CASE("a word of the question brings what else it may be called, across languages and scripts") {
  StandIns const table{Synonyms()};
  CHECK(terms_for(table, "how much vacation do I get?").contains("年假"));
  CHECK(terms_for(table, "年假有几天").contains("pto"));
  CHECK(terms_for(table, "資料庫在哪").contains("据库"));       // 数据库, folded and in pairs
  CHECK(terms_for(table, "a sign hangs in the hall").empty());  // no phrase of the table, though its words are near
  CHECK(terms_for(table, "how do I sign in?").contains("login"));
}

TEST_CASE("a repository's own table counts beside the built-in one") {
  StandIns const table = own(R"([["gizmo","frobnicator engine"]])");
  CHECK(terms_for(table, "where is the gizmo?").contains("frobnic"));
  CHECK(terms_for(table, "the frobnicator engine").contains("gizmo"));
  CHECK(terms_for(table, "the frobnicator").empty());  // half a phrase is none
  CHECK(terms_for(table, "vacation").contains("pto"));
}

TEST_CASE("what stands in weighs less than what was asked and points at it") {
  StandIns const table = own(R"([["gizmo","frobnicator engine"]])");
  std::vector<index::QueryTerm> terms = index::query_terms("where is the gizmo?");
  std::size_t const asked = terms.size();
  std::vector<StandIn> const stand_ins = table.of("where is the gizmo?");
  add_stand_ins(stand_ins, terms);
  REQUIRE_EQ(terms.size(), asked + 2);
  float together = 0;
  for (std::size_t i = asked; i < terms.size(); ++i) {
    REQUIRE(terms[i].stands_for >= 0);
    CHECK_EQ(terms[static_cast<std::size_t>(terms[i].stands_for)].text, "gizmo");
    together += terms[i].weight;
  }
  CHECK(together < 1);
  add_stand_ins(stand_ins, terms);
  CHECK_EQ(terms.size(), asked + 2);  // a term is asked once
}

TEST_CASE("a table that is none is said and changes nothing") {
  Synonyms table;
  std::size_t const before = table.groups().size();
  CHECK_FALSE(table.add("{\"a\":1}").empty());
  CHECK_FALSE(table.add("[[\"alone\"]]").empty());
  CHECK_EQ(table.groups().size(), before);
}

}  // namespace kb::kbrepo
