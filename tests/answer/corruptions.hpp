/// Faithful claims made from real pages, and ways to make them false. Knows Markdown blocks and characters, nothing of
/// how claims are checked.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/characters.hpp"
#include "answer/claims.hpp"
#include "answer/render.hpp"
#include "kbrepo/page.hpp"

namespace kb::test {

using Random = std::mt19937_64;

/// Claims over the pages of one knowledge base. A claim is checked with five pages, as in a question.
class ClaimSource {
 public:
  struct Sample {
    std::vector<kbrepo::Page const*> pages;  ///< pages[0] is the one that is quoted
    std::vector<std::string> quotes;         ///< bytes of pages[0]
    std::string sentence;
    std::size_t block = 0;  ///< of pages[0]
    kbrepo::Page const* made_from = nullptr;
    std::vector<std::size_t> used;   ///< all blocks quoted
    std::vector<std::string> cells;  ///< of a row that is read out: its name and the cell
  };

  ClaimSource(std::vector<kbrepo::Page> const& pages, std::uint64_t seed) : random_(seed) {
    for (kbrepo::Page const& page : pages) {
      if (page.kind != kbrepo::PageKind::evidence) continue;
      std::size_t const known = spots_.size();
      for (std::size_t b = 0; b < page.blocks.size(); ++b) {
        if (is_plain(page, page.blocks[b])) spots_.push_back({&page, b});
      }
      if (spots_.size() > known) pages_.push_back(&page);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return spots_.empty(); }
  Random& random() noexcept { return random_; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  // ---- faithful ---------------------------------------------------------------------------------------------------
  static constexpr std::array<std::string_view, 4> kForms{"copied", "normalised", "list items joined", "table cells"};

  Sample faithful(std::size_t form) {
    for (;;) {
      std::optional<Sample> made = form == 2 ? joined() : form == 3 ? cells() : copied();
      if (!made) continue;
      if (form == 1) made->sentence = in_other_form(made->sentence);
      return std::move(*made);
    }
  }

  /// A sentence, item or row as the page has it.
  std::optional<Sample> copied() {
    Spot const spot = spots_[below(spots_.size())];
    Sample out = begin(spot);
    kbrepo::Page const& page = *spot.page;
    std::string_view text = page.bytes(page.blocks[spot.block]);
    if (page.blocks[spot.block].kind == kbrepo::BlockKind::paragraph) {
      std::vector<std::string_view> const sentences = answer::sentences_of(text);
      text = sentences[below(sentences.size())];
    }
    std::vector<std::string> const lines = answer::chat_lines(text, false);
    if (lines.size() != 1 || !has_words(lines[0])) return std::nullopt;
    out.quotes = {std::string(text)};
    out.sentence = bare(lines[0]);
    return out;
  }

  // ---- false ------------------------------------------------------------------------------------------------------
  static constexpr std::array<std::string_view, 11> kKinds{
      "digit",   "date",       "unit",          "negation",        "entity",  "clause",
      "swapped", "wrong page", "shifted lines", "stitched quotes", "modality"};

  /// Nothing when the sample gives no occasion for this kind.
  std::optional<Sample> corrupted(std::size_t kind) {
    std::optional<Sample> made = below(4) == 0 ? cells() : below(5) == 0 ? joined() : copied();
    if (!made) return std::nullopt;
    Sample before = *made;
    bool const changed = corrupt(*made, kKinds[kind]);
    if (!changed || still_true(*made)) return std::nullopt;
    bool const marks_alone =
        made->sentence != before.sentence && letters_of(made->sentence) == letters_of(before.sentence);
    if (marks_alone) return std::nullopt;
    bool const words_changed = made->sentence != before.sentence;
    if (words_changed && below(2) == 0) made->quotes = {made->sentence};  // the model invents the quote as well
    return made;
  }

 private:
  struct Spot {
    kbrepo::Page const* page;
    std::size_t block;
  };

  static bool has_words(std::string_view text) {
    std::size_t letters = 0;
    for (std::size_t at = 0; at < text.size();) {
      char32_t const c = answer::next_char(text, at);
      letters += answer::is_han(c) ? 2u : answer::is_ascii_alnum(c) ? 1u : 0u;
    }
    return letters >= 12;
  }

  static bool is_plain(kbrepo::Page const& page, kbrepo::Block const& block) {
    std::string_view const text = page.bytes(block);
    return block.kind != kbrepo::BlockKind::fence && text.size() >= 12 && text.size() <= 900 && has_words(text);
  }

  /// Without the mark of an item.
  static std::string bare(std::string_view line) {
    for (std::string_view const mark : {"- [ ] ", "- [x] ", "- ", "* ", "+ "}) {
      if (line.starts_with(mark)) return std::string(answer::trim(line.substr(mark.size())));
    }
    return std::string(line);
  }

  Sample begin(Spot spot) {
    Sample out;
    out.pages = {spot.page};
    out.made_from = spot.page;
    for (int i = 0; i < 4 && pages_.size() > 4; ++i) {
      kbrepo::Page const* const other = pages_[below(pages_.size())];
      if (std::find(out.pages.begin(), out.pages.end(), other) == out.pages.end()) out.pages.push_back(other);
    }
    out.block = spot.block;
    out.used = {spot.block};
    return out;
  }

  std::optional<Sample> joined() {
    Spot const spot = spots_[below(spots_.size())];
    kbrepo::Page const& page = *spot.page;
    if (page.blocks[spot.block].kind != kbrepo::BlockKind::list_item) return std::nullopt;
    Sample out = begin(spot);
    out.used.clear();
    bool const zh = answer::count_chars(page.text) * 2 < page.text.size();
    std::size_t const most = 2 + below(2);
    for (std::size_t b = spot.block; b < page.blocks.size() && out.quotes.size() < most; ++b) {
      kbrepo::Block const& block = page.blocks[b];
      kbrepo::Block const& first = page.blocks[spot.block];
      if (block.kind != first.kind || block.section != first.section || block.paragraph != first.paragraph) break;
      std::vector<std::string> const lines = answer::chat_lines(page.bytes(block), false);
      if (lines.size() != 1 || !has_words(lines[0]) || lines[0].ends_with('?') || lines[0].ends_with("？")) break;
      std::string item = bare(lines[0]);
      while (item.ends_with('.') || item.ends_with(';') || item.ends_with(',')) item.pop_back();
      for (std::string_view const mark : {"。", "；", "，"}) {
        if (item.ends_with(mark)) item.erase(item.size() - mark.size());
      }
      if (!out.sentence.empty()) out.sentence += zh ? (below(2) == 0 ? "；" : "、") : (below(2) == 0 ? "; " : ", and ");
      out.sentence += item;
      out.quotes.emplace_back(page.bytes(block));
      out.used.push_back(b);
    }
    if (out.quotes.size() < 2) return std::nullopt;
    out.sentence += zh ? "。" : ".";
    return out;
  }

  static std::vector<std::string> row_cells(std::string_view row) {
    std::vector<std::string> out;
    row = answer::trim(row);
    if (row.starts_with('|')) row.remove_prefix(1);
    if (row.ends_with('|')) row.remove_suffix(1);
    while (true) {
      auto const bar = row.find('|');
      std::vector<std::string> const text = answer::chat_lines(row.substr(0, bar), false);
      out.push_back(text.size() == 1 ? text[0] : std::string());
      if (bar == row.npos) break;
      row.remove_prefix(bar + 1);
    }
    return out;
  }

  std::optional<Sample> cells() {
    for (int tries = 0; tries < 200; ++tries) {
      Spot const spot = spots_[below(spots_.size())];
      kbrepo::Page const& page = *spot.page;
      kbrepo::Block const& block = page.blocks[spot.block];
      if (block.kind != kbrepo::BlockKind::table_row || block.context_begin == kbrepo::kNone) continue;
      if (page.bytes(block).find("\\|") != std::string_view::npos) continue;
      std::vector<std::string> const row = row_cells(page.bytes(block));
      std::vector<std::string> const head =
          row_cells(std::string_view(page.text).substr(block.context_begin, block.context_end - block.context_begin));
      if (row.size() != head.size() || row.size() < 2 || row[0].empty()) continue;
      std::size_t const column = 1 + below(row.size() - 1);
      if (row[column].empty() || head[column].empty() || !has_words(row[0] + row[column])) continue;
      Sample out = begin(spot);
      out.quotes = {std::string(page.bytes(block))};
      out.cells = {row[0], row[column]};
      bool const zh = answer::count_chars(out.quotes[0]) * 3 < out.quotes[0].size() * 2;
      switch (below(3)) {
        case 0:
          out.sentence = zh ? row[0] + " 的" + head[column] + "是 " + row[column] + "。"
                            : "The " + head[column] + " of " + row[0] + " is " + row[column] + ".";
          break;
        case 1:
          out.sentence = row[0] + (zh ? "：" : ": ") + head[column] + (zh ? "：" : ": ") + row[column];
          break;
        default:
          out.sentence = head[0] + ": " + row[0] + ", " + head[column] + ": " + row[column];
      }
      return out;
    }
    return std::nullopt;
  }

  /// Width, case, white space, marks and Traditional characters.
  std::string in_other_form(std::string const& text) {
    static std::map<char32_t, char32_t> const traditional{
        {U'国', U'國'}, {U'会', U'會'}, {U'数', U'數'}, {U'据', U'據'}, {U'这', U'這'}, {U'个', U'個'},
        {U'们', U'們'}, {U'时', U'時'}, {U'问', U'問'}, {U'题', U'題'}, {U'图', U'圖'}, {U'点', U'點'},
        {U'线', U'線'}, {U'树', U'樹'}, {U'节', U'節'}, {U'为', U'為'}};
    int const way = static_cast<int>(below(4));
    bool const has_link = text.find("://") != text.npos;
    std::string out;
    bool word_start = true;
    bool plain_word = true;
    bool plain_number = false;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t const from = at;
      char32_t c = answer::next_char(text, at);
      bool const letter = answer::is_ascii_alnum(c) || c == '_';
      if (letter && word_start) {  // a word of letters alone, not behind a number
        std::size_t end = from;
        while (end < text.size() && (answer::is_ascii_alnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
          ++end;
        std::string_view const word = std::string_view(text).substr(from, end - from);
        bool const letters = std::all_of(word.begin(), word.end(),
                                         [](char l) { return (l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z'); });
        bool const behind =
            from > 0 &&
            (answer::is_digit(static_cast<unsigned char>(text[from - 1])) ||
             (from > 1 && text[from - 1] == ' ' && answer::is_digit(static_cast<unsigned char>(text[from - 2]))));
        plain_word = letters && !behind;
        plain_number = std::all_of(word.begin(), word.end(), [](char d) { return d >= '0' && d <= '9'; });
      }
      word_start = !letter;
      if (way == 0 && c == ',') c = U'，';
      if (way == 0 && c == U'，') c = ',';
      if (way == 0 && c == U'：') c = ':';
      if (way == 1 && letter && plain_word && !has_link && c >= 'A' && c <= 'Z') c += 'a' - 'A';
      if (way == 2 && c == ' ' && at < text.size() && static_cast<unsigned char>(text[at]) >= 0xE3) continue;
      if (way == 3 && answer::is_digit(c) && plain_number) c += 0xFF10 - '0';
      if (auto const t = traditional.find(c); t != traditional.end() && way != 1) c = t->second;
      answer::append_char(out, c);
    }
    return out;
  }

  // ---- corruption -------------------------------------------------------------------------------------------------
  bool corrupt(Sample& s, std::string_view kind) {
    if (kind == "digit") return change_digit(s.sentence);
    if (kind == "date") return replace_from(s.sentence, kDates) || change_near(s.sentence, "年月日-/");
    if (kind == "unit") return change_unit(s.sentence);
    if (kind == "negation") return negate(s.sentence);
    if (kind == "entity") return change_entity(s);
    if (kind == "clause") return change_clause(s);
    if (kind == "swapped") return swap_two(s.sentence);
    if (kind == "modality") return replace_from(s.sentence, kModals);
    if (kind == "wrong page") return quote_other_page(s);
    if (kind == "shifted lines") return shift_lines(s);
    return stitch(s);
  }

  using Group = std::vector<std::string_view>;
  inline static std::vector<Group> const kDates{
      {"January", "February", "March", "April", "June", "July", "August", "September", "October", "November",
       "December"},
      {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
      {"周一", "周二", "周三", "周四", "周五", "周六", "周日"},
      {"今天", "昨天", "明天"},
      {"一月", "二月", "三月", "四月", "五月"},
      {"今年", "去年", "明年"}};
  inline static std::vector<Group> const kModals{{"must", "should", "may", "can"},
                                                 {"必须", "可以", "应该", "可能"},
                                                 {"always", "usually", "sometimes"},
                                                 {"all ", "some ", "most "},
                                                 {"所有", "部分", "少数"},
                                                 {"大于", "小于", "等于"},
                                                 {"at least", "at most"},
                                                 {"before", "after"},
                                                 {"之前", "之后"},
                                                 {"more than", "less than"},
                                                 {"至少", "至多"}};
  inline static std::vector<Group> const kUnits{{"KB", "MB", "GB", "TB"},
                                                {"ms", "s", "min"},
                                                {"秒", "分钟", "小时"},
                                                {"天", "周", "年"},
                                                {"个", "万个"},
                                                {"%", "‰"},
                                                {"days", "weeks", "months", "years"},
                                                {"hours", "minutes", "seconds"},
                                                {"元", "万元", "美元"},
                                                {"次", "万次"},
                                                {"k", "m"}};

  static bool letter_at(std::string const& t, std::size_t i) {
    return i < t.size() && answer::is_ascii_alnum(static_cast<unsigned char>(t[i]));
  }

  bool replace_from(std::string& text, std::vector<Group> const& groups) {
    std::vector<std::array<std::size_t, 3>> hits;  // place, group, word
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t w = 0; w < groups[g].size(); ++w) {
        std::string_view const word = groups[g][w];
        for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
          bool const latin = static_cast<unsigned char>(word[0]) < 0x80;
          if (latin &&
              ((at > 0 && letter_at(text, at - 1)) || (word.back() != ' ' && letter_at(text, at + word.size()))))
            continue;
          hits.push_back({at, g, w});
        }
      }
    }
    if (hits.empty()) return false;
    auto const [at, g, w] = hits[below(hits.size())];
    std::size_t const other = (w + 1 + below(groups[g].size() - 1)) % groups[g].size();
    text.replace(at, groups[g][w].size(), groups[g][other]);
    return true;
  }

  bool change_digit(std::string& text) {
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] >= '0' && text[i] <= '9') digits.push_back(i);
    }
    if (digits.empty()) return false;
    char& digit = text[digits[below(digits.size())]];
    digit = static_cast<char>('0' + (digit - '0' + 1 + static_cast<int>(below(9))) % 10);
    return true;
  }

  /// A digit beside one of the signs.
  bool change_near(std::string& text, std::string_view signs) {
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      bool const digit = text[i] >= '0' && text[i] <= '9';
      std::size_t at = i + 1;
      std::string_view const rest(text);
      std::size_t const from = at;
      if (!digit) continue;
      static_cast<void>(answer::next_char(rest, at));
      if (signs.find(rest.substr(from, at - from)) != signs.npos) digits.push_back(i);
    }
    if (digits.empty()) return false;
    char& digit = text[digits[below(digits.size())]];
    digit = static_cast<char>('0' + (digit - '0' + 1 + static_cast<int>(below(9))) % 10);
    return true;
  }

