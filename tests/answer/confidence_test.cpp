// The outcome rule over made-up evidence: what decides, and what stops a claim whatever its score.
#include "answer/confidence.hpp"

#include <doctest/doctest.h>

namespace kb::answer {
namespace {

/// A long question that one page of a large book answers with nearly all of its words.
Evidence sure() {
  Evidence e;
  e.crowd = true;
  e.agrees = true;
  e.topic = 0.3f;
  e.best_unit = e.best_window = e.best_passage = e.page = 0.9f;
  e.top_score = 0.6f;
  e.margin = 0.5f;
  e.over_rest = 1;
  e.concentration = 0.8f;
  e.heaviest_missing = 0.05f;
  e.words = 2;
  return e;
}

Evidence with(void (*change)(Evidence&)) {
  Evidence e = sure();
  change(e);
  return e;
}

}  // namespace

TEST_CASE("a question that one page says nearly all of is answered with high confidence") {
  Judgement const judgement = judge(sure());
  CHECK(judgement.outcome == Outcome::answered);
  CHECK(judgement.confidence == Confidence::high);
}

TEST_CASE("what is on topic but not sure enough gets closest pages, never a claim") {
  struct Row {
    void (*change)(Evidence&);
    char const* why;
  };
  static constexpr Row rows[] = {
      {[](Evidence& e) { e.lacks_number = true; }, "a number that stands nowhere"},
      {[](Evidence& e) { e.heaviest_missing = 0.3f; }, "a rare word is missing"},
      {[](Evidence& e) { e.best_passage = 0.3f; }, "too little of the question in any passage"},
      {[](Evidence& e) { e.words = 1.1f; }, "two words in a crowd"},
      {[](Evidence& e) {
         e.agrees = false;
         e.margin = e.over_rest = e.concentration = 0;
         e.best_window = e.page = 0.4f;
         e.heaviest_missing = 0.2f;
       },
       "the search is unsure and the sentences point elsewhere"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    CHECK(judge(with(row.change)).outcome == Outcome::insufficient);
  }
}

TEST_CASE("what has nothing to do with the book is refused") {
  CHECK(judge(with([](Evidence& e) { e.no_content_word = true; })).outcome == Outcome::no_answer);
  CHECK(judge(with([](Evidence& e) { e.best_passage = 0.15f; })).outcome == Outcome::no_answer);
  auto const foreign = with([](Evidence& e) {
    e.topic = 0;
    e.unknown = 0.5f;
    e.top_score = 0.1f;
    e.words = 1.4f;
    e.best_passage = e.page = 0.4f;
  });
  CHECK(judge(foreign).outcome == Outcome::no_answer);
}

TEST_CASE("agreement of search and sentences makes a claim surer") {
  CHECK(judge(sure()).score > judge(with([](Evidence& e) { e.agrees = false; })).score);
}

}  // namespace kb::answer
