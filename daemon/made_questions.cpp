#include "daemon/made_questions.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "answer/characters.hpp"
#include "answer/quotes.hpp"
#include "kbrepo/inline_text.hpp"
#include "scope/words.hpp"

namespace kb::daemon {
namespace {

using kbrepo::Block;
using kbrepo::BlockKind;
using kbrepo::Page;

constexpr std::size_t kMinName = 2;  // characters of a heading, a key or a thing defined
constexpr std::size_t kMaxName = 40;
constexpr std::size_t kMinSentence = 10;  // characters that are left of a sentence without its date
constexpr std::size_t kMaxSentence = 80;
constexpr std::size_t kMinDigits = 2;  // of a table's number: a single one stands everywhere

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_name(std::string_view text) noexcept {
  std::size_t const size = answer::count_chars(text);
  return size >= kMinName && size <= kMaxName;
}

/// A part of the page's text.
struct Part {
  std::uint32_t begin = 0, end = 0;
};

std::string_view bytes(Page const& page, Part part) {
  return std::string_view(page.text).substr(part.begin, part.end - part.begin);
}

Part trimmed(Page const& page, Part part) {
  std::string_view const text = answer::trim(bytes(page, part));
  if (text.empty()) return {part.begin, part.begin};
  auto const begin = static_cast<std::uint32_t>(text.data() - page.text.data());
  return {begin, begin + static_cast<std::uint32_t>(text.size())};
}

/// The cells of a table row, without the bars.
std::vector<Part> cells_of(Page const& page, Part row) {
  std::vector<Part> out;
  row = trimmed(page, row);
  if (bytes(page, row).starts_with('|')) ++row.begin;
  if (bytes(page, row).ends_with('|')) --row.end;
  std::uint32_t from = row.begin;
  for (std::uint32_t at = row.begin; at <= row.end; ++at) {
    bool const bar = at < row.end && page.text[at] == '|' && (at == row.begin || page.text[at - 1] != '\\');
    if (at < row.end && !bar) continue;
    out.push_back(trimmed(page, {from, at}));
    from = at + 1;
  }
  return out;
}

/// The size of the number that stands at `at`, sign and separators inside it included; 0: none.
std::size_t number_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  while (end + 1 < text.size() && end > at && (text[end] == '.' || text[end] == ',') && is_digit(text[end + 1])) {
    ++end;
    while (end < text.size() && is_digit(text[end])) ++end;
  }
  return end - at;
}

/// The size of the date that begins at `at`: 2026-03-12, 2026/3/12, 2026年3月12日, 3 月 12 日; 0: none.
std::size_t date_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  auto const digits = [&](std::size_t most) {
    std::size_t const from = end;
    while (end < text.size() && end - from < most && is_digit(text[end])) ++end;
    return end > from;
  };
  auto const sign = [&](std::string_view mark) {
    std::size_t to = end;
    while (to < text.size() && text[to] == ' ') ++to;
    if (!text.substr(to).starts_with(mark)) return false;
    end = to + mark.size();
    while (end < text.size() && text[end] == ' ' && end + 1 < text.size() && is_digit(text[end + 1])) ++end;
    return true;
  };
  if (!digits(4)) return 0;
  std::size_t const first = end - at;
  if (first == 4 && (sign("-") || sign("/"))) {
    char const mark = text[end - 1];
    bool const whole = digits(2) && end < text.size() && text[end] == mark && (++end, digits(2));
    return whole && (end == text.size() || !is_digit(text[end])) ? end - at : 0;
  }
  if (first == 4 && !(sign("年") && digits(2))) return 0;
  return sign("月") && digits(2) && sign("日") ? end - at : 0;
}

/// Where the first date of a text is.
std::optional<Part> find_date(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && is_digit(text[at - 1]))) continue;
    std::size_t const size = date_at(text, at);
    if (size > 0) return Part{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + size)};
  }
  return std::nullopt;
}

