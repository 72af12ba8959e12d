#include "answer/derivation.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "answer/characters.hpp"
#include "answer/guards.hpp"

namespace kb::answer {
namespace {

using View = std::u32string_view;
using Text = std::u32string;

constexpr std::size_t kMaxSubject = 60;  // characters
constexpr std::size_t kMaxKey = 24;
constexpr std::size_t kMostPlaces = 8;
constexpr std::size_t kMinHan = 4;     // characters of a clause that stands for itself
constexpr std::size_t kMinLatin = 10;  // … in Latin script alone

// All folded: Simplified, lower case, half width.
constexpr View kOpeners[] = {U"关于", U"根据", U"按照", U"在", U"according to", U"in", U"for", U"about"};
constexpr View kAfterSubject[] = {U"的", U"中", U"里", U"上",  U":", U",",     U"是",
                                  U"为", U"'s", U"is", U"are", U"-", U"\u2014"};
constexpr View kCopulas[] = {U"是", U"为", U"有", U"is", U"are", U"=", U":"};
constexpr View kJoiners[] = {U":", U"!", U",", U";", U"和", U"与", U"及", U"以及", U"and", U".", U"还有"};
constexpr View kRowGlue[] = {U"的", U"是", U"为", U"在",  U"有", U":",   U",",   U";", U"|",
                             U"=",  U".",  U"is", U"are", U"of", U"the", U"and", U"'s"};
constexpr View kApart = U",;|.";  ///< between two cells of a row
/// A heading with one of these speaks of several things: none of them alone is the subject of what lies below.
constexpr View kSeveral[] = {U",",  U"/",  U"&",  U"+",     U"|",    U"和",  U"与",
                             U"或", U"及", U"跟", U" and ", U" or ", U" vs "};

void skip_spaces(View text, std::size_t& at) {
  while (at < text.size() && text[at] == ' ') ++at;
}

bool is_latin(char32_t c) noexcept { return is_ascii_alnum(c) || (c > 0x7F && c < 0x2000); }

/// Whether `at` lies between two words; a unit may touch its number.
bool is_word_bound(View text, std::size_t at) noexcept {
  if (at == 0 || at == text.size() || !is_latin(text[at - 1]) || !is_latin(text[at])) return true;
  return is_digit(text[at - 1]) && !is_digit(text[at]);
}
bool on_word_bounds(View text, std::size_t begin, std::size_t end) noexcept {
  return is_word_bound(text, begin) && is_word_bound(text, end);
}

/// Passes one of the words, or none. Says whether one was there.
bool skip_one(View text, std::size_t& at, std::span<View const> words) {
  skip_spaces(text, at);
  for (View const word : words) {
    if (!text.substr(at).starts_with(word) || !is_word_bound(text, at + word.size())) continue;
    at += word.size();
    skip_spaces(text, at);
    return true;
  }
  return false;
}

std::string utf8(View text) {
  std::string out;
  for (char32_t const code : text) append_char(out, code);
  return out;
}

Text folded(std::string_view markdown) { return folded_sentence(normalise(markdown).text); }

/// Cells of a table row, folded.
std::vector<Text> cells_of(std::string_view row) {
  std::vector<Text> out;
  row = trim(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  std::string cell;
  for (std::size_t i = 0; i <= row.size(); ++i) {
    bool const end = i == row.size() || (row[i] == '|' && (i == 0 || row[i - 1] != '\\'));
    if (!end) {
      cell += row[i];
    } else if (i < row.size() || !trim(cell).empty()) {
      out.push_back(folded(cell));
      cell.clear();
    }
  }
  return out;
}

/// What a list item carries in front: "3.", "2026-03-12 10:00" or "[x]".
std::size_t head_size(View text) noexcept {
  if (text.starts_with(U"[x]")) return 3;
  if (text.starts_with(U"[]")) return 2;
  std::size_t at = 0;
  while (at < text.size() && (is_digit(text[at]) || View(U" .)-/:年月日").find(text[at]) != View::npos)) ++at;
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == ':' || text[at - 1] == '-')) --at;
  return at > 0 && is_digit(text[0]) ? at : 0;
}

/// One sentence against the evidence for it.
class Derivation {
 public:
  explicit Derivation(std::span<Evidence const> evidence) : evidence_(evidence) {}

  [[nodiscard]] bool run(std::string_view normal) {
    Text const sentence = folded_sentence(normal);
    if (sentence.empty()) return false;
    asks_ = sentence.back() == '?';
    bool const said = says(sentence, false) || (one_section() && behind_subject(sentence));
    return said && keeps_signs(normal, all_text());
  }

