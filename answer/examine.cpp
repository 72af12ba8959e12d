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
  ContentWords const words(terms, shelf, stand_ins_of(text, shelf));
  ReadingPlan const plan = plan_reading(question, terms, shelf, limits.max_pages, kCompeting);
  std::vector<PageRead> pages;
  for (PlannedPage const& planned : plan.pages) {
    auto page = shelf.books[planned.book]->read(shelf.grant, planned.path);
    if (page) pages.push_back({planned.book, std::move(*page)});
  }
  Draft const draft = draft_answer(question, words, names, plan.hits, shelf, pages, {3, limits.max_quote_bytes});
  Examination out;
  out.evidence = draft.evidence;
  out.judgement = judge(draft.evidence);
  for (kbrepo::SnapshotPtr const& book : shelf.books)
    out.asked.push_back({book->repo(), widened(question, terms, *book, shelf.grant)});
  for (Hit const& hit : plan.hits) {
    kbrepo::Snapshot const& book = *shelf.books[hit.book];
    Found found{book.repo(), book.pages(shelf.grant)[hit.doc].path, hit.line_begin, hit.line_end, hit.score};
    out.ranked.push_back({std::move(found), hit.parts, hit.prior});
  }
  for (Excerpt const& excerpt : draft.excerpts) {
    PageRead const& read = pages[excerpt.page];
    kbrepo::Page const& page = *read.page;
    out.excerpts.push_back({shelf.books[read.book]->repo(), page.path, page.blocks[excerpt.first_block].line_begin,
                            page.blocks[excerpt.last_block].line_end, excerpt.score});
  }
  return out;
}

}  // namespace kb::answer
