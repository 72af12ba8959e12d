#include "adapters/feishu/escape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kb::feishu {
namespace {

constexpr std::array<std::string_view, 1> kMentionTags{"at"};
/// What a plain text message understands; `a` in case it should.
constexpr std::array<std::string_view, 6> kTextTags{"at", "b", "i", "u", "s", "a"};
constexpr std::array<std::string_view, 3> kEverybody{"all", "_all", "everyone"};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_alnum(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
bool is_punctuation(char c) noexcept { return c > ' ' && c < 0x7F && !is_alnum(c); }

bool starts_with_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    char const c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + ('a' - 'A')) : text[i];
    if (c != word[i]) return false;
  }
  return text.size() == word.size() || !(is_alnum(text[word.size()]) || text[word.size()] == '_');
}

/// Whether `text`, behind a `<`, begins one of the tags, open or closing.
template <std::size_t N>
bool begins_tag(std::string_view text, std::array<std::string_view, N> const& tags) noexcept {
  auto const skip = [&text](auto const& unwanted) {
    while (!text.empty() && unwanted(text.front())) text.remove_prefix(1);
  };
  skip([](char c) { return is_blank(c) || c == '/' || c == '\n'; });
  return std::any_of(tags.begin(), tags.end(), [text](std::string_view tag) { return starts_with_word(text, tag); });
}

/// Whether `text[at]` is the @ of everybody. Not within an address.
bool is_everybody(std::string_view text, std::size_t at) noexcept {
  if (at > 0 && is_alnum(text[at - 1])) return false;
  std::string_view const rest = text.substr(at + 1);
  return std::any_of(kEverybody.begin(), kEverybody.end(),
                     [rest](std::string_view word) { return starts_with_word(rest, word); });
}

template <std::size_t N>
std::string broken(std::string_view text, std::array<std::string_view, N> const& tags, bool links) {
  std::string out;
  out.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    std::string_view const rest = text.substr(at + 1);
    bool const acts = (text[at] == '<' && begins_tag(rest, tags)) || (text[at] == '@' && is_everybody(text, at)) ||
                      (links && text[at] == ']' && rest.starts_with('('));
    if (acts) out += kZeroWidth;
  }
  return out;
}

void append_entity(std::string& out, char c) {
  out.append("&#").append(std::to_string(static_cast<int>(c))).append(";");
}

/// Whether the character at `at` could mean something to a Markdown reader, where it stands.
bool is_markup(std::string_view line, std::size_t at) noexcept {
  char const next = at + 1 < line.size() ? line[at + 1] : '\0';
  switch (line[at]) {
    case '*':
    case '_':
    case '~':
    case '`':
    case '<':
    case '>':
    case '[':
    case ']':
    case '|':
      return true;
    case '(':
      return at > 0 && line[at - 1] == ']';
    case '#':
      return at == 0 || line[at - 1] == '#' || is_blank(line[at - 1]);  // behind blanks it can end a heading
    case '&':
      return next == '#' || is_alnum(next);
    case '\\':
      return next == '\0' || is_punctuation(next);
    default:
      return false;
  }
}

/// Where a zero-width space has to stand so that the line begins no list, rule or heading; npos: nowhere.
std::size_t breaks_line_start(std::string_view line) noexcept {
  if (line.empty()) return line.npos;
  if (std::string_view("-+= \t").find(line.front()) != line.npos) return 0;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  bool const number = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  bool const alone = digits + 1 == line.size() || (digits + 1 < line.size() && is_blank(line[digits + 1]));
  return number && alone ? digits : line.npos;
}

/// Bytes of the valid UTF-8 character at the front; 0: there is none.
std::size_t utf8_length(std::string_view text) noexcept {
  auto const byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char const lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t const length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead == 0xE0) low = 0xA0;   // overlong
  if (lead == 0xED) high = 0x9F;  // surrogates
  if (lead == 0xF0) low = 0x90;   // overlong
  if (lead == 0xF4) high = 0x8F;  // above U+10FFFF
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t const length = utf8_length(text);
    char const c = text.front();
    bool const control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    if (length == 0) {
      out += "\uFFFD";
    } else if (!control) {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string without_mentions(std::string_view text) { return broken(text, kMentionTags, false); }
std::string escape_plain(std::string_view text) { return broken(text, kTextTags, true); }

std::string escape_markdown(std::string_view line) {
  std::string out;
  out.reserve(line.size() + line.size() / 4);
  std::size_t const start = breaks_line_start(line);
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (at == start) out += kZeroWidth;
    if (is_markup(line, at)) {
      append_entity(out, line[at]);
    } else {
      out += line[at];
    }
    // Should entities be read before mentions are looked for, there is still none.
    bool const mention = (line[at] == '<' && begins_tag(line.substr(at + 1), kMentionTags)) ||
                         (line[at] == '@' && is_everybody(line, at));
    if (mention) out += kZeroWidth;
  }
  return out;
}

std::string link_target(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  constexpr std::string_view kUnsafe = "()<>[]{}|\\^`\"' *_~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::size_t kMaxLength = 2000;
  if (!url.starts_with(kScheme) || url.size() == kScheme.size()) return {};
  std::string out;
  for (char const c : url) {
    auto const byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || byte == 0x7F) return {};
    if (byte >= 0x80 || kUnsafe.find(c) != kUnsafe.npos) {
      out += {'%', kHex[byte >> 4U], kHex[byte & 0x0FU]};
    } else {
      out += c;
    }
  }
  return out.size() > kMaxLength ? std::string() : out;
}

std::size_t sent_size(std::string_view text) noexcept {
  std::size_t size = 0;
  for (char const c : text) {
    if (c == '"' || c == '\\') {
      size += 4;  // \\\" and \\\\ .
    } else if (c == '\n' || c == '\t') {
      size += 3;  // \\n
    } else {
      size += static_cast<unsigned char>(c) < 0x20 ? 7 : 1;
    }
  }
  return size;
}

std::size_t unit_length(std::string_view text) noexcept {
  if (text.starts_with("&#")) {
    auto const end = text.substr(0, 7).find(';');
    if (end != text.npos) return end + 1;
  }
  return std::max<std::size_t>(utf8_length(text), 1);
}

bool has_han(std::string_view text) noexcept {
  // U+4E00…U+9FFF, the plane that any Chinese sentence has letters of: E4 B8 80 … E9 BF BF.
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    auto const lead = static_cast<unsigned char>(text[at]);
    auto const second = static_cast<unsigned char>(text[at + 1]);
    if (lead >= 0xE5 && lead <= 0xE9) return true;
    if (lead == 0xE4 && second >= 0xB8) return true;
  }
  return false;
}

std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace kb::feishu
