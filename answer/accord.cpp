#include "answer/accord.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "answer/quotes.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMostValues = 6;  // a sentence full of figures answers several questions

std::vector<std::string> plain_numbers(std::string_view text) {
  std::vector<std::string> out = numbers_of(text);
  for (std::string& number : out) {  // 03 is 3
    std::size_t zeros = 0;
    while (zeros + 1 < number.size() && number[zeros] == '0' && number[zeros + 1] != '.') ++zeros;
    number.erase(0, zeros);
  }
  return out;
}

/// The sentence of an excerpt that answers, and what it says.
struct Statement {
  WordSet words = 0;
  std::vector<std::string> values;  ///< without those of the question
};

Statement statement_of(Question const& question, ContentWords const& words, Excerpt const& excerpt,
                       kbrepo::Page const& page) {
  std::vector<std::string> const asked = plain_numbers(question.folded);
  Statement best;
  float most = -1;
  for (Span const& span : excerpt.shown) {
    std::string_view const text = std::string_view(page.text).substr(span.begin, span.end - span.begin);
    for (std::string_view const sentence : sentences_of(text)) {
      Statement one;
      one.words = words.in(sentence);
      float const share = words.share(one.words);
      if (share <= most) continue;
      one.values = plain_numbers(sentence);
      std::erase_if(one.values,
                    [&](std::string const& v) { return std::find(asked.begin(), asked.end(), v) != asked.end(); });
      if (one.values.empty()) continue;
      most = share;
      best = std::move(one);
    }
  }
  return best;
}

bool holds_all(std::vector<std::string> const& all, std::vector<std::string> const& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](std::string const& v) { return std::find(all.begin(), all.end(), v) != all.end(); });
}

bool shares_any(std::vector<std::string> const& a, std::vector<std::string> const& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::string const& v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

Accord accord_of(Statement const& a, Statement const& b) {
  bool const comparable = !a.values.empty() && !b.values.empty() && a.values.size() <= kMostValues &&
                          b.values.size() <= kMostValues && a.words == b.words && a.words != 0;
  if (!comparable) return Accord::single;
  if (holds_all(a.values, b.values) || holds_all(b.values, a.values)) return Accord::same;
  return shares_any(a.values, b.values) ? Accord::single : Accord::different;
}

}  // namespace

Comparison compare_pages(Question const& question, ContentWords const& words, std::span<Excerpt const> excerpts,
                         std::span<PageRead const> pages) {
  bool const has_value = question.expected == Expected::time || question.expected == Expected::quantity;
  if (!has_value || excerpts.size() < 2) return {};
  Statement const first = statement_of(question, words, excerpts[0], *pages[excerpts[0].page].page);
  Comparison out;
  for (std::size_t i = 1; i < excerpts.size(); ++i) {
    if (excerpts[i].page == excerpts[0].page) continue;
    Accord const accord = accord_of(first, statement_of(question, words, excerpts[i], *pages[excerpts[i].page].page));
    if (accord == Accord::different) return {accord, 0, i};
    if (accord == Accord::same && out.accord == Accord::single) out = {accord, 0, i};
  }
  return out;
}

}  // namespace kb::answer
