#include "kbrepo/inline_text.hpp"

#include <algorithm>

#include "kbrepo/ascii.hpp"

namespace kb::kbrepo {
namespace {

constexpr auto kNowhere = std::string_view::npos;

/// A [text](target) or [[target|label]] that starts at the beginning of a text.
struct Link {
  std::string_view text;
  std::string_view target;
  std::size_t size = 0;  ///< bytes it takes; 0: there is none
};

std::size_t closing_bracket(std::string_view s) noexcept {
  int depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\') {
      ++i;
    } else if (s[i] == '[') {
      ++depth;
    } else if (s[i] == ']' && --depth == 0) {
      return i;
    }
  }
  return kNowhere;
}

/// The end of a target in parentheses, which may hold balanced ones itself.
std::size_t closing_paren(std::string_view s) noexcept {
  int depth = 0;
  for (std::size_t i = 0; i < s.size() && s[i] != '\n'; ++i) {
    if (s[i] == '\\') {
      ++i;
    } else if (s[i] == '(') {
      ++depth;
    } else if (s[i] == ')' && --depth == 0) {
      return i;
    }
  }
  return kNowhere;
}

std::string_view without_title(std::string_view target) noexcept {
  target = trimmed(target);
  if (target.starts_with('<')) return target.substr(1, target.find('>') - 1);
  return target.substr(0, target.find_first_of(" \t"));
}

/// Longer than any link people write; keeps a page of brackets from costing its square.
constexpr std::size_t kMaxLink = 1024;

Link link_at(std::string_view s) noexcept {
  s = s.substr(0, kMaxLink);
  if (s.starts_with("[[")) {
    std::size_t const end = s.find("]]", 2);
    if (end == kNowhere || s.substr(0, end).find('\n') != kNowhere) return {};
    std::string_view const inside = s.substr(2, end - 2);
    std::size_t const bar = inside.find('|');
    if (bar == kNowhere) return {inside, trimmed(inside), end + 2};
    return {inside.substr(bar + 1), trimmed(inside.substr(0, bar)), end + 2};
  }
  if (!s.starts_with('[')) return {};
  std::size_t const text_end = closing_bracket(s);
  if (text_end == kNowhere || text_end + 1 >= s.size() || s[text_end + 1] != '(') return {};
  std::size_t const end = closing_paren(s.substr(text_end + 1));
  if (end == kNowhere) return {};
  return {s.substr(1, text_end - 1), without_title(s.substr(text_end + 2, end - 1)), text_end + 2 + end};
}

bool has_scheme(std::string_view target) noexcept {
  std::size_t const colon = target.find(':');
  return colon != kNowhere && colon > 1 && target.find_first_of("/#? ") > colon;
}

bool is_ascii_punctuation(char c) noexcept {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// `_` inside a word (snake_case) is a letter; beside a space or the edge it is a mark.
bool is_emphasis(std::string_view s, std::size_t i) noexcept {
  if (s[i] == '*') return true;
  auto const is_word = [](char c) { return c != ' ' && c != '_' && c != '*' && !is_ascii_punctuation(c); };
  bool const before = i > 0 && is_word(s[i - 1]);
  bool const after = i + 1 < s.size() && is_word(s[i + 1]);
  return !(before && after);
}

}  // namespace

std::size_t tag_size(std::string_view s) noexcept {
  if (!s.starts_with('<')) return 0;
  std::size_t const name = s.starts_with("</") ? 2 : 1;
  auto const is_letter = [](char c) { return lower(c) >= 'a' && lower(c) <= 'z'; };
  if (s.size() <= name || !is_letter(s[name])) return 0;
  std::size_t at = name;
  while (at < s.size() && (is_letter(s[at]) || (s[at] >= '0' && s[at] <= '9') || s[at] == '-')) ++at;
  if (at == s.size() || std::string_view(" \t\r\n/>").find(s[at]) == kNowhere) return 0;  // <https://…> is a link
  std::size_t const end = s.substr(0, kMaxLink).find('>', at);
  return end == kNowhere ? 0 : end + 1;
}

std::string plain_text(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    char const c = s[i];
    std::string_view const rest = s.substr(i);
    bool const image = c == '!' && rest.size() > 1 && rest[1] == '[';
    if (c == '\\' && i + 1 < s.size() && is_ascii_punctuation(s[i + 1])) {
      out += s[i + 1];
      i += 2;
    } else if (Link const link = link_at(image ? rest.substr(1) : rest); (c == '[' || image) && link.size > 0) {
      out += plain_text(link.text);
      i += link.size + (image ? 1 : 0);
    } else if (std::size_t const tag = c == '<' ? tag_size(rest) : 0; tag > 0) {
      i += tag;
    } else if (c == '`' || ((c == '*' || c == '_') && is_emphasis(s, i)) || rest.starts_with("~~")) {
      i += c == '~' ? 2 : 1;
    } else {
      bool const space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      if (!space) {
        out += c;
      } else if (!out.ends_with(' ')) {
        out += ' ';
      }
      ++i;
    }
  }
  return std::string(trimmed(out));
}

void collect_links(std::string_view s, std::vector<std::string>& out) {
  for (std::size_t i = s.find('['); i != kNowhere; i = s.find('[', i + 1)) {
    bool const escaped = i > 0 && s[i - 1] == '\\';
    Link const link = escaped ? Link() : link_at(s.substr(i));
    std::string_view const target = link.target;
    if (link.size == 0 || target.empty() || target.starts_with('#') || target.starts_with("//")) continue;
    if (has_scheme(target)) continue;
    if (std::find(out.begin(), out.end(), target) == out.end()) out.emplace_back(target);
  }
}

bool starts_with_link(std::string_view s) noexcept {
  s = s.substr(std::min(s.find_first_not_of(" \t*_|"), s.size()));
  if (s.starts_with("http://") || s.starts_with("https://") || s.starts_with("<http")) return true;
  if (s.starts_with('!')) s.remove_prefix(1);
  return link_at(s).size > 0;
}

}  // namespace kb::kbrepo
