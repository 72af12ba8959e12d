#include "answer/extractive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "answer/characters.hpp"
#include "answer/quotes.hpp"
#include "answer/secrets.hpp"
#include "kbrepo/index/terms.hpp"
#include "scope/words.hpp"

namespace kb::answer {
namespace {

using kbrepo::Block;
using kbrepo::BlockKind;
using kbrepo::Page;
using kbrepo::Passage;

// RETRIEVAL §5
constexpr float kHeadingWord = 0.8f;
constexpr float kNeighbourWord = 0.15f;
constexpr float kPassageScore = 1.4f;  // more than RETRIEVAL §5: the search knows the page, the sentence only its words
constexpr float kExpectedKind = 0.6f;  // where the kind is missing, the words alone are seldom the answer

constexpr std::size_t kFirstHits = 10;        // over which the search's certainty is judged
constexpr std::size_t kRivals = 5;            // pages behind the first one
constexpr float kNextExcerpt = 0.7f;          // a further excerpt needs this share of the best one's score …
constexpr float kNextCoverage = 0.4f;         // … and of its coverage
constexpr float kNextOwn = 0.3f;              // … and of the words it holds itself, headings aside
constexpr float kOtherOwner = 0.6f;           // of these, when personal and team material are both asked for
constexpr float kMemberShare = 0.6f;          // a further item of a list needs this share of the best one's words
constexpr std::size_t kUnitsShown = 5;        // that are looked for before neighbours come along
constexpr std::size_t kLongParagraph = 300;   // characters; of a longer one only the sentences around the best
constexpr std::size_t kClosestChars = 160;    // INTERFACES §3
constexpr std::size_t kCompanionChars = 500;  // a short excerpt takes its neighbours along up to this size

/// A block, or a sentence of a long one, as a candidate.
struct Unit {
  std::size_t page = 0;
  std::uint32_t block = 0;
  std::uint32_t begin = 0, end = 0;
  WordSet own = 0, head = 0, near = 0;
  float score = 0;
  float coverage = 0;  ///< own and heading words
  bool expected = false;
};

bool is_time(std::string_view text) {
  for (std::string_view const word :
       {"年", "月", "日", "点", "周", "星期", "昨", "今", "明", "上午", "下午", "UTC", "am", "pm", "day"}) {
    if (text.find(word) != text.npos && !numbers_of(text).empty()) return true;
  }
  std::size_t digits = 0;
  for (char const c : text) digits += is_digit(static_cast<unsigned char>(c)) ? 1u : 0u;
  return digits >= 3;  // 2026-03-12, 8/25, 14:30
}

bool names_somebody(std::string_view text, Names const& names) {
  std::string const folded = kbrepo::index::fold(text);
  if (std::any_of(names.people.begin(), names.people.end(),
                  [&](Names::Entry const& e) { return folded.find(e.name) != folded.npos; }))
    return true;
  bool capital_after_lower = false;  // a capitalised word inside a sentence
  for (std::size_t i = 2; i < text.size(); ++i) {
    capital_after_lower = capital_after_lower || (text[i] >= 'A' && text[i] <= 'Z' && text[i - 1] == ' ');
  }
  for (std::string_view const word :
       {"负责", "負責", "由", "@", "主持", "维护", "維護", "作者", "提出", "发明", "owner", "lead"}) {
    if (text.find(word) != text.npos) return true;
  }
  return capital_after_lower;
}

/// Whether `text` holds the kind of thing that is asked for; any text does when nothing particular is.
std::optional<bool> holds_expected(Expected expected, std::string_view text, Names const& names) {
  auto const any_of = [text](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [text](std::string_view w) { return text.find(w) != text.npos; });
  };
  switch (expected) {
    case Expected::time:
      return is_time(text);
    case Expected::quantity:
      return !numbers_of(text).empty();
    case Expected::person:
      return names_somebody(text, names);
    case Expected::reason:
      return any_of({"因为", "因為", "由于", "由於", "原因", "为了", "為了", "所以", "避免", "because", "since",
                     "so that", "due to", "reason"});
    case Expected::place:
      return any_of({"在", "位于", "位於", "地址", "地点", "地點", "于", "://", "/", " at ", " in ", "located"});
    default:
      return std::nullopt;
  }
}

/// Holds a beginning or an end of what holds_invite_code looks for, in one pass: nearly no text does.
bool may_speak_of_codes(std::string_view text) noexcept {
  auto const lower_at = [text](std::size_t i) { return static_cast<char>(text[i] | 0x20); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case 'v':
      case 'V':
        if (i >= 2 && lower_at(i - 1) == 'n' && lower_at(i - 2) == 'i') return true;  // invite, invitation
        break;
      case '-':
        if (i >= 4 && lower_at(i - 1) == 'd' && lower_at(i - 2) == 'n') return true;  // bind-
        break;
      case '\xE7':
        if (text.substr(i).starts_with("码") || text.substr(i).starts_with("碼")) return true;
        break;
      case '\xE9':
        if (text.substr(i).starts_with("邀")) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

class Drafter {
 public:
  Drafter(Question const& question, ContentWords const& words, Names const& names, std::span<Hit const> hits,
          kbrepo::Shelf const& shelf, std::span<PageRead const> pages, DraftLimits const& limits)
      : question_(question), words_(words), names_(names), hits_(hits), shelf_(shelf), pages_(pages), limits_(limits) {
    scope::Ownership const owner = scope::ownership_of(question.text);
    owned_ = owner.personal || owner.team;
    both_owners_ = owner.personal && owner.team;
  }

  Draft run() {
    Draft out;
    out.evidence.no_content_word = words_.empty();
    out.evidence.lacks_number = words_.lacks_number();
    out.evidence.unknown = words_.share(words_.unknown());
    out.evidence.words = std::log(1.0f + static_cast<float>(words_.size()));
    weigh_search(out.evidence);
    out.evidence.names_page = names_page();
    out.evidence.owned = owned_;
    out.evidence.english = question_.lang == Lang::en;
    out.evidence.crowd = is_crowd(shelf_);
    std::size_t taken = 0;
    for (Hit const& hit : hits_) {
      if (taken == kCompeting) break;
      if (auto const page = page_of(hit)) {
        take_passage(*page, hit, out.evidence);
        ++taken;
      }
    }
    std::stable_sort(units_.begin(), units_.end(), [](Unit const& a, Unit const& b) { return a.score > b.score; });
    weigh_units(out.evidence);
    choose(out);
    choose_closest(out);
    std::optional<std::size_t> const first = hits_.empty() ? std::nullopt : page_of(hits_[0]);
    out.evidence.lacks_number = out.evidence.lacks_number || lacks_version(out.excerpts);
    out.evidence.agrees = first && std::any_of(out.excerpts.begin(), out.excerpts.end(),
                                               [&](Excerpt const& e) { return e.page == *first; });
    return out;
  }

 private:
  [[nodiscard]] Page const& page(std::size_t i) const { return *pages_[i].page; }

  [[nodiscard]] std::optional<std::size_t> page_of(Hit const& hit) const {
    std::string_view const path = shelf_.books[hit.book]->pages(shelf_.grant)[hit.doc].path;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (pages_[i].book == hit.book && pages_[i].page->path == path && hit.passage < page(i).passages.size()) return i;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool names_page() const {
    if (!question_.people.empty() || !question_.projects.empty()) return true;
    return std::any_of(pages_.begin(), pages_.end(), [this](PageRead const& read) {
      std::string const title = kbrepo::index::fold(read.page->title);
      return count_chars(title) > 2 && has_word(question_.folded, title);
    });
  }

  /// Pages of two releases are alike but for their numbers: what is said of 5.3 must be quoted from pages that name it,
  /// the first of them above all.
  [[nodiscard]] bool lacks_version(std::span<Excerpt const> excerpts) const {
    WordSet const asked = words_.versions();
    if (asked == 0 || excerpts.empty()) return false;
    WordSet named = 0;
    for (Excerpt const& excerpt : excerpts) {
      Page const& p = page(excerpt.page);
      named |= words_.in(p.title + '\n' + p.path + '\n' + p.text) & asked;
      if (named == 0) return true;
    }
    return named != asked;
  }

  void weigh_search(Evidence& e) const {
    if (hits_.empty()) return;
    e.top_score = hits_[0].score;
    std::vector<Hit const*> pages;  // the best hit of each page
    std::size_t on_first = 0;
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      Hit const& hit = hits_[i];
      if (i < kFirstHits && is_same_page(hit, hits_[0])) ++on_first;
      bool const known = std::any_of(pages.begin(), pages.end(), [&](Hit const* h) { return is_same_page(*h, hit); });
      if (!known && pages.size() <= kRivals) pages.push_back(&hit);
    }
    e.concentration = static_cast<float>(on_first) / static_cast<float>(kFirstHits);
    float rest = 0;
    for (std::size_t i = 1; i < pages.size(); ++i) rest += pages[i]->score;
    rest /= static_cast<float>(kRivals);  // a shelf of few pages has few rivals
    e.over_rest = rest > 0 ? std::min(2.0f, e.top_score / rest - 1.0f) : 2.0f;
    e.margin = pages.size() < 2 || e.top_score <= 0 ? 1.0f : 1.0f - pages[1]->score / e.top_score;
  }

  static bool is_same_page(Hit const& a, Hit const& b) noexcept { return a.doc == b.doc && a.book == b.book; }

  void take_passage(std::size_t index, Hit const& hit, Evidence& e) {
    Page const& p = page(index);
    Passage const& passage = p.passages[hit.passage];
    WordSet const head = words_.in(p.title + "\n" + p.heading_path(passage.section) + "\n" + p.path);
    std::size_t const first = units_.size();
    for (std::uint32_t b = passage.first_block; b <= passage.last_block; ++b) take_block(index, b, passage, head);
    WordSet all = head;
    for (std::size_t i = first; i < units_.size(); ++i) {
      all |= units_[i].own | units_[i].head;
      if (i > first) units_[i].near |= units_[i - 1].own;
      if (i + 1 < units_.size()) units_[i].near |= units_[i + 1].own;
    }
    if (words_.share(all) > e.best_passage) {
      e.best_passage = words_.share(all);
      e.heaviest_missing = words_.heaviest_missing(all);
    }
    float const best = hits_[0].score > 0 ? hits_[0].score : 1.0f;
    for (std::size_t i = first; i < units_.size(); ++i) score(units_[i], hit.score / best);
    if (page_words_.size() < pages_.size()) page_words_.resize(pages_.size());
    page_words_[index] |= all;
  }

  void take_block(std::size_t index, std::uint32_t number, Passage const& passage, WordSet head) {
    Page const& p = page(index);
    Block const& block = p.blocks[number];
    std::uint32_t const begin = std::max(block.begin, passage.begin);  // a huge block is cut into passages
    std::uint32_t const end = std::min(block.end, passage.end);
    if (begin >= end) return;
    std::string_view const text = std::string_view(p.text).substr(begin, end - begin);
    if (holds_invite_code(text)) return;  // N-31
    if (block.context_begin != kbrepo::kNone) {
      std::string_view const context =
          std::string_view(p.text).substr(block.context_begin, block.context_end - block.context_begin);
      if (holds_invite_code(context)) return;
      head |= words_.in(context);
    }
    bool const prose =
        block.kind == BlockKind::paragraph || block.kind == BlockKind::list_item || block.kind == BlockKind::quote;
    if (prose && count_chars(text) > kLongParagraph) {
      for (std::string_view const sentence : sentences_of(text)) {
        auto const at = static_cast<std::uint32_t>(sentence.data() - p.text.data());
        add_unit(index, number, at, at + static_cast<std::uint32_t>(sentence.size()), head);
      }
      return;
    }
    add_unit(index, number, begin, end, head);
  }

  void add_unit(std::size_t index, std::uint32_t block, std::uint32_t begin, std::uint32_t end, WordSet head) {
    std::string_view const text = std::string_view(page(index).text).substr(begin, end - begin);
    units_.push_back({index, block, begin, end, words_.in(text), head, 0, 0, 0, false});
  }

  void score(Unit& unit, float passage_score) const {
    float const own = words_.share(unit.own);
    float const with_head = words_.share(unit.own | unit.head);
    float const with_near = words_.share(unit.own | unit.head | unit.near);
    std::string_view const text = text_of(unit);
    unit.expected = holds_expected(question_.expected, text, names_).value_or(false);
    unit.coverage = own + kHeadingWord * (with_head - own);
    unit.score = unit.coverage + kNeighbourWord * (with_near - with_head) + kPassageScore * passage_score +
                 (unit.expected ? kExpectedKind : 0.0f);
    if (own == 0) unit.score *= 0.5f;  // a heading alone does not make its text the answer
  }

  void weigh_units(Evidence& e) const {
    for (Unit const& unit : units_) {
      e.best_unit = std::max(e.best_unit, unit.coverage);
      e.best_window = std::max(e.best_window, words_.share(unit.own | unit.head | unit.near));
    }
    if (!units_.empty()) e.topic = words_.share(units_.front().head);
    for (WordSet const set : page_words_) e.page = std::max(e.page, words_.share(set));
  }

  /// The excerpt around a unit: its sentences' neighbours, its list, or the item alone.
  [[nodiscard]] Excerpt excerpt_of(Unit const& unit) const {
    Page const& p = page(unit.page);
    Block const& block = p.blocks[unit.block];
    Excerpt out{unit.page,           unit.begin,        unit.end,   unit.block, unit.block,
                block.context_begin, block.context_end, unit.score, {}};
    bool const part = unit.begin != block.begin || unit.end != block.end;
    if (part) {
      widen_sentence(out, block);
    } else {
      widen_blocks(out, unit, question_.expected == Expected::list ? limits_.max_quote_bytes / 3 : kCompanionChars);
    }
    out.shown = {{out.begin, out.end}};
    return out;
  }

  void widen_sentence(Excerpt& excerpt, Block const& block) const {
    std::string_view const text = page(excerpt.page).bytes(block);
    std::vector<std::string_view> const sentences = sentences_of(text);
    auto const begin_of = [&](std::string_view s) {
      return static_cast<std::uint32_t>(s.data() - page(excerpt.page).text.data());
    };
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      if (begin_of(sentences[i]) != excerpt.begin) continue;
      if (i + 1 < sentences.size())
        grow(excerpt, excerpt.begin, begin_of(sentences[i + 1]) + static_cast<std::uint32_t>(sentences[i + 1].size()),
             kLongParagraph);
      if (i > 0) grow(excerpt, begin_of(sentences[i - 1]), excerpt.end, kLongParagraph);
      return;
    }
  }

  bool grow(Excerpt& excerpt, std::uint32_t begin, std::uint32_t end, std::size_t max_chars) const {
    std::string_view const text = std::string_view(page(excerpt.page).text).substr(begin, end - begin);
    if (text.size() > limits_.max_quote_bytes || count_chars(text) > max_chars || holds_invite_code(text)) return false;
    excerpt.begin = begin;
    excerpt.end = end;
    return true;
  }

  /// Takes following, then preceding blocks of the same section along while the whole stays short. Of a list or table
  /// only what speaks of the question as much as `unit` does comes along; all of it when a list is what is asked for,
  /// or when not the item but its heading or lead line speaks of the question.
  void widen_blocks(Excerpt& excerpt, Unit const& unit, std::size_t max_chars) const {
    Page const& p = page(excerpt.page);
    std::uint32_t const section = p.blocks[excerpt.first_block].section;
    bool const whole = question_.expected == Expected::list || (unit.own & ~unit.head) == 0 || announces(text_of(unit));
    auto const comes_along = [&](std::uint32_t number) {
      Block const& block = p.blocks[number];
      if (block.section != section) return false;
      bool const member = block.kind == BlockKind::list_item || block.kind == BlockKind::table_row;
      return !member || whole || answers_like(unit, number);
    };
    while (excerpt.last_block + 1 < p.blocks.size() && comes_along(excerpt.last_block + 1) &&
           grow(excerpt, excerpt.begin, p.blocks[excerpt.last_block + 1].end, max_chars)) {
      ++excerpt.last_block;
    }
    while (excerpt.first_block > 0 && comes_along(excerpt.first_block - 1) &&
           grow(excerpt, p.blocks[excerpt.first_block - 1].begin, excerpt.end, max_chars)) {
      --excerpt.first_block;
    }
    Block const& first = p.blocks[excerpt.first_block];
    excerpt.context_begin = first.context_begin;
    excerpt.context_end = first.context_end;
  }

  [[nodiscard]] bool answers_like(Unit const& unit, std::uint32_t block) const {
    auto const other = std::find_if(units_.begin(), units_.end(),
                                    [&](Unit const& u) { return u.page == unit.page && u.block == block; });
    return other != units_.end() &&
           words_.share(other->own & ~unit.head) >= kMemberShare * words_.share(unit.own & ~unit.head);
  }

  static bool announces(std::string_view text) noexcept { return text.ends_with(':') || text.ends_with("："); }

  void choose(Draft& out) const {
    std::size_t taken = 0;
    for (Unit const& unit : units_) {
      if (out.excerpts.size() == limits_.max_excerpts || taken == kUnitsShown) break;
      if (unit.end - unit.begin > limits_.max_quote_bytes) continue;
      if (!out.excerpts.empty() && !is_worth_adding(unit, out.excerpts)) continue;
      bool const known = std::any_of(out.excerpts.begin(), out.excerpts.end(), [&](Excerpt const& e) {
        return e.page == unit.page && unit.begin < e.end && e.begin < unit.end && !lies_between(e, unit);
      });
      if (known) continue;
      Excerpt excerpt = excerpt_of(unit);
      if (merge(out.excerpts, std::move(excerpt))) ++taken;
    }
  }

  /// Whether a unit lies in the gap between two items that an excerpt shows.
  static bool lies_between(Excerpt const& e, Unit const& unit) noexcept {
    return std::none_of(e.shown.begin(), e.shown.end(),
                        [&](Span const& s) { return unit.begin < s.end && s.begin < unit.end; });
  }

  [[nodiscard]] bool is_worth_adding(Unit const& unit, std::vector<Excerpt> const& chosen) const {
    Unit const& best = units_.front();
    bool const other_owner = both_owners_ && std::none_of(chosen.begin(), chosen.end(), [&](Excerpt const& e) {
                               return pages_[e.page].book == pages_[unit.page].book;
                             });
    float const eased = other_owner ? kOtherOwner : 1.0f;
    return unit.score >= eased * kNextExcerpt * best.score && unit.coverage >= eased * kNextCoverage * best.coverage &&
           words_.share(unit.own) >= eased * kNextOwn * words_.share(best.own);
  }

  /// Puts an excerpt to those chosen. With those it touches, or whose list, table or paragraph it shares, it becomes
  /// one; false when that would be too long, or when it says what is shown already.
  bool merge(std::vector<Excerpt>& chosen, Excerpt excerpt) const {
    std::vector<Excerpt> kept;
    std::optional<std::size_t> place;
    for (Excerpt const& other : chosen) {
      if (!belongs_together(other, excerpt)) {
        kept.push_back(other);
        continue;
      }
      if (!place) place = kept.size();
      excerpt = joined(other, excerpt);
    }
    if (excerpt.end - excerpt.begin > limits_.max_quote_bytes) return false;
    kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(place.value_or(kept.size())), std::move(excerpt));
    chosen = std::move(kept);
    return true;
  }

  [[nodiscard]] bool belongs_together(Excerpt const& a, Excerpt const& b) const {
    if (a.page != b.page) return false;
    Page const& p = page(a.page);
    Excerpt const& first = a.begin <= b.begin ? a : b;
    Excerpt const& second = a.begin <= b.begin ? b : a;
    if (second.first_block <= first.last_block + 1) return true;
    Block const& left = p.blocks[first.last_block];
    Block const& right = p.blocks[second.first_block];
    return left.section == right.section && left.paragraph == right.paragraph;
  }

  [[nodiscard]] Excerpt joined(Excerpt const& a, Excerpt const& b) const {
    Excerpt const& first = a.begin <= b.begin ? a : b;
    Excerpt out = first;
    out.begin = std::min(a.begin, b.begin);
    out.end = std::max(a.end, b.end);
    out.last_block = std::max(a.last_block, b.last_block);
    out.score = std::max(a.score, b.score);
    out.shown.clear();
    std::vector<Span> spans = a.shown;
    spans.insert(spans.end(), b.shown.begin(), b.shown.end());
    std::sort(spans.begin(), spans.end(), [](Span const& x, Span const& y) { return x.begin < y.begin; });
    for (Span const& span : spans) {
      if (!out.shown.empty() && touches(a.page, out.shown.back(), span)) {
        out.shown.back().end = std::max(out.shown.back().end, span.end);
      } else {
        out.shown.push_back(span);
      }
    }
    return out;
  }

  [[nodiscard]] bool touches(std::size_t index, Span const& left, Span const& right) const {
    if (right.begin <= left.end) return true;
    return trim(std::string_view(page(index).text).substr(left.end, right.begin - left.end)).empty();
  }

  /// A page whose title alone is on topic is named too, without an excerpt.
  void choose_closest(Draft& out) const {
    for (bool const by_title : {false, true}) {
      for (Unit const& unit : units_) {
        if (out.closest.size() == limits_.max_excerpts || (by_title && !out.closest.empty())) return;
        bool const known =
            std::any_of(out.closest.begin(), out.closest.end(), [&](Excerpt const& e) { return e.page == unit.page; });
        if (known || (unit.own == 0) != by_title || unit.coverage <= 0) continue;
        Excerpt excerpt{unit.page,     unit.begin,    unit.end,   unit.block, unit.block,
                        kbrepo::kNone, kbrepo::kNone, unit.score, {}};
        bool const shown = !by_title && count_chars(text_of(unit)) <= kClosestChars;
        if (!shown) excerpt.end = excerpt.begin;
        out.closest.push_back(excerpt);
      }
    }
  }

  [[nodiscard]] std::string_view text_of(Unit const& unit) const {
    return std::string_view(page(unit.page).text).substr(unit.begin, unit.end - unit.begin);
  }

  Question const& question_;
  ContentWords const& words_;
  Names const& names_;
  std::span<Hit const> hits_;
  kbrepo::Shelf const& shelf_;
  std::span<PageRead const> pages_;
  DraftLimits const& limits_;
  std::vector<Unit> units_;
  std::vector<WordSet> page_words_;
  bool owned_ = false;
  bool both_owners_ = false;
};

}  // namespace

