/// Drafts an answer without a model: the sentences, list items and table rows of the pages read that hold most of what
/// the question asks (RETRIEVAL §5), and the evidence that decides whether they answer it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "answer/confidence.hpp"
#include "answer/content.hpp"
#include "answer/plan.hpp"
#include "answer/question.hpp"
#include "kbrepo/page.hpp"

namespace kb::answer {

/// Passages that compete for a place in the answer: the first so many that the search finds on the pages read.
inline constexpr std::size_t kCompeting = 8;

/// A page read in full for this question.
struct PageRead {
  std::size_t book = 0;  ///< position in Shelf::books
  std::shared_ptr<kbrepo::Page const> page;
};

struct Span {
  std::uint32_t begin = 0, end = 0;
};

/// One place of a page, and what must stand above it to be understood.
struct Excerpt {
  std::size_t page = 0;              ///< position among the pages read
  std::uint32_t begin = 0, end = 0;  ///< bytes of Page::text
  std::uint32_t first_block = 0, last_block = 0;
  std::uint32_t context_begin = kbrepo::kNone, context_end = kbrepo::kNone;  ///< lead line or header row
  float score = 0;
  std::vector<Span> shown;  ///< what of [begin, end) is shown: items of one list leave others out; in order
};

struct Draft {
  std::vector<Excerpt> excerpts;  ///< best first, at most three, from different places
  std::vector<Excerpt> closest;   ///< one short excerpt for each page worth a look, best first, at most three
  Evidence evidence;
};

struct DraftLimits {
  std::size_t max_excerpts = 3;
  std::size_t max_quote_bytes = 1200;
};

/// `names`: people known by name on this shelf, folded; they are what a who-question expects.
[[nodiscard]] Draft draft_answer(Question const& question, ContentWords const& words, Names const& names,
                                 std::span<Hit const> hits, kbrepo::Shelf const& shelf, std::span<PageRead const> pages,
                                 DraftLimits const& limits);

/// Lines that may hold an invite or binding code, or a secret, are never quoted (N-31).
[[nodiscard]] bool holds_invite_code(std::string_view text);

}  // namespace kb::answer
