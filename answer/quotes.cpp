#include "answer/quotes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "answer/characters.hpp"
#include "kbrepo/line_syntax.hpp"

namespace kb::answer {
namespace {

// What must not be cut off a sentence that is quoted in part: it denies, limits, or makes it a plan or hearsay.
constexpr std::array<std::string_view, 50> kTurnsHan{
    "不",   "没",   "沒",   "未",   "无",   "無", "非", "否",   "勿",   "莫",   "禁",   "拒",   "误",
    "誤",   "假",   "若",   "如果", "除",   "仅", "僅", "只",   "才",   "可能", "也许", "也許", "或许",
    "或許", "大概", "计划", "計劃", "打算", "拟", "擬", "考虑", "考慮", "建议", "建議", "据说", "據說",
    "传",   "傳",   "反",   "曾",   "旧",   "舊", "废", "廢",   "取消", "当时", "當時"};
constexpr std::array<std::string_view, 40> kTurnsLatin{
    "not",     "no",     "never",   "cannot", "without",    "unless",   "if",       "only",    "except",  "hardly",
    "may",     "might",  "could",   "would",  "should",     "plan",     "plans",    "planned", "propose", "proposed",
    "rumor",   "rumour", "false",   "wrong",  "deprecated", "formerly", "neither",  "nor",     "none",    "nobody",
    "nothing", "refuse", "refused", "deny",   "denied",     "reject",   "rejected", "until",   "myth",    "supposedly"};
constexpr std::array<std::string_view, 14> kNegationsHan{"不", "没", "沒", "未",   "无", "無", "非",
                                                         "否", "勿", "莫", "禁止", "拒", "别", "別"};
constexpr std::array<std::string_view, 12> kNegationsLatin{"not", "no",   "never",  "cannot",  "without", "neither",
                                                           "nor", "none", "nobody", "nothing", "unable",  "cant"};
// 别 and 非 inside these words deny nothing.
constexpr std::array<std::string_view, 9> kNotNegations{"特别", "特別", "级别", "分别", "分別",
                                                        "区别", "别人", "非常", "別人"};
constexpr std::u32string_view kHanNumerals = U"零〇一二三四五六七八九十百千万萬亿億两兩";
constexpr std::u32string_view kMeasures =
    U"个個人次年月日号號周天小时時分秒元块塊名位条條项項台臺版级級倍页頁期届屆轮輪号种種家";

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

/// Latin words of `text`, lower case, one at a time; "don't" is don't.
template <class Visit>
bool any_latin_word(std::string_view text, Visit const& visit) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    char const c = i < text.size() ? text[i] : ' ';
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (c == '\'' && !word.empty())) {
      word += letter && c < 'a' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty()) {
      if (visit(word)) return true;
      word.clear();
    }
  }
  return false;
}

