#include "kbrepo/index/search.hpp"

#include <algorithm>
#include <array>

namespace kb::kbrepo::index {
namespace {

/// Scores are whole numbers in these steps while they are summed: the sum is the same in any order, so segments and
/// shortcuts cannot change a score.
constexpr float kSteps = 65536;

struct Weighted {
  QueryTerm const* term;
  float weight;  ///< idf × weight in the question
};

struct Candidate {
  std::uint32_t score;
  std::uint32_t part, passage;
  std::uint32_t doc;  ///< live position
};

/// Better first: score, then place in the live list.
bool better(Candidate const& a, Candidate const& b) noexcept {
  if (a.score != b.score) return a.score > b.score;
  return a.doc != b.doc ? a.doc < b.doc : a.passage < b.passage;
}

std::uint32_t contribution(LiveSet const& live, Lengths const& lengths, Counts counts, float weight) noexcept {
  float reached = 0;
  if (counts.body() > 0) reached += static_cast<float>(counts.body()) * live.body(lengths.body);
  if (counts.heading() > 0) reached += static_cast<float>(counts.heading()) * live.heading(lengths.heading);
  if (counts.title() > 0) reached += static_cast<float>(counts.title()) * live.title(lengths.title);
  return static_cast<std::uint32_t>(saturate(reached) * weight * kSteps + 0.5f);
}

}  // namespace

std::vector<ScoredPassage> search(LiveSet const& live, std::span<QueryTerm const> query, SearchOptions const& options) {
  std::vector<Weighted> terms;
  float ideal = 0;
  for (QueryTerm const& term : query) {
    std::uint32_t const df = live.document_frequency(term.text);
    float const weight = live.idf(df) * term.weight;
    ideal += weight;
    if (df > 0) terms.push_back({&term, weight});
  }
  std::vector<Candidate> best;
  for (std::uint32_t p = 0; p < live.parts.size(); ++p) {
    auto const& part = live.parts[p];
    SegmentImage const& image = part.segment->image();
    std::vector<std::uint32_t> scores(image.passages(), 0);
    std::array<std::uint32_t, kBlockPostings> passages;
    std::array<Counts, kBlockPostings> counts;
    for (Weighted const& term : terms) {
      std::uint32_t const number = image.find_term(term.term->text);
      if (number == kNoTerm) continue;
      PostingReader const reader(image, number);
      for (std::uint32_t b = 0; b < reader.blocks(); ++b) {
        std::uint32_t const n = reader.decode(b, passages.data(), counts.data());
        for (std::uint32_t i = 0; i < n; ++i) {
          scores[passages[i]] += contribution(live, image.lengths(passages[i]), counts[i], term.weight);
        }
      }
    }
    for (std::uint32_t i = 0; i < scores.size(); ++i) {
      if (scores[i] == 0) continue;
      std::uint32_t const doc = part.position[image.document_of(i)];
      if (doc == kDead || (options.prior && options.prior(doc) <= 0)) continue;
      best.push_back({scores[i], p, i, doc});
    }
  }
  std::sort(best.begin(), best.end(), better);
  if (best.size() > options.candidates) best.resize(options.candidates);
  std::vector<ScoredPassage> out;
  for (Candidate const& c : best) {
    SegmentImage const& image = live.parts[c.part].segment->image();
    ScoredPassage s;
    s.doc = c.doc;
    s.passage = c.passage - image.first_passage(image.document_of(c.passage));
    s.line_begin = image.line_begin(c.passage);
    s.line_end = s.line_begin + image.lengths(c.passage).lines;
    s.parts.bm25 = static_cast<float>(c.score) / kSteps;
    s.score = s.parts.bm25 * (options.prior ? options.prior(c.doc) : 1);
    s.normalised = ideal > 0 ? s.score / ideal : 0;
    out.push_back(s);
  }
  std::stable_sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.score > b.score; });
  if (out.size() > options.limit) out.resize(options.limit);
  return out;
}

}  // namespace kb::kbrepo::index
