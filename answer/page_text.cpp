#include "answer/page_text.hpp"

#include <algorithm>

#include "answer/characters.hpp"
#include "kbrepo/index/fold.hpp"

namespace kb::answer {
namespace {

namespace index = kbrepo::index;

constexpr char32_t kDropped = 0;
constexpr char32_t kLongDash = 0x2014;

/// Marks that are written in several forms become one; quotation marks vanish.
char32_t fold_mark(char32_t code) noexcept {
  switch (code) {
    case U'，':
    case U'、':
    case U'﹐':
      return ',';
    case U'。':
    case U'｡':
      return '.';
    case U'；':
      return ';';
    case U'：':
    case U'﹕':
      return ':';
    case U'！':
      return '!';
    case U'？':
      return '?';
    case U'‘':
    case U'’':
      return '\'';
    case U'"':
    case U'“':
    case U'”':
    case U'「':
    case U'」':
    case U'『':
    case U'』':
      return kDropped;
    case U'‐':
    case U'‑':
    case U'‒':
    case U'–':
    case U'−':
      return '-';
    case U'―':
    case U'─':
      return kLongDash;
    case U'【':
      return '[';
    case U'】':
      return ']';
    case U'⋯':
      return U'…';
    default:
      return code;
  }
}

bool is_word(char32_t point) noexcept {
  index::CharClass const kind = index::class_of(point);
  return kind == index::CharClass::letter || kind == index::CharClass::digit;
}

/// "16 GB" is 16GB; everything else that a space keeps apart stays apart.
bool space_counts(char32_t left, char32_t right) noexcept {
  bool const unit = is_digit(left) && index::class_of(right) == index::CharClass::letter;
  return is_word(left) && is_word(right) && !unit;
}

constexpr std::size_t kBuckets = 4096;

std::size_t bucket_of(char32_t a, char32_t b, char32_t c) noexcept {
  return ((a * 0x9E3779B1u) ^ (b * 0x85EBCA77u) ^ (c * 0xC2B2AE3Du)) >> 20;
}

}  // namespace

FoldedText fold_normal(std::string_view normal) {
  FoldedText out;
  out.points.reserve(normal.size());
  out.at.reserve(normal.size());
  bool space = false;
  auto const put = [&](char32_t point, std::size_t from) {
    if (point == ' ') {
      space = true;
      return;
    }
    bool const repeated = !out.points.empty() && out.points.back() == point && (point == kLongDash || point == U'…');
    if (repeated) return;
    if (space && !out.points.empty() && space_counts(out.points.back(), point)) {
      out.points += U' ';
      out.at.push_back(static_cast<std::uint32_t>(from));
    }
    space = false;
    out.points += point;
    out.at.push_back(static_cast<std::uint32_t>(from));
  };
  for (std::size_t at = 0; at < normal.size();) {
    std::size_t const from = at;
    char32_t const code = next_char(normal, at);
    char32_t const mark = fold_mark(code);
    if (mark == kDropped) continue;
    if (mark != code) {
      put(mark, from);
      continue;
    }
    if (code < 0x80) {
      put(code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code, from);
      continue;
    }
    index::Folded const folded = index::fold_point(code);
    for (std::uint32_t i = 0; i < folded.size; ++i) put(folded[i], from);
  }
  return out;
}

std::u32string_view without_end_marks(std::u32string_view folded) noexcept {
  constexpr std::u32string_view kEnds = U".,;:! ";
  while (!folded.empty() && kEnds.find(folded.back()) != kEnds.npos) folded.remove_suffix(1);
  while (!folded.empty() && kEnds.find(folded.front()) != kEnds.npos) folded.remove_prefix(1);
  return folded;
}

std::u32string folded_sentence(std::string_view normal) {
  return std::u32string(without_end_marks(fold_normal(normal).points));
}

PageText::PageText(kbrepo::Page const& page) : page_(page) {
  std::vector<Place> parts;
  parts.reserve(page.blocks.size());
  for (kbrepo::Block const& block : page.blocks) parts.push_back({block.begin, block.end});
  normal_ = normalise(page.text, parts);
  folded_ = fold_normal(normal_.text);
  index_triples();
  blocks_.reserve(parts.size());
  std::size_t end = 0;
  for (Place const& part : parts) {
    std::size_t const begin = end;
    auto const next =
        std::lower_bound(normal_.origins.begin() + static_cast<std::ptrdiff_t>(begin), normal_.origins.end(), part.end);
    end = static_cast<std::size_t>(next - normal_.origins.begin());
    blocks_.push_back({begin, end});
  }
}

void PageText::index_triples() {
  std::u32string const& text = folded_.points;
  starts_.assign(kBuckets + 1, 0);
  if (text.size() < 3) return;
  auto const bucket = [&text](std::size_t i) { return bucket_of(text[i], text[i + 1], text[i + 2]); };
  for (std::size_t i = 0; i + 2 < text.size(); ++i) ++starts_[bucket(i) + 1];
  for (std::size_t b = 0; b < kBuckets; ++b) starts_[b + 1] += starts_[b];
  triples_.resize(text.size() - 2);
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i + 2 < text.size(); ++i) triples_[next[bucket(i)]++] = static_cast<std::uint32_t>(i);
}

