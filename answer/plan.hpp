/// Which pages to read for a question, in which order: catalogues guide, the index finds, priorities of S1 decide.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "answer/answer.hpp"
#include "answer/question.hpp"
#include "kbrepo/index/index.hpp"
#include "kbrepo/shelf.hpp"

namespace kb::answer {

/// One passage found, ranked over the whole shelf.
struct Hit {
  std::size_t book = 0;  ///< position in Shelf::books
  std::uint32_t doc = 0, passage = 0;
  std::uint32_t line_begin = 0, line_end = 0;
  float score = 0;  ///< share of the ideal score, 0…1, priors included: comparable between repositories
  kbrepo::index::ScoreParts
      parts;        ///< as such shares; `prior` times their sum is the score, as long as that is below 1
  float prior = 1;  ///< of the page, by intent, names and catalogue
};

struct PlannedPage {
  std::size_t book = 0;
  std::string path;
};

struct ReadingPlan {
  std::vector<Consulted> guides;   ///< catalogues and indexes looked at first (S1-65)
  std::vector<Hit> hits;           ///< best first
  std::vector<PlannedPage> pages;  ///< to be read in full, in reading order, at most `max_pages` (C-40)
};

/// The question's terms as a book is asked: behind them what mistyped words must have meant, and what stands in for
/// others.
[[nodiscard]] std::vector<kbrepo::index::QueryTerm> widened(Question const& question,
                                                            std::span<kbrepo::index::QueryTerm const> terms,
                                                            kbrepo::Snapshot const& book,
                                                            scope::ReadGrant const& grant);
[[nodiscard]] std::vector<Hit> search_shelf(Question const& question, std::span<kbrepo::index::QueryTerm const> terms,
                                            kbrepo::Shelf const& shelf, std::size_t limit);
/// `passages`: only pages of so many of the best hits, besides those that S1 gives the first place.
[[nodiscard]] ReadingPlan plan_reading(Question const& question, std::span<kbrepo::index::QueryTerm const> terms,
                                       kbrepo::Shelf const& shelf, std::size_t max_pages, std::size_t passages);

}  // namespace kb::answer