/// The cell as a number with at most a unit behind it; its number alone.
std::optional<Part> lone_number(Page const& page, Part cell) {
  std::string_view const text = bytes(page, cell);
  std::size_t const size = number_at(text, 0);
  if (size < kMinDigits || answer::count_chars(text.substr(size)) > 8) return std::nullopt;
  if (std::any_of(text.begin() + static_cast<std::ptrdiff_t>(size), text.end(), is_digit)) return std::nullopt;
  return Part{cell.begin, cell.begin + static_cast<std::uint32_t>(size)};
}

bool stands_once(std::string_view text, std::string_view value) noexcept {
  auto const first = text.find(value);
  return first != text.npos && text.find(value, first + 1) == text.npos;
}

/// The last digit moved on until the page does not have the value.
std::string other_value(Page const& page, std::string_view value) {
  auto const last = value.find_last_of("0123456789");
  std::string out(value);
  for (int step = 1; step < 9 && last != value.npos; ++step) {
    out[last] = static_cast<char>('1' + (value[last] - '0' + step + 8) % 9);  // never 0: the 20th stays a day
    if (out != value && page.text.find(out) == page.text.npos) return out;
  }
  return {};
}

class Maker {
 public:
  explicit Maker(Page const& page) : page_(page), title_(kbrepo::plain_text(page.title)) {
    zh_ = scope::language_of(page.title + ' ' + std::string(answer::first_chars(page.text, 2000))) == Lang::zh;
  }

  std::vector<MadeQuestion> run() {
    for (std::uint32_t section = 1; section < page_.sections.size(); ++section) ask_heading(section);
    for (Block const& block : page_.blocks) {
      if (block.kind == BlockKind::table_row) {
        ask_table(block);
      } else if (block.kind != BlockKind::fence) {
        ask_date(block);
        if (block.kind == BlockKind::paragraph) ask_definition(block);
      }
    }
    return std::move(out_);
  }

 private:
  MadeQuestion& add(std::string_view type, std::string text, std::uint32_t line_begin, std::uint32_t line_end) {
    MadeQuestion& made = out_.emplace_back();
    made.gold.question = std::move(text);
    made.gold.type = type;
    made.gold.lang = zh_ ? "zh" : "en";
    made.gold.answerable = true;
    made.gold.gold_pages = {page_.path};
    made.gold.line_begin = line_begin;
    made.gold.line_end = line_end;
    return made;
  }

  void add_value(MadeQuestion& made, Part value) {
    made.value = bytes(page_, value);
    made.swapped = other_value(page_, made.value);
    made.begin = value.begin;
    made.end = value.end;
    made.gold.answer_contains = {{made.value}};
  }

  [[nodiscard]] bool asks_already(std::string_view text) const { return text.ends_with('?') || text.ends_with("？"); }

  void ask_heading(std::uint32_t section) {
    std::string const& heading = page_.sections[section].heading;
    auto const of_section = [section](Block const& block) { return block.section == section; };
    auto const first = std::find_if(page_.blocks.begin(), page_.blocks.end(), of_section);
    if (first == page_.blocks.end() || !is_name(heading) || heading == title_ || !is_name(title_)) return;
    std::uint32_t last_line = first->line_end;
    for (auto at = first; at != page_.blocks.end() && of_section(*at); ++at) last_line = at->line_end;
    std::string text = heading;
    if (!asks_already(heading))
      text = zh_ ? title_ + "的" + heading + "是什么？" : "What does " + title_ + " say about " + heading + "?";
    add("heading", std::move(text), page_.sections[section].line, last_line);
  }

