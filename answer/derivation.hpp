/// Whether a sentence says what a page says, in one of the few forms in which nothing can be lost or added: a whole
/// clause, items of one list joined, cells of one row with their headings, each also behind its subject.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "answer/page_text.hpp"

namespace kb::answer {

/// Whole sentences of one block that a quote was found in.
struct Evidence {
  PageText const* page = nullptr;
  std::size_t block = 0;  ///< of the page
  Place place;            ///< of its normal text

  [[nodiscard]] bool is_whole_block() const;
};

/// `sentence` in normal form; may be several sentences, each derived by itself. Pure. O(sentence × evidence).
[[nodiscard]] bool derives(std::string_view sentence, std::span<Evidence const> evidence);

}  // namespace kb::answer
