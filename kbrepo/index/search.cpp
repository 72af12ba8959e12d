#include "kbrepo/index/search.hpp"

#include <algorithm>
#include <functional>

#include "kbrepo/index/candidates.hpp"
#include "kbrepo/index/rerank.hpp"

namespace kb::kbrepo::index {
namespace {

/// A question's terms with what they are worth here, and what all of them together can reach.
struct Weighed {
  WeightedTerms question;
  float ideal = 0;    ///< of BM25F: every term saturated; terms that nobody has count too
  float content = 0;  ///< of it, what says what the question is about
};

/// How much of a term's weight is content: a pair of characters across two words is half an accident, single
/// characters and the parts of names stand in too many titles.
float content_share(QueryTerm const& term) noexcept {
  if (term.function_word || term.kind == TermKind::unigram || term.kind == TermKind::part) return 0;
  return term.kind == TermKind::bigram && term.weight < kParameters.bigram ? 0.5f : 1.0f;
}

Weighed weigh(LiveSet const& live, std::span<QueryTerm const> query) {
  Weighed out;
  auto& [terms, records] = out.question;
  std::vector<std::uint32_t> by_term;
  std::vector<float> idf;
  for (QueryTerm const& term : query) {
    std::uint32_t df = 0;
    for (LiveSet::Part const& part : live.parts) {
      std::uint32_t const record = part.segment->image().find_term(term.text);
      by_term.push_back(record);
      if (record != kNoTerm) df += part.segment->live_passages(record);
    }
    idf.push_back(live.idf(df));
    bool const asked = term.stands_for < 0;
    // What stands in for a common word says no more than that word, however rare it is itself.
    float const rarity = asked ? idf.back() : std::min(idf.back(), idf[static_cast<std::size_t>(term.stands_for)]);
    float const weight = rarity * term.weight;
    float const content = weight * content_share(term);
    if (asked) {
      out.ideal += weight;
      out.content += content;
    }
    if (df > 0) terms.push_back({term.text, term.kind, weight, content, asked});
    if (df == 0) by_term.resize(by_term.size() - live.parts.size());
  }
  for (std::size_t part = 0; part < live.parts.size(); ++part) {
    for (std::size_t t = 0; t < terms.size(); ++t) records.push_back(by_term[t * live.parts.size() + part]);
  }
  return out;
}

bool better(ScoredPassage const& a, ScoredPassage const& b) noexcept {
  if (a.score != b.score) return a.score > b.score;
  return a.doc != b.doc ? a.doc < b.doc : a.passage < b.passage;
}

/// `title`: what one unit of content in the title adds to the score.
ScoredPassage scored(LiveSet const& live, Candidate const& candidate, Closer const& closer, float title) {
  SegmentImage const& image = live.parts[candidate.part].segment->image();
  ScoredPassage out;
  out.doc = candidate.doc;
  out.passage = candidate.passage - image.first_passage(image.document_of(candidate.passage));
  out.line_begin = image.line_begin(candidate.passage);
  out.line_end = out.line_begin + image.lengths(candidate.passage).lines;
  out.parts.bm25 = static_cast<float>(candidate.score) / kScoreSteps;
  out.parts.page = kParameters.page_prior * closer.page;
  out.parts.support = kParameters.support * closer.support;
  out.parts.title = title * closer.title;
  return out;
}

/// What leaves search(), with the way back to the candidate.
struct Ranked {
  ScoredPassage passage;
  std::size_t candidate;
  float prior = 1;

  void settle() noexcept {
    ScoreParts const& parts = passage.parts;
    passage.score = (parts.bm25 + parts.page + parts.support + parts.title + parts.proximity) * prior;
  }
};

struct ByScore {
  bool operator()(Ranked const& a, Ranked const& b) const noexcept { return better(a.passage, b.passage); }
};

/// Gives `ranked`, best first, their proximity. It only lifts: who cannot reach place `limit` even with all of
/// it need not be looked at.
void add_proximity(std::span<Ranked> ranked, std::size_t limit, std::span<Candidate const> candidates,
                   std::span<Closer const> closer, Proximity& proximity) {
  if (limit == 0) return;
  std::vector<float> best;  // scores so far; the worst on top once there are `limit`
  for (Ranked& one : ranked) {
    float const bound = kParameters.proximity * proximity.bound(closer[one.candidate].terms);
    bool const full = best.size() == limit;
    // a little slack for the order of the additions
    if (full && (one.passage.score + bound * one.prior) * 1.0001f < best.front()) continue;
    if (bound > 0) {
      one.passage.parts.proximity = kParameters.proximity * proximity.score(candidates[one.candidate]);
      one.settle();
    }
    best.push_back(one.passage.score);
    std::push_heap(best.begin(), best.end(), std::greater<>{});
    if (!full) continue;
    std::pop_heap(best.begin(), best.end(), std::greater<>{});
    best.pop_back();
  }
}

}  // namespace

std::vector<ScoredPassage> search(LiveSet const& live, std::span<QueryTerm const> query, SearchOptions const& options) {
  Weighed const weighed = weigh(live, query);
  WeightedTerms const& question = weighed.question;
  std::vector<Candidate> const candidates = best_candidates(live, question, options.candidates, options.prior);
  std::vector<Closer> const closer = look_closer(live, question, candidates);
  Proximity proximity(live, question.terms);
  float const ideal = weighed.ideal * (1 + kParameters.page_prior) + kParameters.proximity * proximity.ideal();
  float const title = weighed.content > 0 ? kParameters.title * ideal / weighed.content : 0;
  std::vector<Ranked> ranked;
  ranked.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ranked.push_back({scored(live, candidates[i], closer[i], title), i, candidates[i].prior});
    ranked.back().settle();
  }
  std::size_t const near = std::min(options.rerank, ranked.size());
  std::size_t const limit = std::min(options.limit, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(near), ranked.end(), ByScore{});
  add_proximity(std::span(ranked).first(near), limit, candidates, closer, proximity);
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(limit), ranked.end(), ByScore{});
  std::vector<ScoredPassage> out;
  out.reserve(limit);
  for (std::size_t i = 0; i < limit; ++i) {
    out.push_back(ranked[i].passage);
    out.back().normalised = ideal > 0 ? std::min(1.0f, out.back().score / ideal) : 0;
  }
  return out;
}

}  // namespace kb::kbrepo::index
