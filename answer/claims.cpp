#include "answer/claims.hpp"

#include <algorithm>
#include <utility>

#include "answer/characters.hpp"
#include "answer/derivation.hpp"
#include "answer/likeness.hpp"
#include "answer/quotes.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMostPlaces = 8;
constexpr std::size_t kMinHan = 4;     // characters of a quote with Han in it; a shorter one must be the only one
constexpr std::size_t kMinLatin = 10;  // … of one without
constexpr std::size_t kMinHalf = 5;    // a shorter half of a stitched quote occurs everywhere
constexpr double kNearEnough = 0.75;   // likeness of a quote to the sentence it was made from
constexpr double kNearestBy = 0.1;     // … and how far behind the next must be
constexpr double kSameMatter = 0.6;    // likeness of a claim to what its quotes say, for these to take its place
constexpr std::string_view kGaps[] = {"[...]", "[…]", "(...)", "（...）", "（…）", "……", "…", "..."};

bool is_shown(char32_t code) noexcept {
  bool const control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  bool const invisible = (code >= 0x2061 && code <= 0x2064) || (code >= 0xFE00 && code <= 0xFE0F) ||
                         (code >= 0xE0000 && code <= 0xE0FFF) || code == 0x2028 || code == 0x2029 || code == 0x180E;
  return !control && !invisible && fold_width(code) != 0;
}

std::vector<std::string_view> parts_around_gaps(std::string_view quote) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < quote.size();) {
    auto const gap = std::find_if(std::begin(kGaps), std::end(kGaps),
                                  [&](std::string_view mark) { return quote.substr(at).starts_with(mark); });
    if (gap == std::end(kGaps)) {
      ++at;
      continue;
    }
    if (std::string_view const part = trim(quote.substr(begin, at - begin)); !part.empty()) out.push_back(part);
    at += gap->size();
    begin = at;
  }
  if (std::string_view const part = trim(quote.substr(begin)); !part.empty()) out.push_back(part);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    auto const end = text.find('\n');
    std::string_view const line = trim(text.substr(0, end));
    if (!line.empty()) out.push_back(line);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

bool is_long_enough(std::u32string_view folded) noexcept {
  bool const han = std::any_of(folded.begin(), folded.end(), [](char32_t c) { return is_wide(c); });
  return folded.size() >= (han ? kMinHan : kMinLatin);
}

}  // namespace

class ClaimCheck::Impl {
 public:
  explicit Impl(std::span<kbrepo::Page const* const> pages)
      : pages_(pages.begin(), pages.end()), forms_(pages.size()) {}
  explicit Impl(std::vector<FormsPtr> forms) : forms_(std::move(forms)) {
    for (FormsPtr const& one : forms_) pages_.push_back(&one->page());
  }

  /// Where a quote was found.
  struct Found {
    Verdict verdict = Verdict::absent;
    Guard guard = Guard::none;
    std::size_t page = 0;
    std::vector<Evidence> evidence;
  };

  ClaimVerdict check(Claim const& claim) {
    std::string const sentence = normalise(claim.text).text;
    std::vector<Found> found;
    ClaimVerdict out;
    for (ClaimedQuote const& quote : claim.quotes) found.push_back(find(quote));
    std::vector<Evidence> all;
    Verdict worst = Verdict::verbatim;
    bool every = !found.empty();
    for (Found const& f : found) {
      worst = std::max(worst, f.verdict);
      every = every && f.verdict <= Verdict::repaired && f.guard == Guard::none;
      if (f.verdict > Verdict::repaired || f.guard != Guard::none) continue;
      add(all, f.evidence);
    }
    if (!all.empty() && links_stand(claim.text, all) && derived(sentence, all)) {
      bool const to_the_byte =
          std::any_of(all.begin(), all.end(), [&](Evidence const& e) { return stands_in_block(e, claim.text); });
      out.verdict = to_the_byte ? Verdict::verbatim : Verdict::normalised;
      out.carriers = carriers_of(carrying_);
      return out;
    }
    if (!every) {
      out.verdict = all.empty() ? worst : std::max(worst, Verdict::repaired);
      if (out.verdict == Verdict::repaired || found.empty()) out.verdict = Verdict::absent;
      out.guard = all.empty() ? first_guard(found) : departs(sentence, text_of(all));
      if (out.verdict == Verdict::absent) refine(sentence, out);
      return out;
    }
    return instead(claim, sentence, all);
  }

