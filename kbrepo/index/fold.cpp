#include "kbrepo/index/fold.hpp"

#include <algorithm>
#include <unicode/uchar.h>

namespace kb::kbrepo::index {
namespace {

#include "kbrepo/index/fold_table.inc"

constexpr std::uint32_t kBlock = 64;     // characters a block
constexpr char16_t kNothing = 1;         // folds to no character
constexpr char16_t kFirstLong = 0xE000;  // private use: an index into the long forms
constexpr std::size_t kPairEnd = std::size(kPairs) - 1;
constexpr std::size_t kLongEnd = std::size(kLong) - 1;
static_assert(kPairEnd % 2 == 0);

constexpr std::size_t count_long() { return static_cast<std::size_t>(std::count(kLong, kLong + kLongEnd, kNothing)); }

constexpr std::size_t count_blocks() {
  std::array<bool, 0x10000 / kBlock> used{};
  for (std::size_t i = 0; i < kPairEnd; i += 2) used[kPairs[i] / kBlock] = true;
  for (std::size_t i = 0; i < kLongEnd; ++i) {
    used[kLong[i] / kBlock] = true;
    while (kLong[i] != kNothing) ++i;
  }
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

/// Two stages: a character's block, and the block's 64 answers; 0 means "itself". Block 0 is all zero.
struct Table {
  std::array<std::uint16_t, 0x10000 / kBlock> block_of{};
  std::array<char16_t, (count_blocks() + 1) * kBlock> answer{};
  std::array<std::uint16_t, count_long()> long_at{};
};

constexpr Table make_table() {
  Table table;
  std::uint16_t blocks = 0;
  auto set = [&](char16_t from, char16_t to) {
    std::uint16_t& block = table.block_of[from / kBlock];
    if (block == 0) block = ++blocks;
    table.answer[block * kBlock + from % kBlock] = to;
  };
  for (std::size_t i = 0; i < kPairEnd; i += 2) set(kPairs[i], kPairs[i + 1]);
  std::uint16_t longs = 0;
  for (std::size_t i = 0; i < kLongEnd; ++i) {
    set(kLong[i], static_cast<char16_t>(kFirstLong + longs));
    table.long_at[longs++] = static_cast<std::uint16_t>(i + 1);
    while (kLong[i] != kNothing) ++i;
  }
  return table;
}

constexpr Table kTable = make_table();

constexpr bool between(char32_t c, char32_t first, char32_t last) { return c - first <= last - first; }

constexpr bool is_cjk(char32_t c) {
  return between(c, 0x4E00, 0x9FFF) || between(c, 0x3041, 0x3096) || between(c, 0x30A1, 0x30FA) ||
         between(c, 0x30FC, 0x30FF) || between(c, 0x3400, 0x4DBF) || between(c, 0xAC00, 0xD7A3) ||
         between(c, 0x3005, 0x3007) || between(c, 0x309D, 0x309F) || between(c, 0x31F0, 0x31FF) ||
         between(c, 0x1100, 0x11FF) || between(c, 0x3131, 0x318E) || between(c, 0xF900, 0xFAFF) ||
         between(c, 0x20000, 0x323AF);
}

}  // namespace

Decoded decode(std::string_view text, std::size_t at) noexcept {
  auto byte = [&](std::size_t i) -> char32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto tail = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  char32_t const lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  if (between(lead, 0xC2, 0xDF) && tail(at + 1)) return {(lead & 0x1Fu) << 6 | (byte(at + 1) & 0x3Fu), 2};
  if ((lead & 0xF0u) == 0xE0u && tail(at + 1) && tail(at + 2)) {
    char32_t const c = (lead & 0xFu) << 12 | (byte(at + 1) & 0x3Fu) << 6 | (byte(at + 2) & 0x3Fu);
    if (c >= 0x800 && !between(c, 0xD800, 0xDFFF)) return {c, 3};
  }
  if (between(lead, 0xF0, 0xF4) && tail(at + 1) && tail(at + 2) && tail(at + 3)) {
    char32_t const c =
        (lead & 7u) << 18 | (byte(at + 1) & 0x3Fu) << 12 | (byte(at + 2) & 0x3Fu) << 6 | (byte(at + 3) & 0x3Fu);
    if (between(c, 0x10000, 0x10FFFF)) return {c, 4};
  }
  return {};
}

std::uint32_t encode(char32_t point, char* out) noexcept {
  auto put = [&](std::size_t i, char32_t value) { out[i] = static_cast<char>(value); };
  if (point < 0x80) {
    put(0, point);
    return 1;
  }
  if (point < 0x800) {
    put(0, 0xC0u | point >> 6);
    put(1, 0x80u | (point & 0x3Fu));
    return 2;
  }
  if (point < 0x10000) {
    put(0, 0xE0u | point >> 12);
    put(1, 0x80u | (point >> 6 & 0x3Fu));
    put(2, 0x80u | (point & 0x3Fu));
    return 3;
  }
  put(0, 0xF0u | point >> 18);
  put(1, 0x80u | (point >> 12 & 0x3Fu));
  put(2, 0x80u | (point >> 6 & 0x3Fu));
  put(3, 0x80u | (point & 0x3Fu));
  return 4;
}

Folded fold_point(char32_t point) noexcept {
  Folded out;
  out.first = between(point, 'A', 'Z') ? point + 32 : point;
  if (point < 0x80 || point > 0xFFFF) return out;
  char16_t const answer = kTable.answer[kTable.block_of[point / kBlock] * kBlock + point % kBlock];
  if (answer == 0) return out;
  if (answer == kNothing) {
    out.size = 0;
    return out;
  }
  if (!between(answer, kFirstLong, kFirstLong + count_long() - 1)) {
    out.first = answer;
    return out;
  }
  std::size_t at = kTable.long_at[answer - kFirstLong];
  out.size = 0;
  for (; kLong[at] != kNothing; ++at) out.more[out.size++] = kLong[at];
  out.first = out.more[0];
  return out;
}

CharClass class_of(char32_t point) noexcept {
  if (point < 0x80) {
    if (between(point, 'a', 'z') || between(point, 'A', 'Z')) return CharClass::letter;
    return between(point, '0', '9') ? CharClass::digit : CharClass::other;
  }
  if (is_cjk(point)) return CharClass::cjk;
  auto const c = static_cast<UChar32>(point);
  // Vowel signs belong to their letters (Devanagari, Thai); emoji and symbols separate.
  constexpr std::uint32_t kWord = U_GC_L_MASK | U_GC_MN_MASK | U_GC_MC_MASK;
  std::uint32_t const mask = U_MASK(u_charType(c));
  if (mask & kWord) return CharClass::letter;
  return mask & U_GC_ND_MASK ? CharClass::digit : CharClass::other;
}

bool is_upper(char32_t point) noexcept {
  return point < 0x80 ? between(point, 'A', 'Z') : u_isUUppercase(static_cast<UChar32>(point)) != 0;
}

}  // namespace kb::kbrepo::index
