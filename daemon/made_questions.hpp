/// Questions that a page's own headings, table cells, dates and definitions answer: an evaluation that needs no labels.
/// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/scoring.hpp"
#include "kbrepo/page.hpp"

namespace kb::daemon {

struct MadeQuestion {
  GoldQuestion gold;                 ///< type: heading, table, date or definition; the id is left to the caller
  std::string value;                 ///< what answers it, verbatim on the page, when that is a number or a date
  std::string swapped;               ///< another value of the same form, which the page does not have
  std::uint32_t begin = 0, end = 0;  ///< bytes of `value` in Page::text; 0, 0: there is none
};

/// In the order of the page. A value that stands on the page more than once makes no question: what answers it would
/// not be known.
[[nodiscard]] std::vector<MadeQuestion> questions_of(kbrepo::Page const& page);

/// The page's text with the value swapped.
[[nodiscard]] std::string swapped_text(kbrepo::Page const& page, MadeQuestion const& question);

/// Whether a number or date stands in `text` by itself, not as a part of a longer one.
[[nodiscard]] bool holds_value(std::string_view text, std::string_view value) noexcept;

}  // namespace kb::daemon
