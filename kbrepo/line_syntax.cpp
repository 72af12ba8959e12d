#include "kbrepo/line_syntax.hpp"

#include <algorithm>

#include "kbrepo/ascii.hpp"
#include "kbrepo/inline_text.hpp"

namespace kb::kbrepo::syntax {
namespace {

constexpr std::size_t kTab = 4;
constexpr std::size_t kCodeIndent = 4;

bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t run(std::string_view s, char c) noexcept {
  std::size_t size = 0;
  while (size < s.size() && s[size] == c) ++size;
  return size;
}

std::string_view without_closing_marks(std::string_view s) noexcept {
  std::size_t const last = s.find_last_not_of('#');
  if (last == std::string_view::npos) return {};
  return last + 1 < s.size() && is_space(s[last]) ? trimmed(s.substr(0, last)) : s;
}

std::optional<Heading> html_heading(std::string_view s) noexcept {
  if (s.size() < 9 || s[0] != '<' || lower(s[1]) != 'h' || s[2] < '1' || s[2] > '6') return std::nullopt;
  std::size_t const open = tag_size(s);
  std::string_view const close = s.substr(s.size() - 5);
  if (open == 0 || open + 5 > s.size() || !starts_with_ascii(close, "</h") || close[3] != s[2]) return std::nullopt;
  return Heading{static_cast<std::uint8_t>(s[2] - '0'), trimmed(s.substr(open, s.size() - 5 - open))};
}

/// The cells' text between unescaped bars, the outer bars left out.
template <class Each>
std::size_t each_cell(std::string_view line, Each const& each) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  std::size_t count = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '\\') {
      ++i;
      continue;
    }
    if (i < line.size() && line[i] != '|') continue;
    ++count;
    each(trimmed(line.substr(from, i - from)));
    from = i + 1;
  }
  return count;
}

}  // namespace

std::size_t indent_of(std::string_view line) noexcept {
  std::size_t columns = 0;
  for (char const c : line) {
    if (c == '\t') {
      columns += kTab - columns % kTab;
    } else if (c == ' ') {
      ++columns;
    } else {
      break;
    }
  }
  return columns;
}

std::string_view without_attributes(std::string_view s) noexcept {
  if (!s.ends_with('}')) return s;
  std::size_t const open = s.rfind('{');
  if (open == std::string_view::npos || open + 2 >= s.size()) return s;
  char const first = s[open + 1];
  return first == '#' || first == '.' || first == ':' ? trimmed(s.substr(0, open)) : s;
}

std::optional<Heading> heading(std::string_view line) noexcept {
  if (indent_of(line) >= kCodeIndent) return std::nullopt;
  std::string_view const s = trimmed(line);
  std::size_t const marks = run(s, '#');
  if (marks == 0) return html_heading(s);
  if (marks > 6) return std::nullopt;
  bool const spaced = s.size() == marks || is_space(s[marks]);
  bool const glued = marks >= 2 && s.size() > marks && static_cast<unsigned char>(s[marks]) >= 0x80;
  if (!spaced && !glued) return std::nullopt;
  std::string_view const text = without_closing_marks(trimmed(s.substr(marks)));
  return Heading{static_cast<std::uint8_t>(marks), without_closing_marks(without_attributes(text))};
}

std::uint8_t setext_level(std::string_view line) noexcept {
  if (indent_of(line) >= kCodeIndent) return 0;
  std::string_view const s = trimmed(line);
  if (s.size() < 2 || (s[0] != '=' && s[0] != '-') || run(s, s[0]) != s.size()) return 0;
  return s[0] == '=' ? 1 : 2;
}

bool is_thematic_break(std::string_view line) noexcept {
  std::string_view const s = trimmed(line);
  if (s.empty() || (s[0] != '*' && s[0] != '-' && s[0] != '_')) return false;
  auto const marks = std::count(s.begin(), s.end(), s[0]);
  return marks >= 3 && std::all_of(s.begin(), s.end(), [&s](char c) { return c == s[0] || is_space(c); });
}

