#include "tests/protocols/gold_brain.hpp"

#include <doctest/doctest.h>

TEST_CASE("nine of ten themes that answer 26 gold questions over a real brain are cited") {
  kb::test::GoldScore const score = kb::test::ask_gold_questions(std::string(KB_SOURCE_DIR) + "/tests/bench/brain");
  for (std::string const& missed : score.missed) MESSAGE(missed);
  CHECK_EQ(score.micros.size(), 26);
  CHECK_GE(score.found * 10, score.wanted * 9);
  CHECK_LE(score.cited, score.micros.size() * 4);  // not by citing everything
}
