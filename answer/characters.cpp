#include "answer/characters.hpp"

#include <cstdint>

namespace kb::answer {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kIdeographicSpace = "\u3000";

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::size_t length_by_lead(unsigned char lead) noexcept {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

}  // namespace

char32_t next_char(std::string_view text, std::size_t& at) noexcept {
  auto const lead = static_cast<unsigned char>(text[at]);
  std::size_t const length = length_by_lead(lead);
  if (length == 1) {
    ++at;
    return lead;
  }
  if (length == 0 || at + length > text.size()) {
    ++at;
    return kReplacement;
  }
  char32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    auto const tail = static_cast<unsigned char>(text[at + i]);
    if ((tail & 0xC0) != 0x80) {
      ++at;
      return kReplacement;
    }
    code = (code << 6) | (tail & 0x3Fu);
  }
  at += length;
  return code;
}

char32_t last_char(std::string_view text) noexcept {
  if (text.empty()) return 0;
  std::size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return next_char(text, at);
}

void append_char(std::string& out, char32_t code) {
  auto const byte = [](char32_t value) { return static_cast<char>(static_cast<std::uint8_t>(value)); };
  if (code < 0x80) {
    out += byte(code);
  } else if (code < 0x800) {
    out += byte(0xC0 | (code >> 6));
    out += byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += byte(0xE0 | (code >> 12));
    out += byte(0x80 | ((code >> 6) & 0x3F));
    out += byte(0x80 | (code & 0x3F));
  } else {
    out += byte(0xF0 | (code >> 18));
    out += byte(0x80 | ((code >> 12) & 0x3F));
    out += byte(0x80 | ((code >> 6) & 0x3F));
    out += byte(0x80 | (code & 0x3F));
  }
}

bool is_han(char32_t code) noexcept {
  return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3134F) || code == 0x3007;
}

bool is_wide(char32_t code) noexcept {
  return is_han(code) || (code >= 0x3000 && code <= 0x30FF) || (code >= 0xAC00 && code <= 0xD7AF) ||
         (code >= 0xFF00 && code <= 0xFFEF);
}

bool is_ascii_alnum(char32_t code) noexcept {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || is_digit(code);
}

bool is_digit(char32_t code) noexcept { return code >= '0' && code <= '9'; }

bool is_terminator(char32_t code) noexcept {
  return code == 0x3002 || code == '!' || code == '?' || code == 0xFF01 || code == 0xFF1F || code == 0x2026;
}

bool is_direction_mark(char32_t code) noexcept {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F ||
         code == 0x061C;
}

std::string without_direction_marks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const begin = at;
    if (!is_direction_mark(next_char(text, at))) out.append(text.substr(begin, at - begin));
  }
  return out;
}

char32_t fold_width(char32_t code) noexcept {
  if (is_direction_mark(code)) return 0;
  if (code >= 0xFF01 && code <= 0xFF5E) return code - 0xFF01 + '!';
  if (code == 0x3000 || code == 0x00A0 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F) return ' ';
  if ((code >= 0x200B && code <= 0x200D) || code == 0x2060 || code == 0xFEFF || code == 0x00AD) return 0;
  return code;
}

std::size_t count_chars(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) static_cast<void>(next_char(text, at));
  return count;
}

std::string_view first_chars(std::string_view text, std::size_t n) noexcept {
  std::size_t at = 0;
  for (; n > 0 && at < text.size(); --n) static_cast<void>(next_char(text, at));
  return text.substr(0, at);
}

std::string_view trim(std::string_view text) noexcept {
  for (;;) {
    if (!text.empty() && is_space(text.front())) {
      text.remove_prefix(1);
    } else if (text.starts_with(kIdeographicSpace)) {
      text.remove_prefix(kIdeographicSpace.size());
    } else if (!text.empty() && is_space(text.back())) {
      text.remove_suffix(1);
    } else if (text.ends_with(kIdeographicSpace)) {
      text.remove_suffix(kIdeographicSpace.size());
    } else {
      return text;
    }
  }
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace kb::answer
