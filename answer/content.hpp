/// The content words of a question, weighed by how rare they are on this shelf, and what share of them a text holds.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/index/terms.hpp"
#include "kbrepo/shelf.hpp"
#include "kbrepo/synonyms.hpp"

namespace kb::answer {

/// A set of content words, one bit each.
using WordSet = std::uint64_t;

/// So many passages that the words of a short question meet in one of them by accident.
[[nodiscard]] bool is_crowd(kbrepo::Shelf const& shelf) noexcept;

/// What could have been said instead of the question's words, as all books of the shelf have it.
[[nodiscard]] std::vector<kbrepo::StandIn> stand_ins_of(std::string_view question, kbrepo::Shelf const& shelf);

class ContentWords {
 public:
  /// At most 64 words, the heaviest. Function words and their CJK neighbours count nothing. What stands in for a word
  /// counts as that word.
  ContentWords(std::span<kbrepo::index::QueryTerm const> question, kbrepo::Shelf const& shelf,
               std::span<kbrepo::StandIn const> stand_ins);

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
  /// Versions and other numbers with a dot in them: 5.3, 2026.11.2.
  [[nodiscard]] WordSet versions() const noexcept;
  /// Words that no passage of the shelf holds.
  [[nodiscard]] WordSet unknown() const noexcept { return unknown_; }

 private:
  struct Word {
    std::string text;
    float weight = 0;
  };
  /// A term to look out for: words it is, and parts of stand-ins it is, by bit.
  struct Mark {
    std::string text;
    WordSet words = 0;
    std::uint64_t parts = 0;
  };
  /// Where all these parts stand, so do these words.
  struct Instead {
    std::uint64_t parts = 0;
    WordSet words = 0;
  };
  void mark(std::span<kbrepo::StandIn const> stand_ins);
  [[nodiscard]] Mark& mark_of(std::string_view term);
  [[nodiscard]] WordSet bits_of(std::span<std::string const> terms) const;

  std::vector<Word> words_;  ///< by text
  std::vector<Mark> marks_;  ///< by text
  std::vector<Instead> instead_;
  std::bitset<1024> first_look_;  ///< by a quick hash: most terms of a text are no marks
  float total_ = 0;
  std::size_t whole_ = 0;
  bool lacks_number_ = false;
  WordSet unknown_ = 0;
};

}  // namespace kb::answer