template <std::size_t N>
bool among(std::array<std::string_view, N> const& words, std::string_view word) noexcept {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool denies(std::string_view word) noexcept { return among(kNegationsLatin, word) || word.ends_with("n't"); }

/// A full stop ends a sentence when white space or nothing follows and what precedes is no single letter or list
/// number.
bool is_full_stop(std::string_view text, std::size_t dot) noexcept {
  if (text[dot] != '.') return false;
  bool const ends_word =
      dot + 1 == text.size() || text[dot + 1] == ' ' || static_cast<unsigned char>(text[dot + 1]) >= 0x80;
  if (!ends_word) return false;
  if (dot == 0) return false;
  std::size_t word = dot;
  while (word > 0 && text[word - 1] != ' ') --word;
  std::string_view const before = text.substr(word, dot - word);
  bool const single = before.size() == 1 && !is_digit(static_cast<unsigned char>(before[0]));
  bool const list_number = word == 0 && before.size() <= 3 && std::all_of(before.begin(), before.end(), [](char c) {
                             return is_digit(static_cast<unsigned char>(c));
                           });
  return !single && !list_number && before != "e.g" && before != "i.e" && before != "vs" && before != "etc" &&
         before != "Dr" && before != "Mr" && before != "Ms" && before != "No";
}

bool is_closer(char32_t code) noexcept {
  return code == ')' || code == '"' || code == '\'' || code == U'”' || code == U'’' || code == U'」' || code == U'』' ||
         code == U'）' || code == U'》' || code == ']';
}

/// Commas, colons, dashes, brackets: where a clause may begin or end.
bool is_clause_mark(char32_t code) noexcept {
  return code == ',' || code == ';' || code == ':' || code == U'，' || code == U'；' || code == U'：' || code == U'—' ||
         code == '(' || code == '|' || code == U'“' || code == '"' || code == U'「' || is_closer(code);
}

struct SentenceEnd {
  std::size_t at = 0;
  bool marked = false;  ///< by an end mark, not by the limit
};

/// End of the sentence that holds `at`: behind its end mark and closers, or at `limit`.
SentenceEnd sentence_end(std::string_view text, std::size_t at, std::size_t limit) noexcept {
  while (at < limit) {
    std::size_t const here = at;
    char32_t const code = next_char(text, at);
    if (!is_terminator(code) && !is_full_stop(text, here)) continue;
    while (at < limit) {
      std::size_t next = at;
      char32_t const more = next_char(text, next);
      if (!is_closer(more) && !is_terminator(more)) break;
      at = next;
    }
    if (code < 0x80 && at < limit &&
        (is_ascii_alnum(static_cast<unsigned char>(text[at])) || text[at] == '=' || text[at] == '+'))
      continue;  // the "?" and "!" of addresses and of code
    return {at, true};
  }
  return {limit, false};
}

struct Line {
  std::string_view rest;
  bool opens = false;  ///< begins a block of its own
};

/// Takes indentation, quote marks, bullets and heading marks off. `1.` stays: a number is content.
Line strip_marks(std::string_view line) noexcept {
  Line out{line, false};
  for (;;) {
    while (!out.rest.empty() && is_space(out.rest.front())) out.rest.remove_prefix(1);
    if (out.rest.starts_with('>')) {
      out.rest.remove_prefix(1);
    } else if (out.rest.size() >= 2 && (out.rest[0] == '-' || out.rest[0] == '*' || out.rest[0] == '+') &&
               is_space(out.rest[1])) {
      out.rest.remove_prefix(2);
      out.opens = true;
    } else if (auto const hashes = out.rest.find_first_not_of('#');
               out.rest.starts_with('#') && hashes <= 6 && hashes < out.rest.size() && is_space(out.rest[hashes])) {
      out.rest.remove_prefix(hashes);
      out.opens = true;
    } else {
      break;
    }
  }
  std::size_t digits = 0;
  while (digits < out.rest.size() && is_digit(static_cast<unsigned char>(out.rest[digits]))) ++digits;
  bool const numbered =
      digits > 0 && digits <= 3 && digits < out.rest.size() && (out.rest[digits] == '.' || out.rest[digits] == ')');
  out.opens = out.opens || numbered || out.rest.starts_with('|');
  return out;
}

bool opens_fence(Line const& line) noexcept { return line.rest.starts_with("```") || line.rest.starts_with("~~~"); }

class Normaliser {
 public:
  explicit Normaliser(std::size_t size) { out_.text.reserve(size); }
  /// Keeps where in `source` each byte comes from.
  Normaliser(std::string_view source, std::size_t size) : source_(source.data()) {
    out_.text.reserve(size);
    out_.origins.reserve(size);
  }

  /// All lines of a text, beginning a block.
  void part(std::string_view markdown) {
    block_ = true;
    in_fence_ = false;
    lines(markdown);
  }

  void lines(std::string_view markdown) {
    while (!markdown.empty()) {
      auto const end = markdown.find('\n');
      line(markdown.substr(0, end));
      markdown.remove_prefix(end == markdown.npos ? markdown.size() : end + 1);
    }
  }

  /// The paragraph around byte `at`.
  void paragraph(std::string_view markdown, std::size_t at) {
    bool in_fence = false;  // at the line that is read
    for (std::size_t begin = 0, paragraph = 0; begin < markdown.size();) {
      std::size_t const end = std::min(markdown.find('\n', begin), markdown.size());
      Line const read = strip_marks(markdown.substr(begin, end - begin));
      if (read.rest.empty()) {
        if (begin > at) return lines(markdown.substr(paragraph, begin - paragraph));
        paragraph = end + 1;
        in_fence_ = in_fence;
      }
      in_fence = in_fence != opens_fence(read);
      begin = end + 1;
      if (begin >= markdown.size()) lines(markdown.substr(std::min(paragraph, markdown.size())));
    }
  }

  void line(std::string_view raw) {
    Line const stripped = strip_marks(raw);
    bool const fence = opens_fence(stripped);
    if (fence) in_fence_ = !in_fence_;
    if (stripped.rest.empty()) {
      block_ = true;
      return;
    }
    // The reader of pages ends a block at such a line.
    bool const divides = !in_fence_ && (kbrepo::syntax::is_only_tags(raw) || kbrepo::syntax::is_container_mark(raw));
    bool const heading = raw.find_first_not_of(" \t") != raw.npos && raw[raw.find_first_not_of(" \t")] == '#';
    pending_space_ = !out_.text.empty();
    block_ = block_ || stripped.opens || in_fence_ || divides;
    inline_text(stripped.rest);
    block_ = heading || fence || divides || stripped.rest.starts_with('|');
  }

  NormalText take() && { return std::move(out_); }

 private:
  void inline_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      char const c = text[at];
      if (is_space(c)) {
        pending_space_ = true;
        ++at;
      } else if (c == '`' || (c == '*' && !inside_word(text, at)) || (c == '_' && !inside_word(text, at))) {
        ++at;
      } else if (c == '\\' && at + 1 < text.size() && is_escapable(text[at + 1])) {
        put(static_cast<unsigned char>(text[at + 1]), text.data() + at + 1);
        at += 2;
      } else if (c == '[' || (c == '!' && at + 1 < text.size() && text[at + 1] == '[')) {
        at = link(text, at);
      } else {
        char const* const from = text.data() + at;
        put(next_char(text, at), from);
      }
    }
  }

  /// `[text](target)` and `![alt](target)` give their text, `[[target|text]]` its text; anything else is plain.
  std::size_t link(std::string_view text, std::size_t at) {
    std::size_t const open = text[at] == '!' ? at + 1 : at;
    if (text.substr(open).starts_with("[[")) {
      auto const close = text.find("]]", open);
      if (close != text.npos) {
        std::string_view inner = text.substr(open + 2, close - open - 2);
        if (auto const bar = inner.rfind('|'); bar != inner.npos) inner.remove_prefix(bar + 1);
        inline_text(inner);
        return close + 2;
      }
    }
    auto const close = text.find("](", open);
    auto const first = text.find(']', open);
    if (close != text.npos && close == first) {
      auto const end = text.find(')', close);
      if (end != text.npos) {
        inline_text(text.substr(open + 1, close - open - 1));
        return end + 1;
      }
    }
    put(static_cast<unsigned char>(text[at]), text.data() + at);
    return at + 1;
  }

  static bool inside_word(std::string_view text, std::size_t at) noexcept {
    return at > 0 && at + 1 < text.size() && is_ascii_alnum(static_cast<unsigned char>(text[at - 1])) &&
           is_ascii_alnum(static_cast<unsigned char>(text[at + 1]));
  }
  static bool is_escapable(char c) noexcept {
    return std::string_view("\\`*_{}[]()#+-.!|<>~$").find(c) != std::string_view::npos;
  }

  void put(char32_t code, char const* from) {
    char32_t const folded = fold_width(code);
    bool const wide = is_wide(code) && !is_ascii_alnum(folded);
    code = folded;
    if (code == 0) return;
    if (code == ' ') {
      pending_space_ = true;
      return;
    }
    if (pending_space_ && !out_.text.empty() && !wide && !last_wide_) out_.text += ' ';
    pending_space_ = false;
    if (block_) out_.breaks.push_back(static_cast<std::uint32_t>(out_.text.size()));
    block_ = false;
    append_char(out_.text, code);
    if (source_ != nullptr) out_.origins.resize(out_.text.size(), static_cast<std::uint32_t>(from - source_));
    last_wide_ = wide;
  }

  NormalText out_;
  char const* source_ = nullptr;  ///< not null: origins are kept
  bool pending_space_ = false;
  bool block_ = true;
  bool in_fence_ = false;  // every line of code stands for itself
  bool last_wide_ = false;
};

