/// The scanner under terms_of(): the same terms in one reused buffer, so that building an index allocates nothing per
/// term.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/index/terms.hpp"

namespace kb::kbrepo::index {

/// Terms of one text. A CJK character's unigram comes right after the bigram that ends in it, if there is one: a
/// unigram without a bigram before it begins a new run.
struct TermBuffer {
  struct Piece {
    std::uint32_t at;  ///< in `text`
    std::uint32_t begin, end;
    std::uint32_t position;
    std::uint8_t size;
    TermKind kind;
  };
  std::string text;
  std::vector<Piece> pieces;

  [[nodiscard]] std::string_view term(Piece const& piece) const noexcept {
    return std::string_view(text).substr(piece.at, piece.size);
  }
};

/// Replaces the content of `out`. O(bytes).
void scan_terms(std::string_view text, TermBuffer& out);

inline constexpr std::size_t kMaxTermBytes = 64;

}  // namespace kb::kbrepo::index
