/// The content words of a question, weighed by how rare they are on this shelf, and what share of them a text holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/index/terms.hpp"
#include "kbrepo/shelf.hpp"

namespace kb::answer {

/// A set of content words, one bit each.
using WordSet = std::uint64_t;

/// So many passages that the words of a short question meet in one of them by accident.
[[nodiscard]] bool is_crowd(kbrepo::Shelf const& shelf) noexcept;

class ContentWords {
 public:
  /// At most 64 words, the heaviest. Function words and their CJK neighbours count nothing.
  ContentWords(std::span<kbrepo::index::QueryTerm const> question, kbrepo::Shelf const& shelf);

  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }
  /// Words that say what is asked about, not counting pairs of characters that lie across two words.
  [[nodiscard]] std::size_t size() const noexcept { return whole_; }
  /// Which of them stand in `text`. O(bytes).
  [[nodiscard]] WordSet in(std::string_view text) const;
  /// Weight of a set ÷ weight of all, 0…1.
  [[nodiscard]] float share(WordSet set) const noexcept;
  /// The heaviest word outside the set ÷ weight of all: a rare word of the question that the text lacks.
  [[nodiscard]] float heaviest_missing(WordSet set) const noexcept;
  /// A number or identifier of the question that no passage of the shelf holds.
  [[nodiscard]] bool lacks_number() const noexcept { return lacks_number_; }
  /// Words that no passage of the shelf holds.
  [[nodiscard]] WordSet unknown() const noexcept { return unknown_; }

 private:
  struct Word {
    std::string text;
    float weight = 0;
  };
  std::vector<Word> words_;  ///< by text
  float total_ = 0;
  std::size_t whole_ = 0;
  bool lacks_number_ = false;
  WordSet unknown_ = 0;
};

}  // namespace kb::answer