  bool change_unit(std::string& text) {
    for (std::size_t tries = 0; tries < 4; ++tries) {
      std::string changed = text;
      if (!replace_from(changed, kUnits)) return false;
      std::size_t at = 0;
      while (at < text.size() && text[at] == changed[at]) ++at;
      while (at > 0 && (text[at - 1] == ' ' || (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)) --at;
      if (at == 0 || text[at - 1] < '0' || text[at - 1] > '9') continue;
      text = changed;
      return true;
    }
    return false;
  }

  bool negate(std::string& text) {
    if (below(3) == 0) {
      for (std::string_view const word : {"不", "没有", "无", " not", " no", " never", "n't"}) {
        auto const at = text.find(word);
        bool const whole =
            at != text.npos && (static_cast<unsigned char>(word[0]) >= 0x80 || !letter_at(text, at + word.size()));
        if (!whole) continue;
        text.erase(at, word.size());
        return true;
      }
    }
    std::vector<std::size_t> starts;
    bool const latin = answer::count_chars(text) * 3 > text.size() * 2;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      bool const begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
      if (latin ? (text[i] == ' ' && letter_at(text, i - 1)) : (begins && static_cast<unsigned char>(text[i]) >= 0xE3))
        starts.push_back(i);
    }
    if (starts.empty()) return false;
    static constexpr std::string_view kHan[] = {"不", "没有", "未", "并非"};
    static constexpr std::string_view kLatin[] = {" not", " never", " cannot", " no"};
    text.insert(starts[below(starts.size())], latin ? kLatin[below(4)] : kHan[below(4)]);
    return true;
  }