  Found find(ClaimedQuote const& quote) {
    Found out;
    if (quote.page && *quote.page < pages_.size()) out = find_in(*quote.page, quote.text);
    if (out.verdict < Verdict::misattributed) return out;
    for (std::size_t other = 0; other < pages_.size(); ++other) {
      if (other == quote.page) continue;
      Found elsewhere = exactly_in(other, quote.text);
      if (elsewhere.verdict > Verdict::normalised) continue;
      elsewhere.verdict = Verdict::misattributed;
      return elsewhere;
    }
    if (is_stitched(quote.text)) out.verdict = Verdict::stitched;
    return out;
  }

  std::vector<Carrier> carriers_of(std::vector<Evidence> evidence) const {
    std::sort(evidence.begin(), evidence.end(), [](Evidence const& a, Evidence const& b) {
      return a.page != b.page ? a.page < b.page : a.place.begin < b.place.begin;
    });
    std::vector<Carrier> out;
    for (Evidence const& e : evidence) {
      Place const bytes = shown_bytes(e);
      auto const block = static_cast<std::uint32_t>(e.block);
      Carrier next{index_of(e.page), static_cast<std::uint32_t>(bytes.begin), static_cast<std::uint32_t>(bytes.end),
                   block, block};
      bool const joins =
          !out.empty() && out.back().page == next.page && next.first_block <= out.back().last_block + 1 &&
          e.page->page().blocks[out.back().last_block].section == e.page->page().blocks[e.block].section &&
          adjoins(e.page->page(), out.back(), next);
      if (joins) {
        out.back().end = std::max(out.back().end, next.end);
        out.back().last_block = std::max(out.back().last_block, next.last_block);
      } else {
        out.push_back(next);
      }
    }
    return out;
  }

 private:
  /// A block as it is, or its sentences with the marks that belong to their first and last words.
  static Place shown_bytes(Evidence const& e) {
    kbrepo::Block const& block = e.page->page().blocks[e.block];
    if (e.is_whole_block()) return {block.begin, block.end};
    std::string_view const text = e.page->page().text;
    constexpr std::string_view kMarks = "`*_~";
    Place out = e.page->bytes_of(e.place);
    while (out.begin > block.begin && (kMarks.find(text[out.begin - 1]) != kMarks.npos || text[out.begin - 1] == '['))
      --out.begin;
    while (out.end < block.end && kMarks.find(text[out.end]) != kMarks.npos) ++out.end;
    if (text.substr(out.end, block.end - out.end).starts_with("](")) {
      auto const close = text.find(')', out.end);
      if (close < block.end) out.end = close + 1;
    }
    return out;
  }

  /// Nothing but white space and marks of items between them.
  static bool adjoins(kbrepo::Page const& page, Carrier const& left, Carrier const& right) {
    if (right.begin <= left.end) return true;
    return normalise(std::string_view(page.text).substr(left.end, right.begin - left.end)).text.empty();
  }

  PageForms const& forms(std::size_t page) {
    if (!forms_[page]) {
      // The caller keeps the page.
      forms_[page] =
          std::make_shared<PageForms const>(std::shared_ptr<kbrepo::Page const>(std::shared_ptr<void>(), pages_[page]));
    }
    return *forms_[page];
  }
  PageText const& text(std::size_t page) { return forms(page).text(); }
  [[nodiscard]] std::size_t index_of(PageText const* text) const {
    auto const at =
        std::find_if(forms_.begin(), forms_.end(), [&](FormsPtr const& f) { return f && &f->text() == text; });
    return static_cast<std::size_t>(at - forms_.begin());
  }

  static bool stands_in_block(Evidence const& e, std::string_view words) {
    kbrepo::Page const& page = e.page->page();
    return page.bytes(page.blocks[e.block]).find(trim(words)) != std::string_view::npos;
  }