  void ask_table(Block const& row) {
    if (row.context_begin == kbrepo::kNone) return;
    std::vector<Part> const cells = cells_of(page_, {row.begin, row.end});
    std::vector<Part> const head = cells_of(page_, first_line({row.context_begin, row.context_end}));
    if (cells.size() < 2 || cells.size() != head.size()) return;
    std::string const key = kbrepo::plain_text(bytes(page_, cells[0]));
    if (!is_name(key) || find_date(key)) return;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      std::string const column = kbrepo::plain_text(bytes(page_, head[i]));
      auto const number = lone_number(page_, cells[i]);
      if (!number || !is_name(column) || !stands_once(page_.text, bytes(page_, *number))) continue;
      std::string text = zh_ ? title_ + "里" + key + "的" + column + "是多少？"
                             : "In " + title_ + ", what is the " + column + " of " + key + "?";
      add_value(add("table", std::move(text), row.line_begin, row.line_end), *number);
      return;  // one question a row
    }
  }

  [[nodiscard]] Part first_line(Part part) const {
    auto const end = page_.text.find('\n', part.begin);
    return {part.begin, static_cast<std::uint32_t>(std::min<std::size_t>(end, part.end))};
  }

  void ask_date(Block const& block) {
    for (std::string_view const sentence : answer::sentences_of(page_.bytes(block))) {
      auto const date = find_date(sentence);
      if (!date) continue;
      std::string rest = kbrepo::plain_text(std::string(sentence.substr(0, date->begin)) + ' ' +
                                            std::string(sentence.substr(date->end)));
      rest = without_edges(rest);
      std::size_t const size = answer::count_chars(rest);
      if (find_date(rest) || size < kMinSentence || size > kMaxSentence) continue;
      auto const at = static_cast<std::uint32_t>(sentence.data() - page_.text.data());
      Part const value{at + date->begin, at + date->end};
      if (!stands_once(page_.text, bytes(page_, value))) continue;
      std::string text = zh_ ? rest + "，是什么时候？" : "When was this: " + rest + "?";
      add_value(add("date", std::move(text), block.line_begin, block.line_end), value);
      return;
    }
  }

  /// Marks, bullets and brackets off both ends.
  static std::string without_edges(std::string_view text) {
    constexpr std::array<std::string_view, 14> marks{"-", "*", ":", "：", "，", ",", "。",
                                                     ".", "(", ")", "（", "）", "|", ">"};
    for (bool changed = true; changed;) {
      changed = false;
      text = answer::trim(text);
      for (std::string_view const mark : marks) {
        if (text.starts_with(mark))
          text.remove_prefix(mark.size());
        else if (text.ends_with(mark))
          text.remove_suffix(mark.size());
        else
          continue;
        changed = true;
      }
    }
    return std::string(text);
  }

  /// "X 是 …", "X is a …" where X is what the page or the section is called.
  void ask_definition(Block const& block) {
    std::string const text = kbrepo::plain_text(page_.bytes(block));
    for (std::string_view const verb : {"是一", "是指", "指的是", " is a ", " is an ", " is the "}) {
      auto const at = text.find(verb);
      if (at == text.npos) continue;
      std::string const name(answer::trim(std::string_view(text).substr(0, at)));
      std::string const& heading = page_.sections[block.section].heading;
      if (!is_name(name) || (name != title_ && name != heading)) continue;
      bool const known = std::any_of(out_.begin(), out_.end(), [&](MadeQuestion const& made) {
        return made.gold.type == "definition" && made.gold.question.find(name) != std::string::npos;
      });
      if (known) return;
      bool const zh = verb.front() != ' ';
      add("definition", zh ? "什么是" + name + "？" : "What is " + name + "?", block.line_begin, block.line_end);
      return;
    }
  }

  Page const& page_;
  std::string title_;
  bool zh_ = false;
  std::vector<MadeQuestion> out_;
};

}  // namespace

std::vector<MadeQuestion> questions_of(Page const& page) { return Maker(page).run(); }

std::string swapped_text(Page const& page, MadeQuestion const& question) {
  return page.text.substr(0, question.begin) + question.swapped + page.text.substr(question.end);
}

bool holds_value(std::string_view text, std::string_view value) noexcept {
  if (value.empty()) return false;
  for (auto at = text.find(value); at != text.npos; at = text.find(value, at + 1)) {
    std::size_t const end = at + value.size();
    if ((at == 0 || !is_digit(text[at - 1])) && (end == text.size() || !is_digit(text[end]))) return true;
  }
  return false;
}

}  // namespace kb::daemon
