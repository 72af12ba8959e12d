#include "answer/source_block.hpp"

#include <algorithm>
#include <array>

#include "answer/characters.hpp"
#include "answer/texts.hpp"

namespace kb::answer {
namespace {

constexpr std::string_view kOpen = "《";
constexpr std::string_view kClose = "》";

/// Bytes of the heading at the start of `line`, colon included; 0 when it is none.
std::size_t heading_length(std::string_view line) {
  std::size_t word = 0;
  for (std::string_view const name : {"来源", "來源", "sources"}) {
    if (lower_ascii(line.substr(0, name.size())) == name) word = name.size();
  }
  if (word == 0) return 0;
  while (word < line.size() && line[word] == ' ') ++word;
  std::string_view const rest = line.substr(word);
  if (rest.starts_with(':')) return word + 1;
  return rest.starts_with("：") ? word + std::string_view("：").size() : 0;
}

bool is_none(std::string_view text) {
  text = trim(text);
  if (text.ends_with("。")) text.remove_suffix(std::string_view("。").size());
  if (text.ends_with('.')) text.remove_suffix(1);
  return text == "无" || text == "無" || lower_ascii(text) == "none";
}

/// Takes "1." "2、" "3)" "- " off the front; the number, or 0.
int take_number(std::string_view& text) {
  std::size_t digits = 0;
  int number = 0;
  while (digits < text.size() && digits < 4 && is_digit(static_cast<unsigned char>(text[digits]))) {
    number = number * 10 + (text[digits++] - '0');
  }
  if (digits > 0) {
    for (std::string_view const mark : {".", "、", ")", "）", "．"}) {
      if (!text.substr(digits).starts_with(mark)) continue;
      text = trim(text.substr(digits + mark.size()));
      return number;
    }
    return 0;
  }
  if (text.starts_with("- ") || text.starts_with("* ")) text = trim(text.substr(2));
  return 0;
}

/// Takes a bracket, half or full width, off the front.
std::string take_label(std::string_view& text) {
  for (auto const& [open, close] : {std::pair<std::string_view, std::string_view>{"（", "）"}, {"(", ")"}}) {
    if (!text.starts_with(open)) continue;
    auto const end = text.find(close, open.size());
    if (end == text.npos) continue;
    std::string label(trim(text.substr(open.size(), end - open.size())));
    text = trim(text.substr(end + close.size()));
    return label;
  }
  return {};
}

SourceLine read_line(std::string_view raw) {
  SourceLine out;
  std::string_view text = trim(raw);
  out.text = text;
  out.number = take_number(text);
  if (text.starts_with(kOpen)) {
    if (auto const end = text.find(kClose); end != text.npos) {
      out.title = trim(text.substr(kOpen.size(), end - kOpen.size()));
      text = trim(text.substr(end + kClose.size()));
      out.label = take_label(text);
    }
  }
  if (text.starts_with('[') && text.ends_with(')')) {  // [title](link), or [link](link) after 《》
    if (auto const middle = text.find("]("); middle != text.npos) {
      if (out.title.empty()) out.title = trim(text.substr(1, middle - 1));
      text = text.substr(middle + 2, text.size() - middle - 3);
    }
  }
  out.link = trim(text);
  return out;
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    int const high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    int const low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// What follows `#` in a link: no room for words beside it.
bool is_fragment(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

SourceBlock read_source_block(std::string_view answer) {
  SourceBlock out;
  out.body = answer;
  bool fresh = true;  // the first line of the block holds the heading
  for (std::size_t at = 0; at < answer.size();) {
    auto const end = std::min(answer.find('\n', at), answer.size());
    std::string_view line = answer.substr(at, end - at);
    std::size_t const begin = at;
    at = end + 1;
    if (!out.present) {
      std::string_view const trimmed = trim(line);
      std::size_t const heading = heading_length(trimmed);
      if (heading == 0) continue;
      out.present = true;
      out.body = answer.substr(0, begin);
      line = trimmed.substr(heading);
      fresh = true;
    }
    std::string_view const text = trim(line);
    if (text.empty()) continue;
    if (is_none(text)) {
      out.says_none = true;
    } else if (text.starts_with('>') && !out.lines.empty()) {
      out.lines.back().excerpts.emplace_back(trim(text.substr(1)));
    } else if (fresh || !is_stale_line(line)) {  // C-12: a warning may stand below its source
      SourceLine source = read_line(text);
      if (!source.title.empty() || !source.link.empty()) out.lines.push_back(std::move(source));
    }
    fresh = false;
  }
  return out;
}

std::string plain_link(std::string_view link) {
  link = trim(link);
  if (link.starts_with('<') && link.ends_with('>') && link.size() >= 2) link = link.substr(1, link.size() - 2);
  auto const hash = link.rfind('#');
  if (hash != link.npos && is_fragment(link.substr(hash + 1))) link = link.substr(0, hash);
  return percent_decode(link);
}

std::optional<std::string> path_in_link(std::string_view link) {
  std::string const plain = plain_link(link);
  if (plain.find("://") == plain.npos) {
    auto const colon = plain.find(':');
    auto const slash = plain.find('/');
    if (colon != plain.npos && slash != plain.npos && slash < colon) return plain.substr(colon + 1);
    return std::nullopt;
  }
  constexpr std::array<std::string_view, 5> kBefore{"/src/commit/", "/src/branch/", "/-/blob/", "/blob/", "/raw/"};
  for (std::string_view const mark : kBefore) {
    auto const at = plain.find(mark);
    if (at == plain.npos) continue;
    auto const slash = plain.find('/', at + mark.size());
    if (slash != plain.npos) return plain.substr(slash + 1);
  }
  return std::nullopt;
}

bool names(SourceLine const& line, std::string_view entry) {
  entry = trim(entry);
  if (entry.empty()) return false;
  if (!line.title.empty() && (line.title == entry || line.title == title_text(entry))) return true;
  if (line.link.empty()) return false;
  if (line.link == entry || plain_link(line.link) == plain_link(entry)) return true;
  std::optional<std::string> const path = path_in_link(line.link);
  return path && *path == plain_link(entry);
}

}  // namespace kb::answer
