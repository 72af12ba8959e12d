/// UTF-8 one character at a time, and the classes of characters that questions and quotes are read by.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb::answer {

/// The character at `at`, which moves behind it. A byte that begins no character is U+FFFD and one byte long.
[[nodiscard]] char32_t next_char(std::string_view text, std::size_t& at) noexcept;
/// The last character of `text`; 0 when it is empty.
[[nodiscard]] char32_t last_char(std::string_view text) noexcept;
void append_char(std::string& out, char32_t code);

[[nodiscard]] bool is_han(char32_t code) noexcept;
/// Han, kana, hangul and their punctuation: scripts that put no space between words.
[[nodiscard]] bool is_wide(char32_t code) noexcept;
[[nodiscard]] bool is_ascii_alnum(char32_t code) noexcept;
[[nodiscard]] bool is_digit(char32_t code) noexcept;
/// 。！？!? and the like; not the full stop of Latin text, which needs its neighbours.
[[nodiscard]] bool is_terminator(char32_t code) noexcept;
/// Marks that turn the direction of writing: with them a text reads other than it is.
[[nodiscard]] bool is_direction_mark(char32_t code) noexcept;
[[nodiscard]] std::string without_direction_marks(std::string_view text);
/// Full-width ASCII to ASCII, special spaces to a space, zero-width characters and direction marks to 0; anything else
/// as it is.
[[nodiscard]] char32_t fold_width(char32_t code) noexcept;

[[nodiscard]] std::size_t count_chars(std::string_view text) noexcept;
/// The first `n` characters.
[[nodiscard]] std::string_view first_chars(std::string_view text, std::size_t n) noexcept;
/// Without white space (U+3000 included) at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
[[nodiscard]] std::string lower_ascii(std::string_view text);

}  // namespace kb::answer