std::optional<Fence> opening_fence(std::string_view line) noexcept {
  std::string_view const s = trimmed(line);
  if (s.empty() || (s[0] != '`' && s[0] != '~')) return std::nullopt;
  Fence const fence{s[0], run(s, s[0])};
  if (fence.length < 3) return std::nullopt;
  // ```code``` on one line is a code span
  if (fence.mark == '`' && s.find('`', fence.length) != std::string_view::npos) return std::nullopt;
  return fence;
}

bool closes(Fence const& fence, std::string_view line) noexcept {
  std::string_view const s = trimmed(line);
  return s.size() >= fence.length && run(s, fence.mark) == s.size();
}

std::optional<ListMarker> list_marker(std::string_view line) noexcept {
  std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  ListMarker marker{indent_of(line), false, false};
  if (at == line.size()) return std::nullopt;
  if (is_digit(line[at])) {
    std::size_t const from = at;
    while (at < line.size() && is_digit(line[at])) ++at;
    if (at - from > 9 || at == line.size() || (line[at] != '.' && line[at] != ')')) return std::nullopt;
    marker.ordered = true;
    marker.starts_at_one = at - from == 1 && line[from] == '1';
  } else if (line[at] != '-' && line[at] != '*' && line[at] != '+') {
    return std::nullopt;
  }
  bool const spaced = at + 1 == line.size() || is_space(line[at + 1]);
  return spaced ? std::optional(marker) : std::nullopt;
}

std::size_t cells(std::string_view line) noexcept {
  if (line.find('|') == std::string_view::npos) return 0;
  return each_cell(line, [](std::string_view) {});
}

bool is_table_rule(std::string_view line) noexcept {
  if (line.find('|') == std::string_view::npos || line.find('-') == std::string_view::npos) return false;
  bool rule = true;
  each_cell(line, [&rule](std::string_view cell) {
    if (cell.starts_with(':')) cell.remove_prefix(1);
    if (cell.ends_with(':')) cell.remove_suffix(1);
    rule = rule && !cell.empty() && run(cell, '-') == cell.size();
  });
  return rule;
}

bool is_reference_definition(std::string_view line) noexcept {
  if (indent_of(line) >= kCodeIndent) return false;
  std::string_view const s = trimmed(line);
  std::size_t const close = s.find("]:");
  if (!s.starts_with('[') || s.starts_with("[^") || close == std::string_view::npos || close < 2) return false;
  std::string_view const behind = trimmed(s.substr(close + 2));
  std::string_view const title = trimmed(behind.substr(std::min(behind.find_first_of(" \t"), behind.size())));
  if (behind.empty()) return false;
  if (title.empty()) return true;
  bool const quoted = (title[0] == '"' && title.ends_with('"')) || (title[0] == '\'' && title.ends_with('\'')) ||
                      (title[0] == '(' && title.ends_with(')'));
  return title.size() >= 2 && quoted;
}

bool is_container_mark(std::string_view line) noexcept {
  std::string_view const s = trimmed(line);
  std::string_view const behind = trimmed(s.substr(run(s, ':')));
  return s.starts_with(":::") && behind.find_first_of(" \t") == std::string_view::npos;
}

bool is_admonition(std::string_view line) noexcept {
  std::string_view const s = trimmed(line);
  return s.starts_with("!!! ") || s.starts_with("??? ") || s.starts_with("???+ ") || s.starts_with("=== \"");
}

bool is_only_tags(std::string_view line) noexcept {
  std::string_view s = trimmed(line);
  if (s.empty()) return false;
  while (!s.empty()) {
    std::size_t const tag = tag_size(s);
    if (tag == 0) return false;
    s = trimmed(s.substr(tag));
  }
  return true;
}

}  // namespace kb::kbrepo::syntax
