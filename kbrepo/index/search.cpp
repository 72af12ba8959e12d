#include "kbrepo/index/search.hpp"

#include <algorithm>

#include "kbrepo/index/candidates.hpp"
#include "kbrepo/index/rerank.hpp"

namespace kb::kbrepo::index {
namespace {

/// A question's terms with what they are worth here, and what all of them together can reach.
struct Weighed {
  std::vector<WeightedTerm> terms;
  float ideal = 0;  ///< of BM25F: every term saturated; terms that nobody has count too
};

Weighed weigh(LiveSet const& live, std::span<QueryTerm const> query) {
  Weighed out;
  for (QueryTerm const& term : query) {
    std::uint32_t const df = live.document_frequency(term.text);
    float const weight = live.idf(df) * term.weight;
    out.ideal += weight;
    if (df > 0) out.terms.push_back({term.text, term.kind, weight});
  }
  return out;
}

bool better(ScoredPassage const& a, ScoredPassage const& b) noexcept {
  if (a.score != b.score) return a.score > b.score;
  return a.doc != b.doc ? a.doc < b.doc : a.passage < b.passage;
}

ScoredPassage scored(LiveSet const& live, Candidate const& candidate, float page) {
  SegmentImage const& image = live.parts[candidate.part].segment->image();
  ScoredPassage out;
  out.doc = candidate.doc;
  out.passage = candidate.passage - image.first_passage(image.document_of(candidate.passage));
  out.line_begin = image.line_begin(candidate.passage);
  out.line_end = out.line_begin + image.lengths(candidate.passage).lines;
  out.parts.bm25 = static_cast<float>(candidate.score) / kScoreSteps;
  out.parts.page = kParameters.page_prior * page;
  return out;
}

/// What leaves search(), with the way back to the candidate.
struct Ranked {
  ScoredPassage passage;
  Candidate const* candidate;
  float prior = 1;

  void settle() noexcept {
    passage.score = (passage.parts.bm25 + passage.parts.page + passage.parts.proximity) * prior;
  }
};

}  // namespace

std::vector<ScoredPassage> search(LiveSet const& live, std::span<QueryTerm const> query, SearchOptions const& options) {
  Weighed const weighed = weigh(live, query);
  std::function<bool(std::uint32_t)> hidden;
  if (options.prior) hidden = [&](std::uint32_t doc) { return options.prior(doc) <= 0; };
  std::vector<Candidate> const candidates = best_candidates(live, weighed.terms, options.candidates, hidden);
  std::vector<float> const pages = page_scores(live, weighed.terms, candidates);
  std::vector<Ranked> ranked;
  ranked.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate const& candidate = candidates[i];
    ranked.push_back({scored(live, candidate, pages[i]), &candidate, options.prior ? options.prior(candidate.doc) : 1});
    ranked.back().settle();
  }
  auto const by_score = [](Ranked const& a, Ranked const& b) { return better(a.passage, b.passage); };
  auto const near = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(options.rerank, ranked.size()));
  std::partial_sort(ranked.begin(), near, ranked.end(), by_score);
  Proximity proximity(live, weighed.terms);
  std::size_t const limit = std::min(options.limit, ranked.size());
  // Proximity only lifts: who cannot reach the last place even with all of it need not be looked at.
  float const last = limit > 0 && limit <= options.rerank ? ranked[limit - 1].passage.score * 0.9999f : 0;
  for (auto at = ranked.begin(); at != near; ++at) {
    if (at->passage.score + kParameters.proximity * proximity.ideal() * at->prior < last) continue;
    at->passage.parts.proximity = kParameters.proximity * proximity.score(*at->candidate);
    at->settle();
  }
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(limit), ranked.end(), by_score);
  float const ideal = weighed.ideal * (1 + kParameters.page_prior) + kParameters.proximity * proximity.ideal();
  std::vector<ScoredPassage> out;
  out.reserve(limit);
  for (std::size_t i = 0; i < limit; ++i) {
    out.push_back(ranked[i].passage);
    out.back().normalised = ideal > 0 ? std::min(1.0f, out.back().score / ideal) : 0;
  }
  return out;
}

}  // namespace kb::kbrepo::index