 private:
  /// `in_full`: behind a subject; no clause in front may be cut off, and a row must be named.
  [[nodiscard]] bool says(View sentence, bool in_full) const {
    if (sentence.empty()) return false;
    return stands(sentence, in_full) || joins_items(sentence) || any_block([&](Evidence const& e) {
             return names_value(e, sentence) || follows_head(e, sentence) || reads_row(e, sentence, in_full);
           });
  }

  template <class Accepts>
  [[nodiscard]] bool any_block(Accepts const& accepts) const {
    return std::any_of(evidence_.begin(), evidence_.end(), accepts);
  }

  /// A whole clause of the page.
  [[nodiscard]] bool stands(View sentence, bool in_full) const {
    bool const wide = std::any_of(sentence.begin(), sentence.end(), [](char32_t c) { return is_wide(c); });
    bool const is_scrap = sentence.size() < (wide ? kMinHan : kMinLatin);
    return any_block([&](Evidence const& e) {
      std::vector<Place> const places = e.page->find(sentence, e.place, kMostPlaces);
      return std::any_of(places.begin(), places.end(), [&](Place place) {
        place.end = behind_dots(e, place.end);
        return is_whole(e.page->normal(), place) && (asks_ || !is_question(e, place)) &&
               (!in_full || begins_sentence(e, place)) && (!is_scrap || is_sentence(e, place));
      });
    });
  }

  /// "...", which a sentence is compared without.
  static std::size_t behind_dots(Evidence const& e, std::size_t end) {
    std::string_view const text = e.page->text_of(e.page->block(e.block));
    std::size_t const begin = e.page->block(e.block).begin;
    for (;;) {
      bool found = false;
      for (std::string_view const mark : {"...", "…", "⋯"}) {
        if (!text.substr(end - begin).starts_with(mark)) continue;
        end += mark.size();
        found = true;
      }
      if (!found) return end;
    }
  }

  /// Whether it is a sentence of the page from end to end: a word or two cut out of one say nothing.
  static bool is_sentence(Evidence const& e, Place place) {
    std::string_view const around = e.page->text_of(sentences_around(e.page->normal(), place));
    return folded_sentence(around) == folded_sentence(e.page->text_of(place));
  }

  /// Whether nothing but the head of an item stands before it in its sentence.
  static bool begins_sentence(Evidence const& e, Place place) {
    Place const sentence = sentences_around(e.page->normal(), place);
    Text const before = folded_sentence(e.page->text_of({sentence.begin, place.begin}));
    return without_dash(View(before).substr(head_size(before))).empty();
  }

  /// "Is it X?" says nothing of X.
  static bool is_question(Evidence const& e, Place place) {
    std::string_view const after = e.page->text_of({place.end, e.page->block(e.block).end});
    std::size_t at = 0;
    while (at < after.size()) {
      char32_t const code = next_char(after, at);
      if (code == '?' || code == U'？') return true;
      if (is_terminator(code) || code == '.') return false;
    }
    return false;
  }

  [[nodiscard]] static Text text_of(Evidence const& e) { return folded_sentence(e.page->text_of(e.place)); }

  struct Item {
    Text whole, bare;  ///< as it stands; without what it carries in front, if it does
    bool used = false;

    /// Length of the form in which it stands at `at`; 0 when it does not, or was there before.
    [[nodiscard]] std::size_t size_at(View sentence, std::size_t at) const noexcept {
      for (Text const& form : {std::cref(whole), std::cref(bare)}) {
        bool const fits = !used && !form.empty() && sentence.substr(at).starts_with(form);
        if (fits && on_word_bounds(sentence, at, at + form.size())) return form.size();
      }
      return 0;
    }
  };

  /// Items of one list, whole, each once, in any order.
  [[nodiscard]] bool joins_items(View sentence) const {
    if (evidence_.size() < 2 || !one_section()) return false;
    std::vector<Item> items;
    for (Evidence const& e : evidence_) {
      if (!e.is_whole_block() || e.page->page().blocks[e.block].kind == kbrepo::BlockKind::fence) continue;
      Item item;
      item.whole = text_of(e);
      std::size_t const head = head_size(item.whole);
      if (head > 0 && head < item.whole.size()) item.bare = without_end_marks(View(item.whole).substr(head));
      items.push_back(std::move(item));
    }
    std::sort(items.begin(), items.end(), [](Item const& a, Item const& b) { return a.whole.size() > b.whole.size(); });
    std::size_t at = 0;
    std::size_t joined = 0;
    while (at < sentence.size()) {
      std::size_t size = 0;
      auto const item = std::find_if(items.begin(), items.end(), [&](Item const& one) {
        size = one.size_at(sentence, at);
        return size > 0;
      });
      if (item == items.end()) return false;
      item->used = true;
      at += size;
      ++joined;
      if (at == sentence.size()) break;
      while (skip_one(sentence, at, kJoiners)) continue;
    }
    return joined >= 2;
  }

