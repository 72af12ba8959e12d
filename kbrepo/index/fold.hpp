/// UTF-8 → folded code points: what terms and name comparisons are made of. The table is generated from ICU
/// (fold_table.inc); nothing here needs ICU, a locale or a lock.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kb::kbrepo::index {

inline constexpr char32_t kInvalid = 0xFFFD;

struct Decoded {
  char32_t point = kInvalid;  ///< kInvalid for bytes that are no UTF-8 (overlong forms and surrogates included)
  std::uint32_t size = 1;     ///< bytes taken; 1 for an invalid byte
};
/// The code point at `at`, which must be inside `text`.
[[nodiscard]] Decoded decode(std::string_view text, std::size_t at) noexcept;

/// Writes `point` as UTF-8 (at most 4 bytes) and returns the length.
std::uint32_t encode(char32_t point, char* out) noexcept;

/// Zero to eight code points that one character folds to.
struct Folded {
  std::array<char16_t, 8> more{};
  std::uint32_t size = 1;
  char32_t first = 0;
  [[nodiscard]] char32_t operator[](std::size_t i) const noexcept { return i == 0 ? first : more[i]; }
};

/// Compatibility and case folding, diacritics off, Traditional → Simplified. Marks and invisible characters vanish.
[[nodiscard]] Folded fold_point(char32_t point) noexcept;

enum class CharClass : std::uint8_t {
  other,   ///< separates words
  letter,  ///< of a script that is written with spaces
  digit,
  cjk,  ///< Han, Hiragana, Katakana, Hangul: searched by characters and pairs
};
/// Of a folded code point.
[[nodiscard]] CharClass class_of(char32_t point) noexcept;

/// Of a code point before folding: where camelCase has its humps.
[[nodiscard]] bool is_upper(char32_t point) noexcept;

}  // namespace kb::kbrepo::index
