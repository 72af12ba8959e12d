#include "answer/confidence.hpp"

#include <algorithm>

namespace kb::answer {
namespace {

/// Logistic regression (L2 0.1) over the odd-numbered questions of three public Markdown handbooks (zh-TW, zh, en; 90
/// questions, 18 without an answer); label: a right page is among the excerpts. On the even-numbered 90, with the
/// thresholds below: 0 of 18 unanswerable ones answered, 26 % of the answerable, a right page in all of these.
struct Coefficients {
  float bias = -2.41f;
  float best_unit = 0.33f;
  float best_window = 0.47f;
  float best_passage = 0.52f;
  float page = 0.64f;
  float top_score = 0.36f;
  float margin = 0.77f;
  float over_rest = 1.18f;
  float heaviest_missing = -0.64f;
  float unknown = -0.86f;
  float words = 0.61f;
};
constexpr Coefficients kC;
constexpr float kMaxOverRest = 1.0f;  // in a small book everything towers over the rest
constexpr float kMaxWords = 2.2f;

constexpr float kAnswer = 0.2f;        // T1
constexpr float kHigh = 1.2f;          // from here on the confidence is high
constexpr float kMinCoverage = 0.35f;  // hard stop of RETRIEVAL §6
constexpr float kMaxMissing = 0.25f;   // hard stop: a rare word of the question that the passage lacks
// T0: on topic though not an answer. Of a short question most must be covered, or every fact about France is related.
constexpr float kTopicCoverage = 0.5f;
constexpr float kTopicMissing = 0.45f;
constexpr float kShortQuestion = 1.7f;  // four words
constexpr float kSeveralWords = 1.5f;
constexpr float kAllWords = 0.95f;
constexpr float kMostWords = 0.8f;
constexpr float kTwoWords = 1.0f;
constexpr float kMinTopic = 0.22f;
constexpr float kWholeCoverage = 0.75f;
constexpr float kWholeUnit = 0.6f;
constexpr float kLongQuestion = 1.75f;  // ln(1 + words): five words

/// A short question says little, so a passage in which its words happen to stand proves nothing (S1-3): the page or its
/// section must be about them, or all of several words must stand in one sentence. Of one's own material (我的航班,
/// 组会) a mention is all that there is to expect.
bool is_mere_mention(Evidence const& e) noexcept {
  if (e.names_page || e.owned || e.words >= kShortQuestion || e.topic >= kMinTopic) return false;
  if (!e.crowd) return e.words < kTwoWords || e.best_unit < kMostWords;
  return e.words < kSeveralWords || e.best_unit < kAllWords;
}

/// In a small book nothing stands out from the rest: there a place that is about the question and says all of it
/// counts.
bool says_it_all(Evidence const& e) noexcept {
  return e.topic >= kMinTopic && e.best_passage >= kWholeCoverage && e.best_unit >= kWholeUnit;
}

bool is_on_topic(Evidence const& e) noexcept {
  if (e.names_page) return true;
  if (is_mere_mention(e)) return false;
  if (e.best_passage >= kTopicCoverage && e.heaviest_missing <= kTopicMissing) return true;
  return e.best_passage >= kMinCoverage && e.words >= kLongQuestion;
}

}  // namespace

Judgement judge(Evidence const& e) noexcept {
  Judgement out;
  if (e.no_content_word) return out;
  out.score = kC.bias + kC.best_unit * e.best_unit + kC.best_window * e.best_window + kC.best_passage * e.best_passage +
              kC.page * e.page + kC.top_score * e.top_score + kC.margin * e.margin +
              kC.over_rest * std::min(e.over_rest, kMaxOverRest) + kC.heaviest_missing * e.heaviest_missing +
              kC.unknown * e.unknown + kC.words * std::min(e.words, kMaxWords);
  bool const stopped =
      e.lacks_number || e.best_passage < kMinCoverage || e.heaviest_missing > kMaxMissing || is_mere_mention(e);
  if (!stopped && (out.score >= kAnswer || says_it_all(e))) {
    out.outcome = Outcome::answered;
    out.confidence = out.score >= kHigh ? Confidence::high : Confidence::medium;
  } else if (is_on_topic(e)) {  // S1-47
    out.outcome = Outcome::insufficient;
    out.confidence = Confidence::low;
  }
  return out;
}

}  // namespace kb::answer
