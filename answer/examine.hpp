/// The evidence behind an outcome, without the answer: what `kbgate eval --details` prints and the outcome model is
/// fitted on (answer/data/refit.py).
#pragma once

#include <string>
#include <vector>

#include "answer/confidence.hpp"
#include "answer/respond.hpp"

namespace kb::answer {

struct Examination {
  Evidence evidence;
  Judgement judgement;
  std::vector<Found> excerpts;  ///< what a claim would rest on, best first, whether or not one is made
};

/// The steps of respond() up to the judgement, for a question that stands alone. Same conditions.
[[nodiscard]] Examination examine(std::string const& question, scope::ScopeOutcome const& outcome,
                                  kbrepo::Shelf const& shelf, Limits const& limits);

}  // namespace kb::answer
