/// ASCII case folding and trimming over UTF-8: bytes above 127 stay as they are.
#pragma once

#include <algorithm>
#include <string_view>

namespace kb::kbrepo {

[[nodiscard]] constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

[[nodiscard]] inline bool equal_ascii(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}
[[nodiscard]] inline bool starts_with_ascii(std::string_view text, std::string_view head) noexcept {
  return text.size() >= head.size() && equal_ascii(text.substr(0, head.size()), head);
}
[[nodiscard]] inline bool ends_with_ascii(std::string_view text, std::string_view tail) noexcept {
  return text.size() >= tail.size() && equal_ascii(text.substr(text.size() - tail.size()), tail);
}
/// Spaces and tabs off both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  auto const is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace kb::kbrepo