  /// "key: value" read as "key is value".
  [[nodiscard]] static bool names_value(Evidence const& e, View sentence) {
    if (!e.is_whole_block()) return false;
    Text const block = text_of(e);
    auto const colon = block.find(U':');
    if (colon == Text::npos || colon < 2 || colon > kMaxKey || !sentence.starts_with(View(block).substr(0, colon)))
      return false;
    std::size_t at = colon;
    return skip_one(sentence, at, kCopulas) && sentence.substr(at) == without_end_marks(View(block).substr(colon));
  }

  /// An item behind its date or number, however they are joined.
  [[nodiscard]] static bool follows_head(Evidence const& e, View sentence) {
    if (!e.is_whole_block()) return false;
    Text const block = text_of(e);
    std::size_t const head = head_size(block);
    if (head == 0 || !sentence.starts_with(View(block).substr(0, head))) return false;
    return without_end_marks(sentence.substr(head)) == without_end_marks(View(block).substr(head)) ||
           without_dash(sentence.substr(head)) == without_dash(View(block).substr(head));
  }
  static View without_dash(View text) noexcept {
    while (!text.empty() && View(U" -\u2014,:").find(text.front()) != View::npos) text.remove_prefix(1);
    return text;
  }

  /// Cells of one row, each behind the heading of its column or the row's own name.
  [[nodiscard]] static bool reads_row(Evidence const& e, View sentence, bool in_full) {
    kbrepo::Page const& page = e.page->page();
    kbrepo::Block const& block = page.blocks[e.block];
    if (block.kind != kbrepo::BlockKind::table_row || block.context_begin == kbrepo::kNone) return false;
    std::string_view const text = page.text;
    std::vector<Text> const heads = cells_of(text.substr(block.context_begin, block.context_end - block.context_begin));
    std::vector<Text> const cells = cells_of(page.bytes(block));
    return reads_cells(sentence, heads, cells, in_full);
  }

  struct Reading {
    std::size_t at = 0;
    std::size_t next_bare = 0;          ///< the row read out cell by cell has come so far
    std::optional<std::size_t> headed;  ///< a heading that waits for its cell
    View glue;                          ///< what was passed last
    bool complete = false;              ///< at least one cell has its heading, or the row is read out
    bool named = false;                 ///< the row's first cell has come
  };

  static bool reads_cells(View sentence, std::vector<Text> const& heads, std::vector<Text> const& cells, bool in_full) {
    Reading r;
    while (r.at < sentence.size()) {
      skip_spaces(sentence, r.at);
      if (read_part(sentence, heads, cells, r)) {
        r.glue = {};
        continue;
      }
      std::size_t const begin = r.at;
      if (!skip_one(sentence, r.at, kRowGlue)) return false;
      View const glue = sentence.substr(begin, r.at - begin);
      if (r.glue != U"of") r.glue = glue.starts_with(U"of") ? glue.substr(0, 2) : glue;
    }
    return !r.headed && (r.complete || r.next_bare == cells.size()) && (r.named || !in_full);
  }

  static bool read_part(View sentence, std::vector<Text> const& heads, std::vector<Text> const& cells, Reading& r) {
    View const rest = sentence.substr(r.at);
    auto const fits = [&](Text const& part) {
      return !part.empty() && rest.starts_with(part) && on_word_bounds(sentence, r.at, r.at + part.size());
    };
    if (r.headed) {
      bool const apart =
          !r.glue.empty() && kApart.find(r.glue.front()) != View::npos;  // two cells, not one with its head
      if (*r.headed < cells.size() && !apart && fits(cells[*r.headed])) {
        r.named = r.named || *r.headed == 0;
        r.at += cells[*r.headed].size();
        r.headed.reset();
        r.complete = true;
        return true;
      }
      if (r.glue != U"of" || cells.empty() || !fits(cells[0])) return false;  // "the port of gateway is 8443"
      r.at += cells[0].size();
      r.named = true;
      return true;
    }
    std::optional<std::size_t> head;
    for (std::size_t i = 0; i < heads.size() && i < cells.size(); ++i) {
      if (fits(heads[i]) && (!head || heads[i].size() > heads[*head].size())) head = i;
    }
    bool const bare = r.next_bare < cells.size() && fits(cells[r.next_bare]);
    if (bare && (!head || cells[r.next_bare].size() >= heads[*head].size())) {
      r.named = true;  // the first comes first
      r.at += cells[r.next_bare++].size();
      return true;
    }
    if (!head || r.glue == U"of") return false;
    r.at += heads[*head].size();
    r.headed = head;
    return true;
  }