  /// Latin words with a capital, and runs of Han between marks.
  static std::vector<std::string> names_of(std::string_view text) {
    std::set<std::string> out;
    std::string run;
    bool han = false;
    auto const flush = [&] {
      std::size_t const chars = answer::count_chars(run);
      static std::set<std::string> const no_names{"The", "This", "That", "These", "There", "And", "For", "You", "Our"};
      bool const capital = !no_names.contains(run) && !run.empty() && run[0] >= 'A' && run[0] <= 'Z' && chars >= 3;
      if (han ? (chars >= 2 && chars <= 6) : capital) out.insert(run);
      run.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
      char32_t const c = answer::next_char(text, at);
      bool const word = answer::is_ascii_alnum(c) || c == '_';
      bool const ideograph = answer::is_han(c);
      if ((word || ideograph) && !run.empty() && han != ideograph) flush();
      if (word || ideograph) {
        han = ideograph;
        answer::append_char(run, c);
      } else {
        flush();
      }
    }
    flush();
    return {out.begin(), out.end()};
  }

  bool change_entity(Sample& s) {
    std::vector<std::string> const mine = names_of(s.sentence);
    kbrepo::Page const& from = below(2) == 0 ? *s.pages[0] : *pages_[below(pages_.size())];
    std::vector<std::string> const theirs = names_of(from.bytes(from.blocks[below(from.blocks.size())]));
    if (mine.empty() || theirs.empty()) return false;
    std::string const& out = mine[below(mine.size())];
    std::string const& in = theirs[below(theirs.size())];
    auto const at = s.sentence.find(out);
    if (out == in || at == std::string::npos) return false;
    s.sentence.replace(at, out.size(), in);
    return true;
  }

