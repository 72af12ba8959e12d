/// A page as quotes of a model are looked up in it: case, width, white space, quotation marks, forms of dashes and
/// Traditional characters folded, with the way back to the page's own bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "answer/quotes.hpp"
#include "kbrepo/page.hpp"

namespace kb::answer {

/// Folded characters, each with the byte of the normal text that it comes from.
struct FoldedText {
  std::u32string points;
  std::vector<std::uint32_t> at;
};
/// Of a text in normal form. Every letter, digit and sign is still there; where words touch, a space tells them apart.
[[nodiscard]] FoldedText fold_normal(std::string_view normal);
/// The same without places, end marks off: what a sentence is compared by.
[[nodiscard]] std::u32string folded_sentence(std::string_view normal);
/// Without the marks that end or begin a sentence or an item; a question mark stays.
[[nodiscard]] std::u32string_view without_end_marks(std::u32string_view folded) noexcept;

class PageText {
 public:
  explicit PageText(kbrepo::Page const& page);

  [[nodiscard]] kbrepo::Page const& page() const noexcept { return page_; }
  [[nodiscard]] NormalText const& normal() const noexcept { return normal_; }
  [[nodiscard]] std::string_view text_of(Place normal) const {
    return std::string_view(normal_.text).substr(normal.begin, normal.end - normal.begin);
  }
  /// Where `needle` stands in [within.begin, within.end) of the normal text, inside one block; at most `most` places.
  [[nodiscard]] std::vector<Place> find(std::u32string_view needle, Place within, std::size_t most) const;
  /// How many characters of `text`, from its first, stand together inside one block; 0 when fewer than three do.
  [[nodiscard]] std::size_t longest_beginning(std::u32string_view text) const;
  [[nodiscard]] Place whole() const noexcept { return {0, normal_.text.size()}; }
  [[nodiscard]] std::size_t bytes() const noexcept;  ///< that this takes, the page not counted
  /// The block of the page that holds a byte of the normal text.
  [[nodiscard]] std::size_t block_at(std::size_t normal_byte) const noexcept;
  [[nodiscard]] Place block(std::size_t number) const noexcept { return blocks_[number]; }
  /// The page's own bytes behind a place of the normal text.
  [[nodiscard]] Place bytes_of(Place normal) const;

 private:
  void index_triples();

  kbrepo::Page const& page_;
  NormalText normal_;
  FoldedText folded_;
  std::vector<std::uint32_t> starts_, triples_;  ///< places of three characters by the hash of them
  std::vector<Place> blocks_;                    ///< of the normal text, one for each block of the page
};

}  // namespace kb::answer
