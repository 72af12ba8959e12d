/// Ways to make a faithful claim false. Knows characters and Markdown blocks, nothing of how claims are checked.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/answer/claim_source.hpp"

namespace kb::test {

/// Draws from its source.
class Corruptor {
 public:
  using Sample = ClaimSource::Sample;
  explicit Corruptor(ClaimSource& source) : source_(source) {}

  static constexpr std::array<std::string_view, 11> kKinds{
      "digit",   "date",       "unit",          "negation",        "entity",  "clause",
      "swapped", "wrong page", "shifted lines", "stitched quotes", "modality"};

  /// Nothing when the sample gives no occasion for this kind.
  std::optional<Sample> corrupted(std::size_t kind) {
    std::optional<Sample> made = below(4) == 0 ? source_.cells() : below(5) == 0 ? source_.joined() : source_.copied();
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
  std::size_t below(std::size_t n) { return source_.below(n); }

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
    kbrepo::Page const& from = below(2) == 0 ? *s.pages[0] : source_.any_page();
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
    std::optional<Sample> other = source_.copied();
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

  ClaimSource& source_;
};

}  // namespace kb::test