std::vector<Place> PageText::find(std::u32string_view needle, Place within, std::size_t most) const {
  std::vector<Place> out;
  if (needle.empty()) return out;
  auto const index_of = [this](std::size_t byte) {
    return static_cast<std::size_t>(std::lower_bound(folded_.at.begin(), folded_.at.end(), byte) - folded_.at.begin());
  };
  std::size_t const first = index_of(within.begin);
  std::u32string_view const text = std::u32string_view(folded_.points).substr(0, index_of(within.end));
  auto const take = [&](std::size_t i) {
    std::size_t begin = folded_.at[i];
    std::size_t end = folded_.at[i + needle.size() - 1];
    while (begin < end && normal_.text[begin] == ' ') ++begin;
    static_cast<void>(next_char(normal_.text, end));
    if (begin < end && end <= blocks_[block_at(begin)].end) out.push_back({begin, end});
  };
  if (needle.size() < 3) {
    for (auto i = text.find(needle, first); i != text.npos && out.size() < most; i = text.find(needle, i + 1)) take(i);
    return out;
  }
  std::size_t const bucket = bucket_of(needle[0], needle[1], needle[2]);
  auto const end = triples_.begin() + starts_[bucket + 1];
  for (auto at = std::lower_bound(triples_.begin() + starts_[bucket], end, first); at != end && out.size() < most;
       ++at) {
    if (*at + needle.size() > text.size()) break;
    if (text.substr(*at, needle.size()) == needle) take(*at);
  }
  return out;
}

std::size_t PageText::longest_beginning(std::u32string_view text) const {
  if (text.size() < 3) return 0;
  std::u32string const& page = folded_.points;
  std::size_t longest = 0;
  std::size_t const bucket = bucket_of(text[0], text[1], text[2]);
  for (std::uint32_t i = starts_[bucket]; i < starts_[bucket + 1]; ++i) {
    std::size_t const from = triples_[i];
    std::size_t const most = std::min(text.size(), page.size() - from);
    if (most <= longest || page[from + longest] != text[longest]) continue;
    std::size_t same = 0;
    while (same < most && page[from + same] == text[same]) ++same;
    std::size_t const end = blocks_[block_at(folded_.at[from])].end;
    while (same > longest && folded_.at[from + same - 1] >= end) --same;
    longest = std::max(longest, same);
  }
  return longest < 3 ? 0 : longest;
}

std::size_t PageText::bytes() const noexcept {
  return sizeof(*this) + normal_.text.capacity() + folded_.points.capacity() * sizeof(char32_t) +
         blocks_.capacity() * sizeof(Place) +
         (normal_.breaks.capacity() + normal_.origins.capacity() + folded_.at.capacity() + starts_.capacity() +
          triples_.capacity()) *
             sizeof(std::uint32_t);
}

std::size_t PageText::block_at(std::size_t normal_byte) const noexcept {
  auto const after = std::upper_bound(blocks_.begin(), blocks_.end(), normal_byte,
                                      [](std::size_t byte, Place const& place) { return byte < place.begin; });
  std::size_t number = after == blocks_.begin() ? 0 : static_cast<std::size_t>(after - blocks_.begin()) - 1;
  while (number > 0 && blocks_[number].begin == blocks_[number].end) --number;
  return number;
}

Place PageText::bytes_of(Place normal) const {
  if (normal.begin >= normal.end) return {};
  std::size_t last = normal.end - 1;
  while (last > normal.begin && (static_cast<unsigned char>(normal_.text[last]) & 0xC0) == 0x80) --last;
  std::size_t end = normal_.origins[last];
  static_cast<void>(next_char(page_.text, end));
  return {normal_.origins[normal.begin], end};
}

}  // namespace kb::answer
