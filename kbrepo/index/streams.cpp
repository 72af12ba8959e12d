#include "kbrepo/index/streams.hpp"

#include <algorithm>

#include "kbrepo/index/fold.hpp"

namespace kb::kbrepo::index {
namespace {

struct Collect {
  SegmentImage const& image;
  std::vector<std::uint32_t>& terms;  ///< records
  std::string text;

  void term(std::uint32_t number) { terms.push_back(image.record(number)); }
  void bigram(std::uint32_t first, std::uint32_t second) {
    text.assign(image.term(first)).append(image.term(second));
    terms.push_back(image.find_term(text));
  }
  void run_break() {}
  void field_break() {}
};

}  // namespace

bool is_unigram(std::string_view term) noexcept {
  if (term.size() < 3 || term.size() > 4) return false;
  Decoded const first = decode(term, 0);
  return first.size == term.size() && class_of(first.point) == CharClass::cjk;
}

Segment::DeadTerms passages_by_term(SegmentImage const& image, std::span<std::uint32_t const> documents) {
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> title;
  std::vector<std::uint32_t> terms;
  for (std::uint32_t const document : documents) {
    title.clear();
    walk_stream(image, image.title_stream(document), Collect{image, title, {}});
    for (std::uint32_t p = image.first_passage(document); p < image.first_passage(document + 1); ++p) {
      terms = title;
      walk_stream(image, image.passage_stream(p), Collect{image, terms, {}});
      std::sort(terms.begin(), terms.end());
      all.insert(all.end(), terms.begin(), std::unique(terms.begin(), terms.end()));
    }
  }
  std::sort(all.begin(), all.end());
  Segment::DeadTerms out;
  for (std::uint32_t const term : all) {
    if (out.empty() || out.back().first != term) out.emplace_back(term, 0);
    ++out.back().second;
  }
  return out;
}

}  // namespace kb::kbrepo::index
