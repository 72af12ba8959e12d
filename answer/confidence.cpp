#include "answer/confidence.hpp"

namespace kb::answer {
namespace {

struct Coefficients {
  float bias = -5.0f;
  float best_unit = 2.5f;
  float best_window = 1.5f;
  float best_passage = 2.5f;
  float page = 0.5f;
  float top_score = 2.0f;
  float margin = 0.5f;
  float over_rest = 0.5f;
  float heaviest_missing = -3.0f;
  float unknown = -2.0f;
  float expected_present = 0.5f;
};
constexpr Coefficients kC;
constexpr float kAnswer = 0.0f;        // T1
constexpr float kHigh = 1.5f;          // from here on the confidence is high
constexpr float kClosest = -3.5f;      // T0
constexpr float kMinCoverage = 0.35f;  // hard stop of RETRIEVAL §6

}  // namespace

Judgement judge(Evidence const& e) noexcept {
  Judgement out;
  if (e.no_content_word) return out;
  out.score = kC.bias + kC.best_unit * e.best_unit + kC.best_window * e.best_window + kC.best_passage * e.best_passage +
              kC.page * e.page + kC.top_score * e.top_score + kC.margin * e.margin + kC.over_rest * e.over_rest +
              kC.heaviest_missing * e.heaviest_missing + kC.unknown * e.unknown +
              kC.expected_present * e.expected_present;
  if (e.best_passage < kMinCoverage) return out;
  if (out.score >= kAnswer && !e.lacks_number) {
    out.outcome = Outcome::answered;
    out.confidence = out.score >= kHigh ? Confidence::high : Confidence::medium;
  } else if (out.score >= kClosest) {
    out.outcome = Outcome::insufficient;
    out.confidence = Confidence::low;
  }
  return out;
}

}  // namespace kb::answer
