// brain_bench FOLDER: source recall of brain_query over gold questions (tests/protocols/gold_brain.hpp).
#include <cstdio>

#include "tests/protocols/gold_brain.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: brain_bench FOLDER\n");
    return 2;
  }
  kb::test::GoldScore score = kb::test::ask_gold_questions(argv[1]);
  if (score.micros.empty()) return 1;
  for (std::string const& one : score.missed) std::printf("missed: %s\n", one.c_str());
  std::size_t const questions = score.micros.size();
  auto const middle = score.micros.begin() + static_cast<std::ptrdiff_t>(questions / 2);
  std::nth_element(score.micros.begin(), middle, score.micros.end());
  std::printf("%zu questions: source recall %.3f (%zu of %zu), %.2f sources a question, %zu gaps, median %.0f us\n",
              questions, double(score.found) / double(score.wanted), score.found, score.wanted,
              double(score.cited) / double(questions), score.gaps, *middle);
  return 0;
}
