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
  float weight = 0;  ///< idf × weight in the question
};

struct Candidate {
  std::uint32_t score = 0;              ///< BM25F in kScoreSteps
  std::uint32_t part = 0, passage = 0;  ///< of LiveSet::parts, of its segment
  std::uint32_t doc = 0;                ///< in the live list
};

/// Scores are whole numbers while they are summed: the sum is the same in any order, so neither segments nor shortcuts
/// change a score.
inline constexpr float kScoreSteps = 65536;

/// At most `limit`, best first; equal scores in the order of the live list. Exact: what is skipped cannot be among
/// them. Documents for which `hidden` (may be empty) says true are left out.
[[nodiscard]] std::vector<Candidate> best_candidates(LiveSet const& live, std::span<WeightedTerm const> terms,
                                                     std::size_t limit,
                                                     std::function<bool(std::uint32_t doc)> const& hidden);

}  // namespace kb::kbrepo::index
