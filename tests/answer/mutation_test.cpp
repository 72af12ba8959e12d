#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <string>

#include "answer/respond.hpp"
#include "answer/validate.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

/// Positions of the body's characters for which `wanted` holds.
template <class Wanted>
std::vector<std::size_t> places(std::string const& text, Wanted const& wanted) {
  std::vector<std::size_t> out;
  std::size_t const end = std::min(text.find("\n来源："), text.find("\nSources:"));
  for (std::size_t i = 0; i < std::min(end, text.size()); ++i) {
    if (wanted(text, i)) out.push_back(i);
  }
  return out;
}

std::string change_digit(std::string text, Random& random) {
  auto const digits = places(text, [](std::string const& t, std::size_t i) {
    return t[i] >= '0' && t[i] <= '9' && !(i > 0 && t[i - 1] == '[');
  });
  if (digits.empty()) return text;
  char& digit = text[digits[pick(random, digits.size())]];
  digit = static_cast<char>('0' + (digit - '0' + 1 + static_cast<int>(pick(random, 9))) % 10);
  return text;
}

std::string deny(std::string text, Random& random) {
  auto const starts = places(text, [](std::string const& t, std::size_t i) {
    return i > 4 && (static_cast<unsigned char>(t[i]) & 0xC0) != 0x80 && t[i] != ' ' && t[i] != '>' && t[i] != '[' &&
           t[i] != '\n' && t[i] != '`' && t[i] != ']';
  });
  if (starts.empty()) return text;
  bool const latin = text.find("Sources:") != text.npos;
  return text.insert(starts[pick(random, starts.size())], latin ? " not " : "不");
}

std::string affirm(std::string text, Random&) {
  for (std::string const word : {"不", "没有", "not "}) {
    auto const at = text.find(word);
    if (at != text.npos && at < text.find("来源：")) return text.erase(at, word.size());
  }
  return text;
}

/// The first source's page becomes another one that was read.
std::string swap_page(std::string const& text, std::vector<ReadPage> const& pages, Answer const& answer) {
  for (ReadPage const& page : pages) {
    bool const cited =
        std::any_of(answer.sources.begin(), answer.sources.end(), [&](Source const& s) { return s.path == page.path; });
    if (cited) continue;
    auto const block = text.find("\n1. 《");
    return text.substr(0, block) + "\n1. 《" + page.title + "》" + page.url;
  }
  return text;
}

}  // namespace

TEST_CASE("no answer survives a changed digit, an added or lost denial, or a swapped page") {
  test::Library const library;
  Random random(20260312);
  int checked = 0;
  for (std::string const& question : test::Library::questions()) {
    Answer const answer = library.ask(question);
    if (answer.outcome != Outcome::answered) continue;
    auto const pages = library.pages_of(answer);
    auto const accepts = [&](std::string const& text) {
      return validate({.answer = text, .allowed_sources = std::nullopt, .pages = pages}).valid;
    };
    REQUIRE(accepts(answer.text));
    std::vector<std::string> mutants{affirm(answer.text, random), swap_page(answer.text, pages, answer)};
    for (int i = 0; i < 20; ++i) mutants.push_back(change_digit(answer.text, random));
    for (int i = 0; i < 20; ++i) mutants.push_back(deny(answer.text, random));
    for (std::string const& mutant : mutants) {
      if (mutant == answer.text) continue;
      CAPTURE(mutant);
      CHECK_FALSE(accepts(mutant));
      ++checked;
    }
  }
  CHECK(checked > 200);
}

}  // namespace kb::answer