Draft draft_answer(Question const& question, ContentWords const& words, Names const& names, std::span<Hit const> hits,
                   kbrepo::Shelf const& shelf, std::span<PageRead const> pages, DraftLimits const& limits) {
  return Drafter(question, words, names, hits, shelf, pages, limits).run();
}

bool holds_invite_code(std::string_view text) {
  if (holds_secret(text)) return true;
  if (!may_speak_of_codes(text)) return false;
  std::string const lower = lower_ascii(text);
  for (std::string_view const word : {"邀请码", "邀請碼", "invite code", "invitation code", "invite_code",
                                      "invite-code", "invitecode", "加入码", "bind-", "绑定码"}) {
    if (lower.find(word) != lower.npos) return true;
  }
  bool const invites =
      lower.find("邀请") != lower.npos || lower.find("邀請") != lower.npos || lower.find("invite") != lower.npos;
  if (!invites) return false;
  for (auto at = text.find('-'); at != text.npos; at = text.find('-', at + 1)) {  // PREFIX-XXXX
    auto const code_char = [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(static_cast<unsigned char>(c)); };
    std::size_t after = at + 1;
    while (after < text.size() && code_char(text[after])) ++after;
    if (at > 0 && code_char(text[at - 1]) && after - at == 5) return true;
  }
  return false;
}

}  // namespace kb::answer
