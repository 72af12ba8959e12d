/// UTF-8 one code point at a time, for what this room writes a line of. In a header because the service log is a
/// library of its own, below the rest of the room.
#pragma once

#include <cstddef>
#include <string_view>

namespace kb::logging {

struct CodePoint {
  char32_t value = 0xFFFD;
  std::size_t bytes = 1;  ///< read from the text; a byte that is no UTF-8 is one U+FFFD
};

/// The first of a text that is not empty. Overlong forms, surrogates and stray bytes count as no UTF-8.
[[nodiscard]] inline CodePoint first_code_point(std::string_view text) noexcept {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char const lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t const length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  bool const overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  bool const surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

}  // namespace kb::logging
