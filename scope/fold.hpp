/// Text in the one form that words and names are compared in. Private to this room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb::scope {

/// Stands where a mention stood: a quotation, a title, code, a link, an @name (see `spoken`).
inline constexpr char32_t kMention = U'\uFFFC';

/// Lower case, half width, Simplified for every character the word table knows, ’ as ', runs of blanks as one and none
/// beside Han characters, invisible characters dropped, malformed bytes as U+FFFD. A line feed stays.
[[nodiscard]] std::u32string fold(std::string_view utf8);

/// `fold`, with what is only mentioned replaced by `kMention`: 《我的奋斗》 is a title, `my.cnf` in backticks is code.
/// A message that is one quotation from end to end is read as if it stood without its quotation marks.
[[nodiscard]] std::u32string spoken(std::string_view utf8);

/// True where a Han character, not only a mentioned one, decides the language; see `language_of`.
[[nodiscard]] bool speaks_han(std::string_view utf8) noexcept;

[[nodiscard]] bool is_han(char32_t c) noexcept;
/// A letter or digit of a script that separates its words by blanks.
[[nodiscard]] bool is_word(char32_t c) noexcept;
/// Whether text[at, at + length) starts and ends where words do: "my" in "my notes", not in "mysql" or "my.cnf".
/// Han needs no blanks: always true at its side.
[[nodiscard]] bool stands_alone(std::u32string_view text, std::size_t at, std::size_t length) noexcept;

}  // namespace kb::scope
