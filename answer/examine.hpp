/// What lies behind an outcome, without the answer: what `kbgate ask --explain` and `kbgate eval --details` print, and
/// the outcome model is fitted on (answer/data/refit.py).
#pragma once

#include <string>
#include <vector>

#include "answer/confidence.hpp"
#include "answer/respond.hpp"
#include "kbrepo/index/index.hpp"

namespace kb::answer {

/// What one book was asked.
struct AskedBook {
  RepoId repo;
  std::vector<kbrepo::index::QueryTerm> terms;
};
/// A passage found, with every part of its score.
struct RankedPassage {
  Found found;  ///< its score as a share of the ideal one
  kbrepo::index::ScoreParts parts;
  float prior = 1;
};

struct Examination {
  std::vector<AskedBook> asked;
  std::vector<RankedPassage> ranked;  ///< best first
  Evidence evidence;
  Judgement judgement;
  std::vector<Found> excerpts;  ///< what a claim would rest on, best first, whether or not one is made
};

/// The steps of respond() up to the judgement, for a question that stands alone. Same conditions.
[[nodiscard]] Examination examine(std::string const& question, scope::ScopeOutcome const& outcome,
                                  kbrepo::Shelf const& shelf, Limits const& limits);

}  // namespace kb::answer
