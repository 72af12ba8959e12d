/// Walking a segment's streams: what a document consists of, term by term.
#pragma once

#include <span>
#include <string>

#include "kbrepo/index/segment.hpp"

namespace kb::kbrepo::index {

/// Whether a term is one CJK character: no other term is made of them.
[[nodiscard]] bool is_unigram(std::string_view term) noexcept;

/// For each code of one stream in order: `term(number)`, `bigram(first, second)` before the term that ends it,
/// `run_break()`, and `field_break()` between heading and body.
template <class Visitor>
void walk_stream(SegmentImage const& image, SegmentImage::Range range, Visitor&& visit) {
  std::uint32_t before = kNoTerm;  // the unigram this position may make a bigram with
  for (std::uint8_t const* at = range.begin; at < range.end;) {
    std::uint32_t const code = get_code(at);
    if (code < kFirstTerm) {
      before = kNoTerm;
      code == kBreak ? visit.run_break() : visit.field_break();
      continue;
    }
    std::uint32_t const number = code - kFirstTerm;
    if (!is_unigram(image.term(number))) {
      before = kNoTerm;
      visit.term(number);
      continue;
    }
    if (before != kNoTerm) visit.bigram(before, number);
    visit.term(number);
    before = number;
  }
}

/// How many passages of these documents hold each term; ascending by its record.
[[nodiscard]] Segment::DeadTerms passages_by_term(SegmentImage const& image, std::span<std::uint32_t const> documents);

}  // namespace kb::kbrepo::index