/// Begin and end of the block around [begin, end).
Place block_around(NormalText const& page, std::size_t begin, std::size_t end) {
  auto const after = std::upper_bound(page.breaks.begin(), page.breaks.end(), begin);
  std::size_t const from = after == page.breaks.begin() ? 0 : *std::prev(after);
  auto const next = std::lower_bound(page.breaks.begin(), page.breaks.end(), end);
  return {from, next == page.breaks.end() ? page.text.size() : *next};
}

std::string_view trim_spaces(std::string_view text) noexcept {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// "3." or "2026-03-12 10:00": what an item carries in front of its sentence.
bool is_item_head(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    char32_t const code = next_char(text, at);
    if (!is_digit(code) && std::u32string_view(U" .)-/:TZ年月日").find(code) == std::u32string_view::npos) return false;
  }
  return true;
}

bool begins_well(std::string_view text, Place block, std::size_t begin) {
  std::size_t start = block.begin;
  while (start < begin) {
    SentenceEnd const end = sentence_end(text, start, begin);
    if (!end.marked) break;
    start = end.at;
  }
  std::string_view const cut = trim_spaces(text.substr(start, begin - start));
  if (is_item_head(cut)) return true;
  return is_clause_mark(last_char(cut)) && !turns_sense(cut);
}

