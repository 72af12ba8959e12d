#include "answer/examine.hpp"

#include "answer/content.hpp"
#include "answer/extractive.hpp"
#include "answer/plan.hpp"
#include "answer/question.hpp"

namespace kb::answer {

Examination examine(std::string const& text, scope::ScopeOutcome const& outcome, kbrepo::Shelf const& shelf,
                    Limits const& limits) {
  Names const names = names_of(shelf);
  Question const question = understand(text, names, outcome.project_id);
  std::vector<kbrepo::index::QueryTerm> const terms = kbrepo::index::query_terms(text);
  ContentWords const words(terms, shelf);
  ReadingPlan const plan = plan_reading(question, terms, shelf, limits.max_pages);
  std::vector<PageRead> pages;
  for (PlannedPage const& planned : plan.pages) {
    auto page = shelf.books[planned.book]->read(shelf.grant, planned.path);
    if (page) pages.push_back({planned.book, std::move(*page)});
  }
  Draft const draft = draft_answer(question, words, names, plan.hits, shelf, pages, {3, limits.max_quote_bytes});
  Examination out{draft.evidence, judge(draft.evidence), {}};
  for (Excerpt const& excerpt : draft.excerpts) {
    PageRead const& read = pages[excerpt.page];
    kbrepo::Page const& page = *read.page;
    out.excerpts.push_back({shelf.books[read.book]->repo(), page.path, page.blocks[excerpt.first_block].line_begin,
                            page.blocks[excerpt.last_block].line_end, excerpt.score});
  }
  return out;
}

}  // namespace kb::answer
