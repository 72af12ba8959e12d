#include "answer/confidence.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace kb::answer {
namespace {

/// One feature of a linear score.
struct Weight {
  float (*of)(Evidence const&);
  float cap;  ///< beyond it more says no more
  float weight;
};
/// On topic from here on (T0), and a claim from here on (T1).
struct Thresholds {
  float topic, claim;
};

#include "answer/data/outcome_model.inc"

constexpr float kHigh = 1.2f;              // a claim's score from which the confidence is high
constexpr float kMinCoverage = 0.35f;      // hard stop of RETRIEVAL §6
constexpr float kMaxMissing = 0.25f;       // hard stop: a rare word of the question that the passage lacks
constexpr float kMinTopicCoverage = 0.2f;  // hard stop: nothing of the question in any passage
constexpr float kShortQuestion = 1.7f;     // ln(1 + words): four words
constexpr float kSeveralWords = 1.5f;      // three and more
constexpr float kFewWords = 1.25f;         // two
constexpr float kTwoWords = 1.0f;          // one and a measure
constexpr float kAllWords = 0.95f;
constexpr float kMostWords = 0.8f;
constexpr float kMinTopic = 0.22f;
// A small book's questions are too unlike those the model saw: there counted words decide.
constexpr float kTopicCoverage = 0.5f;
constexpr float kTopicMissing = 0.45f;
constexpr float kWholeCoverage = 0.75f;
constexpr float kWholeUnit = 0.6f;
constexpr float kLongQuestion = 1.75f;  // five words

float linear(float score, std::span<Weight const> weights, Evidence const& e) noexcept {
  for (Weight const& weight : weights) score += weight.weight * std::min(weight.of(e), weight.cap);
  return score;
}

Thresholds const& thresholds_of(Evidence const& e) noexcept { return e.english ? kEn : kZh; }

float topic_score(Evidence const& e) noexcept { return linear(kTopicBias, kTopicWeights, e); }

/// A short question says little, so a passage in which its words happen to stand proves nothing (S1-3): the page or its
/// section must be about them, or all of several words must stand in one sentence. Of one's own material (我的航班,
/// 组会) a mention is all that there is to expect.
bool is_mere_mention(Evidence const& e) noexcept {
  if (e.names_page || e.owned || e.words >= kShortQuestion || e.topic >= kMinTopic) return false;
  if (!e.crowd) return e.words < kTwoWords || e.best_unit < kMostWords;
  return e.words < kSeveralWords || e.best_unit < kAllWords;
}

/// In a crowd a word or two find a page that is about them, whatever was meant (how do I tie a tie?).
bool says_too_little(Evidence const& e) noexcept { return e.crowd && e.words < kFewWords && !e.names_page && !e.owned; }

/// In a small book nothing stands out from the rest: there a place that is about the question and says all of it
/// counts.
bool says_it_all(Evidence const& e) noexcept {
  return e.topic >= kMinTopic && e.best_passage >= kWholeCoverage && e.best_unit >= kWholeUnit;
}

bool is_on_topic(Evidence const& e) noexcept {
  if (e.crowd) return e.best_passage >= kMinTopicCoverage && topic_score(e) >= thresholds_of(e).topic;
  if (e.names_page) return true;
  if (is_mere_mention(e)) return false;
  if (e.best_passage >= kTopicCoverage && e.heaviest_missing <= kTopicMissing) return true;
  return e.best_passage >= kMinCoverage && e.words >= kLongQuestion;
}

bool is_stopped(Evidence const& e) noexcept {
  if (e.lacks_number || e.best_passage < kMinCoverage || e.heaviest_missing > kMaxMissing) return true;
  if (is_mere_mention(e) || says_too_little(e)) return true;
  return e.crowd && topic_score(e) < thresholds_of(e).topic + kClaimSpare;
}

}  // namespace

Judgement judge(Evidence const& e) noexcept {
  Judgement out;
  if (e.no_content_word) return out;
  out.score = linear(kClaimBias, kClaimWeights, e);
  bool const claim = out.score >= thresholds_of(e).claim || (!e.crowd && says_it_all(e));
  if (claim && !is_stopped(e)) {
    out.outcome = Outcome::answered;
    out.confidence = out.score >= kHigh ? Confidence::high : Confidence::medium;
  } else if (is_on_topic(e)) {  // S1-47
    out.outcome = Outcome::insufficient;
    out.confidence = Confidence::low;
  }
  return out;
}

}  // namespace kb::answer