bool ends_well(std::string_view text, Place block, std::size_t end) {
  char32_t const last = last_char(text.substr(0, end));
  bool const ended = is_terminator(last) || (text[end - 1] == '.' && is_full_stop(text, end - 1)) ||
                     (is_closer(last) && end >= 2 && is_terminator(last_char(text.substr(0, end - 1))));
  if (ended) return true;
  std::size_t const stop = sentence_end(text, end, block.end).at;
  std::string_view const cut = trim_spaces(text.substr(end, stop - end));
  if (cut.empty()) return true;
  std::size_t at = 0;
  char32_t const first = next_char(cut, at);
  if (is_terminator(first) ||
      (first == '.' && (cut.size() == 1 || cut[1] == ' ' || is_closer(static_cast<unsigned char>(cut[1])))))
    return true;
  return (is_clause_mark(first) || is_clause_mark(last)) && !turns_sense(cut);
}

}  // namespace

NormalText normalise(std::string_view markdown) {
  Normaliser out(markdown.size());
  out.lines(markdown);
  return std::move(out).take();
}

NormalText normalise_around(std::string_view markdown, std::size_t at) {
  Normaliser out(0);
  out.paragraph(markdown, at);
  return std::move(out).take();
}

NormalText normalise(std::string_view source, std::span<Place const> parts) {
  std::size_t size = 0;
  for (Place const& part : parts) size += part.end - part.begin;
  Normaliser out(source, size);
  for (Place const& part : parts) out.part(source.substr(part.begin, part.end - part.begin));
  return std::move(out).take();
}

bool turns_sense(std::string_view text) {
  for (std::string_view const word : kTurnsHan) {
    if (text.find(word) != text.npos) return true;
  }
  return any_latin_word(text, [](std::string_view word) { return among(kTurnsLatin, word) || denies(word); });
}

bool is_whole(NormalText const& page, Place place) {
  Place const block = block_around(page, place.begin, place.end);
  return begins_well(page.text, block, place.begin) && ends_well(page.text, block, place.end);
}

Place sentences_around(NormalText const& page, Place place) {
  Place const block = block_around(page, place.begin, place.end);
  Place out{block.begin, sentence_end(page.text, block.begin, block.end).at};
  while (out.end <= place.begin && out.end < block.end) {
    out = {out.end, sentence_end(page.text, out.end, block.end).at};
  }
  while (out.end < place.end && out.end < block.end) out.end = sentence_end(page.text, out.end, block.end).at;
  while (out.begin < out.end && page.text[out.begin] == ' ') ++out.begin;
  return out;
}