  static void add(std::vector<Evidence>& all, std::vector<Evidence> const& more) {
    for (Evidence const& e : more) {
      auto const same = [&](Evidence const& o) { return o.page == e.page && o.place == e.place; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(e);
    }
  }

  static std::uint32_t section_of(Evidence const& e) { return e.page->page().blocks[e.block].section; }

  static std::string text_of(std::vector<Evidence> const& evidence) {
    std::string out;
    for (Evidence const& e : evidence) out.append(out.empty() ? "" : " ").append(e.page->text_of(e.place));
    return out;
  }

  static Guard first_guard(std::vector<Found> const& found) {
    auto const at = std::find_if(found.begin(), found.end(), [](Found const& f) { return f.guard != Guard::none; });
    return at == found.end() ? Guard::none : at->guard;
  }

  static bool links_stand(std::string_view sentence, std::vector<Evidence> const& evidence) {
    std::vector<std::string_view> const targets = link_targets(sentence);
    return std::all_of(targets.begin(), targets.end(), [&](std::string_view target) {
      while (!target.empty() && std::string_view(".,;:!?").find(target.back()) != std::string_view::npos) {
        target.remove_suffix(1);  // of the sentence
      }
      return std::any_of(evidence.begin(), evidence.end(), [&](Evidence const& e) {
        return e.page->page().bytes(e.page->page().blocks[e.block]).find(target) != std::string_view::npos;
      });
    });
  }

  /// One place carries the sentence, or several of one page do. Leaves in `carrying_` those that do.
  bool derived(std::string_view sentence, std::vector<Evidence> const& all) {
    for (Evidence const& e : all) {
      carrying_.assign(1, e);
      if (derives(sentence, carrying_)) return true;
    }
    if (all.size() == 1) return false;
    for (Evidence const& first : all) {
      carrying_.clear();
      std::copy_if(all.begin(), all.end(), std::back_inserter(carrying_),
                   [&](Evidence const& e) { return e.page == first.page && section_of(e) == section_of(first); });
      if (carrying_.size() > 1 && derives(sentence, carrying_)) return true;
    }
    carrying_ = all;
    return derives(sentence, carrying_);
  }

  /// What the quotes say, if that is what the claim speaks of and it does not contradict it.
  ClaimVerdict instead(Claim const& claim, std::string const& sentence, std::vector<Evidence> const& all) {
    ClaimVerdict out;
    std::string const said = text_of(all);
    out.guard = departs(sentence, said);
    if (!links_stand(claim.text, all)) out.guard = Guard::link;
    double const like = likeness(grams_of(sentence), grams_of(said));
    if (like >= kSameMatter || out.guard != Guard::none) {
      out.verdict = Verdict::repaired;
      out.carriers = carriers_of(all);
      return out;
    }
    refine(sentence, out);
    return out;
  }

  /// Tells a claim that no quote carries: it may stand elsewhere, or be made of halves.
  void refine(std::string const& sentence, ClaimVerdict& out) {
    std::u32string const needle = folded_sentence(sentence);
    out.verdict = Verdict::absent;
    for (std::size_t page = 0; page < pages_.size(); ++page) {
      if (text(page).find(needle, text(page).whole(), 1).empty()) continue;
      out.verdict = Verdict::misattributed;
      return;
    }
    if (is_stitched(sentence)) out.verdict = Verdict::stitched;
  }

  Evidence evidence_at(std::size_t page, Place place) {
    PageText const& t = text(page);
    return {&t, t.block_at(place.begin), sentences_around(t.normal(), place)};
  }

  Found exactly_in(std::size_t page, std::string_view quote) {
    Found out;
    out.page = page;
    PageText const& t = text(page);
    std::string const normal = normalise(quote).text;
    std::u32string const needle = folded_sentence(normal);
    std::vector<Place> const places = t.find(needle, t.whole(), kMostPlaces);
    if (places.empty()) return out;
    if (places.size() > 1 && !is_long_enough(needle)) out.guard = Guard::too_short;
    for (Place const& place : places) add(out.evidence, {evidence_at(page, place)});
    bool const to_the_byte = std::any_of(out.evidence.begin(), out.evidence.end(),
                                         [&](Evidence const& e) { return stands_in_block(e, quote); });
    out.verdict = to_the_byte ? Verdict::verbatim : Verdict::normalised;
    bool const same_signs = std::any_of(places.begin(), places.end(),
                                        [&](Place const& place) { return keeps_signs(normal, t.text_of(place)); });
    if (!same_signs) out.guard = Guard::identifier;
    return out;
  }

  Found find_in(std::size_t page, std::string_view quote) {
    Found out = exactly_in(page, quote);
    if (out.verdict == Verdict::absent) out = with_gaps(page, quote);
    if (out.verdict == Verdict::absent) out = line_by_line(page, quote);
    if (out.verdict == Verdict::absent) out = nearly_in(page, quote);
    return out;
  }

  /// "A … C" where the page says "A B C" in one block, and B turns nothing.
  Found with_gaps(std::size_t page, std::string_view quote) {
    Found out;
    std::vector<std::string_view> const parts = parts_around_gaps(quote);
    if (parts.empty() || parts.front() == trim(quote)) return out;
    PageText const& t = text(page);
    for (Place const& first : t.find(folded_sentence(normalise(parts[0]).text), t.whole(), kMostPlaces)) {
      Place all = first;
      bool fits = true;
      for (std::size_t i = 1; i < parts.size() && fits; ++i) {
        Place const rest{all.end, t.block(t.block_at(first.begin)).end};
        std::vector<Place> const next = t.find(folded_sentence(normalise(parts[i]).text), rest, 1);
        fits = !next.empty() && !turns_sense(t.text_of({all.end, next[0].begin}));
        if (fits) all.end = next[0].end;
      }
      if (!fits) continue;
      out = {Verdict::ellipsis, Guard::none, page, {evidence_at(page, all)}};
      return out;
    }
    return out;
  }

  /// Lines of a quote that stand in neighbouring blocks; headings and the rules of tables between them say nothing.
  Found line_by_line(std::size_t page, std::string_view quote) {
    Found out;
    std::vector<std::string_view> const lines = lines_of(quote);
    if (lines.size() < 2) return out;
    PageText const& t = text(page);
    std::size_t last = 0;
    for (std::string_view const line : lines) {
      Found const one = exactly_in(page, line);
      if (one.evidence.empty()) {
        bool const frame =
            line.starts_with('#') || line.find_first_not_of("|-: ") == line.npos || is_context(t.page(), line);
        if (!frame) return {};
        continue;
      }
      auto const next = std::find_if(one.evidence.begin(), one.evidence.end(), [&](Evidence const& e) {
        return out.evidence.empty() || e.block == last || e.block == last + 1;
      });
      if (next == one.evidence.end()) return {};
      last = next->block;
      add(out.evidence, {*next});
      out.verdict = Verdict::normalised;
    }
    out.page = page;
    return out;
  }

  static bool is_context(kbrepo::Page const& page, std::string_view line) {
    return std::any_of(page.blocks.begin(), page.blocks.end(), [&](kbrepo::Block const& b) {
      return b.context_begin != kbrepo::kNone &&
             std::string_view(page.text).substr(b.context_begin, b.context_end - b.context_begin).find(line) !=
                 line.npos;
    });
  }

  Found nearly_in(std::size_t page, std::string_view quote) {
    Found out;
    std::string const normal = normalise(quote).text;
    PageForms::Nearest const nearest = forms(page).nearest(normal, kNearEnough);
    if (nearest.like < kNearEnough || nearest.like - nearest.next < kNearestBy) return out;
    Guard const guard = departs(normal, text(page).text_of(nearest.place));
    out = {Verdict::repaired, guard, page, {evidence_at(page, nearest.place)}};
    return out;
  }

  bool stands_somewhere(std::u32string_view folded) {
    for (std::size_t page = 0; page < pages_.size(); ++page) {
      if (!text(page).find(folded, text(page).whole(), 1).empty()) return true;
    }
    return false;
  }

  /// The longest beginning that stands somewhere; what follows it must stand somewhere too.
  bool is_stitched(std::string_view quote) {
    std::u32string const folded = folded_sentence(normalise(quote).text);
    if (folded.size() < 2 * kMinHalf) return false;
    std::u32string_view const view = folded;
    std::size_t good = 0;
    for (std::size_t page = 0; page < pages_.size(); ++page) good = std::max(good, text(page).longest_beginning(view));
    std::u32string_view const rest = without_end_marks(view.substr(good));
    return good >= kMinHalf && rest.size() >= kMinHalf && stands_somewhere(rest);
  }

  std::vector<kbrepo::Page const*> pages_;
  std::vector<FormsPtr> forms_;  ///< of each page; null until needed
  std::vector<Evidence> carrying_;
};

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::verbatim:
      return "verbatim";
    case Verdict::normalised:
      return "normalised";
    case Verdict::ellipsis:
      return "ellipsis";
    case Verdict::repaired:
      return "repaired";
    case Verdict::misattributed:
      return "misattributed";
    case Verdict::stitched:
      return "stitched";
    case Verdict::absent:
      return "absent";
  }
  return "absent";
}

ClaimCheck::ClaimCheck(std::span<kbrepo::Page const* const> pages) : impl_(std::make_unique<Impl>(pages)) {}
ClaimCheck::ClaimCheck(std::vector<FormsPtr> pages) : impl_(std::make_unique<Impl>(std::move(pages))) {}
ClaimCheck::~ClaimCheck() = default;

ClaimVerdict ClaimCheck::check(Claim const& claim) { return impl_->check(claim); }

ClaimVerdict ClaimCheck::find(ClaimedQuote const& quote) {
  Impl::Found found = impl_->find(quote);
  return {found.verdict, found.guard, impl_->carriers_of(std::move(found.evidence))};
}

std::string plain_line(std::string_view text) {
  std::string out;
  bool space = false;
  for (std::size_t at = 0; at < text.size();) {
    char32_t const code = next_char(text, at);
    if (code == '\n' || code == '\r' || code == '\t' || code == ' ' || code == 0x2028 || code == 0x2029) {
      space = !out.empty();
      continue;
    }
    if (!is_shown(code)) continue;
    if (space) out += ' ';
    space = false;
    append_char(out, code);
  }
  return std::string(trim(out));
}

}  // namespace kb::answer
