#include "daemon/explain.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kRanked = 20;

Json term_json(std::vector<kbrepo::index::QueryTerm> const& terms, kbrepo::index::QueryTerm const& term) {
  Json out{{"term", term.text}, {"weight", term.weight}};
  if (term.function_word) out["function_word"] = true;
  if (term.stands_for >= 0) out["stands_for"] = terms[static_cast<std::size_t>(term.stands_for)].text;
  return out;
}

Json ranked_json(answer::RankedPassage const& one) {
  return {{"repo", one.found.repo.str()},
          {"path", one.found.path},
          {"lines", {one.found.line_begin, one.found.line_end}},
          {"score", one.found.score},
          {"parts",
           {{"bm25", one.parts.bm25},
            {"page", one.parts.page},
            {"support", one.parts.support},
            {"title", one.parts.title},
            {"proximity", one.parts.proximity}}},
          {"prior", one.prior}};
}

}  // namespace

Json evidence_json(answer::Evidence const& e) {
  return {{"no_content_word", e.no_content_word},
          {"lacks_number", e.lacks_number},
          {"names_page", e.names_page},
          {"crowd", e.crowd},
          {"owned", e.owned},
          {"agrees", e.agrees},
          {"english", e.english},
          {"topic", e.topic},
          {"best_unit", e.best_unit},
          {"best_window", e.best_window},
          {"best_passage", e.best_passage},
          {"page", e.page},
          {"top_score", e.top_score},
          {"margin", e.margin},
          {"over_rest", e.over_rest},
          {"concentration", e.concentration},
          {"heaviest_missing", e.heaviest_missing},
          {"unknown", e.unknown},
          {"words", e.words}};
}

Json explain_json(answer::Examination const& examination) {
  Json asked = Json::array();
  for (answer::AskedBook const& book : examination.asked) {
    Json terms = Json::array();
    for (kbrepo::index::QueryTerm const& term : book.terms) terms.push_back(term_json(book.terms, term));
    asked.push_back({{"repo", book.repo.str()}, {"terms", std::move(terms)}});
  }
  Json ranked = Json::array();
  for (answer::RankedPassage const& one : examination.ranked) {
    if (ranked.size() < kRanked) ranked.push_back(ranked_json(one));
  }
  return {{"asked", std::move(asked)},
          {"ranked", std::move(ranked)},
          {"evidence", evidence_json(examination.evidence)},
          {"score", examination.judgement.score}};
}

}  // namespace kb::daemon
