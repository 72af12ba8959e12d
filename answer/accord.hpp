/// Whether two pages that answer the same question say the same: equal dates or numbers, or others.
#pragma once

#include <cstddef>
#include <span>

#include "answer/content.hpp"
#include "answer/extractive.hpp"
#include "answer/question.hpp"

namespace kb::answer {

enum class Accord {
  single,    ///< there is nothing to compare
  same,      ///< two pages say it
  different  ///< two pages speak of it in the same words, and give other values
};

struct Comparison {
  Accord accord = Accord::single;
  std::size_t one = 0, other = 0;  ///< excerpts, the better one first
};

/// Compares the sentences that answer, where a time or a quantity is asked for. Pure.
[[nodiscard]] Comparison compare_pages(Question const& question, ContentWords const& words,
                                       std::span<Excerpt const> excerpts, std::span<PageRead const> pages);

}  // namespace kb::answer
