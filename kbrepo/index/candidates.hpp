/// The best passages by BM25F alone: MaxScore (Turtle and Flood 1995) by windows of passages, with block maxima.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kbrepo/index/live_set.hpp"

namespace kb::kbrepo::index {

/// A question's term that some live passage holds.
struct WeightedTerm {
  std::string_view text;
  TermKind kind = TermKind::word;
  float weight = 0;   ///< idf × weight in the question
  float content = 0;  ///< of it, what says what the question is about: none of a word that asks or joins
  bool asked = true;  ///< false: it stands in for another term
};

/// A question's terms, looked up once.
struct WeightedTerms {
  std::vector<WeightedTerm> terms;
  std::vector<std::uint32_t> records;  ///< part by part, each term's record or kNoTerm

  [[nodiscard]] std::span<std::uint32_t const> of_part(std::size_t part) const noexcept {
    return std::span(records).subspan(part * terms.size(), terms.size());
  }
};

struct Candidate {
  std::uint32_t score = 0;              ///< BM25F in kScoreSteps
  std::uint32_t part = 0, passage = 0;  ///< of LiveSet::parts, of its segment
  std::uint32_t doc = 0;                ///< in the live list
  float prior = 1;                      ///< of the document
};

/// Scores are whole numbers while they are summed: the sum is the same in any order, so neither segments nor shortcuts
/// change a score.
inline constexpr float kScoreSteps = 65536;

/// At most `limit`, best first; equal scores in the order of the live list. Exact: what is skipped cannot be among
/// them. Documents whose `prior` (empty: 1) is 0 are left out; it is asked only of those that could be among the best.
[[nodiscard]] std::vector<Candidate> best_candidates(LiveSet const& live, WeightedTerms const& question,
                                                     std::size_t limit,
                                                     std::function<float(std::uint32_t doc)> const& prior);

}  // namespace kb::kbrepo::index