  // ---- the subject that a heading, title or lead line gives -------------------------------------------------------
  [[nodiscard]] bool one_section() const {
    return std::all_of(evidence_.begin(), evidence_.end(), [&](Evidence const& e) {
      return e.page == evidence_[0].page && section_of(e) == section_of(evidence_[0]);
    });
  }
  static std::uint32_t section_of(Evidence const& e) { return e.page->page().blocks[e.block].section; }

  [[nodiscard]] bool behind_subject(View sentence) const {
    std::vector<Text> const contexts = contexts_of(evidence_[0]);
    std::size_t begin = 0;
    skip_one(sentence, begin, kOpeners);
    std::size_t const last = std::min(sentence.size(), begin + kMaxSubject);
    for (std::size_t end = begin + 2; end < last; ++end) {
      View const subject = sentence.substr(begin, end - begin);
      if (subject.back() == ' ' || !on_word_bounds(sentence, begin, end)) continue;
      bool const known = std::any_of(contexts.begin(), contexts.end(),
                                     [&](Text const& context) { return is_subject_of(context, subject); });
      if (known && says_after(sentence, end)) return true;
    }
    return false;
  }

  [[nodiscard]] bool says_after(View sentence, std::size_t at) const {
    skip_spaces(sentence, at);
    if (says(sentence.substr(at), true)) return true;
    for (int glue = 0; glue < 2 && skip_one(sentence, at, kAfterSubject); ++glue) {
      if (says(sentence.substr(at), true)) return true;
    }
    return false;
  }

  /// Part of a heading that stands for the whole: what is left out neither turns the sense nor names another thing.
  static bool is_subject_of(View context, View subject) {
    auto const at = context.find(subject);
    bool const names =  // "2." names nothing
        std::any_of(subject.begin(), subject.end(),
                    [](char32_t c) { return is_wide(c) || (is_latin(c) && !is_digit(c)); });
    if (at == View::npos || !names || !on_word_bounds(context, at, at + subject.size())) return false;
    Text rest(context.substr(0, at));
    rest += ' ';
    rest += context.substr(at + subject.size());
    bool const several =
        std::any_of(std::begin(kSeveral), std::end(kSeveral), [&](View word) { return rest.find(word) != Text::npos; });
    return !several && !turns_sense(utf8(rest));
  }

  static std::vector<Text> contexts_of(Evidence const& e) {
    kbrepo::Page const& page = e.page->page();
    kbrepo::Block const& block = page.blocks[e.block];
    std::vector<Text> out{folded(page.title)};
    for (std::uint32_t s = block.section; s != 0; s = page.sections[s].parent)
      out.push_back(folded(page.sections[s].heading));
    if (block.kind != kbrepo::BlockKind::table_row && block.context_begin != kbrepo::kNone) {
      out.push_back(
          folded(std::string_view(page.text).substr(block.context_begin, block.context_end - block.context_begin)));
    }
    return out;
  }

  [[nodiscard]] std::string all_text() const {
    std::string out;
    for (Evidence const& e : evidence_) {
      kbrepo::Page const& page = e.page->page();
      kbrepo::Block const& block = page.blocks[e.block];
      out.append(e.page->text_of(e.place)) += ' ';
      if (block.context_begin != kbrepo::kNone)
        out +=
            normalise(std::string_view(page.text).substr(block.context_begin, block.context_end - block.context_begin))
                .text +
            ' ';
      out.append(page.title).append(" ").append(page.heading_path(block.section)) += ' ';
    }
    return out;
  }

  std::span<Evidence const> evidence_;
  bool asks_ = false;
};

}  // namespace

bool Evidence::is_whole_block() const {
  Place const block_place = page->block(block);
  std::string_view const text = page->normal().text;
  std::size_t begin = block_place.begin;
  while (begin < place.begin && text[begin] == ' ') ++begin;
  return begin >= place.begin && place.end >= block_place.end;
}

bool derives(std::string_view sentence, std::span<Evidence const> evidence) {
  if (evidence.empty()) return false;
  Derivation derivation(evidence);
  if (derivation.run(sentence)) return true;
  std::vector<std::string_view> const parts = sentences_of(sentence);
  return parts.size() > 1 &&
         std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return derivation.run(part); });
}

}  // namespace kb::answer