  static std::vector<std::pair<std::size_t, std::size_t>> clauses_of(std::string const& text) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t const from = at;
      char32_t const c = answer::next_char(text, at);
      bool const mark = c == U'，' || c == U'；' || ((c == ',' || c == ';') && at < text.size() && text[at] == ' ');
      if (!mark) continue;
      out.emplace_back(begin, from);
      begin = at;
    }
    out.emplace_back(begin, text.size());
    return out;
  }

  /// A clause of the page in the place of one of the sentence's.
  bool change_clause(Sample& s) {
    auto const mine = clauses_of(s.sentence);
    kbrepo::Page const& page = *s.pages[0];
    std::vector<std::string> const lines =
        answer::chat_lines(page.bytes(page.blocks[below(page.blocks.size())]), false);
    if (mine.size() < 2 || lines.empty()) return false;
    auto const theirs = clauses_of(lines[0]);
    auto const [begin, end] = mine[below(mine.size())];
    auto const [from, to] = theirs[below(theirs.size())];
    std::string const clause = bare(std::string_view(lines[0]).substr(from, to - from));
    if (answer::count_chars(clause) < 3 || clause.find('|') != clause.npos) return false;
    for (std::string const& quote : s.quotes) {
      if (letters_of(quote).find(letters_of(clause)) != std::string::npos) return false;  // said there anyway
    }
    s.sentence.replace(begin, end - begin, clause);
    return true;
  }

  /// Two names, or two numbers, change places.
  bool swap_two(std::string& text) {
    std::vector<std::string> parts = names_of(text);
    if (below(2) == 0) {
      parts.clear();
      std::string number;
      for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] >= '0' && text[i] <= '9') {
          number += text[i];
        } else if (!number.empty()) {
          parts.push_back(std::move(number));
          number.clear();
        }
      }
    }
    if (parts.size() < 2) return false;
    std::string const a = parts[below(parts.size())];
    std::string const b = parts[below(parts.size())];
    auto const x = text.find(a);
    auto const y = text.find(b);
    bool const apart = x != text.npos && y != text.npos && (x + a.size() <= y || y + b.size() <= x);
    if (a == b || !apart) return false;
    text.replace(std::max(x, y), x > y ? a.size() : b.size(), x > y ? b : a);
    text.replace(std::min(x, y), x < y ? a.size() : b.size(), x < y ? b : a);
    return true;
  }

  /// The page that is named for the quote becomes another one of those read.
  bool quote_other_page(Sample& s) {
    if (s.pages.size() < 2) return false;
    std::swap(s.pages[0], s.pages[1 + below(s.pages.size() - 1)]);
    return true;
  }

  /// The lines next to those that say it.
  bool shift_lines(Sample& s) {
    kbrepo::Page const& page = *s.pages[0];
    std::size_t const other = below(2) == 0 || s.block == 0 ? s.used.back() + 1 : s.block - 1;
    if (other >= page.blocks.size()) return false;
    s.quotes = {std::string(page.bytes(page.blocks[other]))};
    s.used = {other};
    return true;
  }

  /// The beginning of this sentence and the end of another, with both as quotes.
  bool stitch(Sample& s) {
    std::optional<Sample> other = copied();
    kbrepo::Page const& page = *s.pages[0];
    if (below(2) == 0) {
      std::size_t const block = below(page.blocks.size());
      std::vector<std::string> const lines = answer::chat_lines(page.bytes(page.blocks[block]), false);
      if (lines.empty()) return false;
      other = s;
      other->sentence = bare(lines[0]);
      other->quotes = {std::string(page.bytes(page.blocks[block]))};
    }
    if (!other || other->sentence == s.sentence) return false;
    std::string_view const head = cut_at_word(s.sentence, 1);
    std::string_view const tail = std::string_view(other->sentence).substr(cut_at_word(other->sentence, 1).size());
    if (letters_of(head).size() < 8 || letters_of(tail).size() < 8) return false;
    s.sentence = std::string(head) + std::string(tail);
    if (other->pages[0] == s.pages[0]) s.quotes.insert(s.quotes.end(), other->quotes.begin(), other->quotes.end());
    return true;
  }

  /// About the first half, ending at a word.
  static std::string_view cut_at_word(std::string const& text, int) {
    std::size_t at = text.size() / 2;
    while (at < text.size() && ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80 || letter_at(text, at))) ++at;
    return std::string_view(text).substr(0, at);
  }

  /// Letters and digits alone, lower case: whether the blocks quoted say it anyway is a question of its own.
  static std::string letters_of(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      char32_t const c = answer::fold_width(answer::next_char(text, at));
      bool const letter = answer::is_ascii_alnum(c) || c >= 0x80;
      bool const mark = c >= 0x2000 && c < 0x3040;
      if (letter && !mark) answer::append_char(out, c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    return out;
  }

  /// What was made is on the page all the same: two rows alike, a sentence that comes twice, a clause in its own place.
  static bool still_true(Sample const& s) {
    std::string said = letters_of(s.sentence);
    std::string page;
    for (kbrepo::Block const& block : s.pages[0]->blocks) {
      for (std::string const& line : answer::chat_lines(s.pages[0]->bytes(block), false))
        page += letters_of(line) + '\n';
    }
    if (said.empty() || page.find(said) != std::string::npos) return true;
    return !s.cells.empty() && std::all_of(s.cells.begin(), s.cells.end(), [&](std::string const& cell) {
      return page.find(letters_of(cell)) != std::string::npos && said.find(letters_of(cell)) != std::string::npos;
    }) && s.pages[0] != s.made_from;
  }

  Random random_;
  std::vector<Spot> spots_;
  std::vector<kbrepo::Page const*> pages_;
};

/// A sample as a model would claim it.
inline answer::Claim claim_of(ClaimSource::Sample const& sample) {
  answer::Claim out{sample.sentence, {}};
  for (std::string const& quote : sample.quotes) out.quotes.push_back({std::size_t{0}, quote});
  return out;
}

}  // namespace kb::test
