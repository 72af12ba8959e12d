#include "answer/page_forms.hpp"

#include <doctest/doctest.h>

#include "answer/likeness.hpp"
#include "answer/quotes.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

std::shared_ptr<kbrepo::Page const> page_of(std::string const& path, std::string const& text) {
  return std::make_shared<kbrepo::Page const>(kbrepo::parse_page(path, {}, text));
}

std::string many_lines(std::size_t lines) {
  std::string out;
  for (std::size_t i = 0; i < lines; ++i) out += "Line " + std::to_string(i) + " says something.\n\n";
  return out;
}

}  // namespace

TEST_CASE("the nearest sentence is the one that comparing with each of them finds") {
  for (auto const& [path, text] : test::pages_below("tests/demo/team")) {
    if (!path.ends_with(".md")) continue;
    PageForms const forms(page_of(path, text));
    NormalText const& normal = forms.text().normal();
    std::vector<std::string_view> const sentences = sentences_of(normal);
    for (std::size_t i = 0; i + 1 < sentences.size(); i += 3) {
      std::string asked(sentences[i]);  // a sentence without its end, and the next one's beginning
      asked.resize(asked.size() - asked.size() / 4);
      asked.append(sentences[i + 1].substr(0, 6));
      double best = 0, second = 0;
      for (std::string_view const sentence : sentences) {
        double const like = likeness(grams_of(asked), grams_of(sentence));
        second = std::max(second, std::min(like, best));
        best = std::max(best, like);
      }
      CAPTURE(asked);
      PageForms::Nearest const got = forms.nearest(asked, 0);
      CHECK_EQ(got.like, doctest::Approx(best));
      CHECK_EQ(got.next, doctest::Approx(second));
      if (best > second) {
        std::string_view const found = forms.text().text_of(got.place);
        CHECK_EQ(likeness(grams_of(asked), grams_of(found)), doctest::Approx(best));
      }
    }
  }
}

TEST_CASE("the longest beginning of a text that stands on a page is told, inside one block") {
  PageForms const forms(page_of("a.md", "# Title\n\nOne two three.\n\n- four five\n- six seven\n"));
  struct Row {
    char32_t const* text;
    std::size_t want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {U"one two three", 13, "all of it"},
      {U"one two four", 8, "to where it differs"},
      {U"four five six", 9, "not across blocks"},
      {U"on", 0, "too short to look for"},
      {U"zebra", 0, "nowhere"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    CHECK_EQ(forms.text().longest_beginning(row.text), row.want);
  }
}

TEST_CASE("forms are kept by page, and those not used for longest go first") {
  auto const a = page_of("a.md", many_lines(50));
  auto const b = page_of("b.md", many_lines(50));
  auto const c = page_of("c.md", many_lines(50));
  std::size_t const one = PageForms(a).bytes();
  KeptForms kept(3 * one - one / 2);  // room for two
  FormsPtr const first = kept.of(a);
  FormsPtr const second = kept.of(b);
  CHECK_EQ(kept.of(a), first);
  CHECK_EQ(kept.of(page_of("a.md", many_lines(50))), first);  // the same page, parsed anew
  FormsPtr const third = kept.of(c);
  CHECK_EQ(kept.of(a), first);
  CHECK_EQ(kept.of(c), third);
  CHECK_NE(kept.of(b), second);
  CHECK_EQ(&second->page(), b.get());  // whoever holds forms holds their page
  KeptForms small(one);
  CHECK_NE(small.of(a), small.of(a));  // a page that would take most of the room is not kept
}

}  // namespace kb::answer