bool occurs(NormalText const& page, std::string_view quote) noexcept {
  return !quote.empty() && page.text.find(quote) != std::string::npos;
}

std::optional<Place> find_quote(NormalText const& page, std::string_view quote) {
  if (quote.empty()) return std::nullopt;
  std::string_view const text = page.text;
  // memmem does not stop at every character that begins like the quote, which in Chinese is every third byte.
  for (std::size_t from = 0; from + quote.size() <= text.size();) {
    void const* const found = memmem(text.data() + from, text.size() - from, quote.data(), quote.size());
    if (found == nullptr) break;
    auto const at = static_cast<std::size_t>(static_cast<char const*>(found) - text.data());
    Place const place{at, at + quote.size()};
    if (is_whole(page, place)) return place;
    from = at + 1;
  }
  return std::nullopt;
}

std::vector<std::string_view> sentences_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t const end = sentence_end(line, at, line.size()).at;
    std::string_view const sentence = trim(line.substr(at, end - at));
    if (!sentence.empty()) out.push_back(sentence);
    at = end;
  }
  return out;
}

std::vector<std::string_view> sentences_of(NormalText const& page) {
  std::vector<std::string_view> out;
  std::string_view const text = page.text;
  for (std::size_t i = 0; i <= page.breaks.size(); ++i) {
    std::size_t const begin = i == 0 ? 0 : page.breaks[i - 1];
    std::size_t const end = i == page.breaks.size() ? text.size() : page.breaks[i];
    for (std::string_view const sentence : sentences_of(text.substr(begin, end - begin))) out.push_back(sentence);
  }
  return out;
}

std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> out;
  std::string han;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const begin = at;
    char32_t const code = next_char(text, at);
    if (is_digit(code)) {
      std::size_t end = at;
      while (end < text.size() && (is_digit(static_cast<unsigned char>(text[end])) ||
                                   ((text[end] == '.' || text[end] == ',') && end + 1 < text.size() &&
                                    is_digit(static_cast<unsigned char>(text[end + 1]))))) {
        ++end;
      }
      out.emplace_back(text.substr(begin, end - begin));
      at = end;
    } else if (kHanNumerals.find(code) != kHanNumerals.npos) {
      append_char(han, code);
      continue;
    } else if (!han.empty() && kMeasures.find(code) != kMeasures.npos) {
      out.push_back(han);
    }
    han.clear();
  }
  return out;
}

std::size_t negations_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::string_view const rest = text.substr(at);
    auto const starts = [rest](std::string_view word) { return rest.starts_with(word); };
    auto const innocent = std::find_if(kNotNegations.begin(), kNotNegations.end(), starts);
    if (innocent != kNotNegations.end()) {
      at += innocent->size();
    } else if (auto const word = std::find_if(kNegationsHan.begin(), kNegationsHan.end(), starts);
               word != kNegationsHan.end()) {
      ++count;
      at += word->size();
    } else {
      static_cast<void>(next_char(text, at));
    }
  }
  any_latin_word(text, [&count](std::string_view word) {
    count += denies(word) ? 1u : 0u;
    return false;
  });
  return count;
}

std::vector<std::string_view> link_targets(std::string_view markdown) {
  std::vector<std::string_view> out;
  for (auto at = markdown.find("]("); at != markdown.npos; at = markdown.find("](", at + 2)) {
    auto const end = markdown.find(')', at);
    if (end != markdown.npos) out.push_back(markdown.substr(at + 2, end - at - 2));
  }
  for (auto at = markdown.find("://"); at != markdown.npos; at = markdown.find("://", at + 3)) {
    std::size_t begin = at;
    while (begin > 0 && is_ascii_alnum(static_cast<unsigned char>(markdown[begin - 1]))) --begin;
    std::size_t end = at + 3;
    while (end < markdown.size() && markdown[end] > ' ' && static_cast<unsigned char>(markdown[end]) < 0x80 &&
           std::string_view("()<>\"`]").find(markdown[end]) == std::string_view::npos) {
      ++end;
    }
    out.push_back(markdown.substr(begin, end - begin));
  }
  return out;
}

}  // namespace kb::answer
