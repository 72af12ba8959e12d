/// Byte forms inside a segment: posting and stream codes, and the hash over stored files.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kb::kbrepo::index {

/// How often a term stands in the fields of one passage, in one byte; more than the limit counts as the limit, which
/// BM25's saturation hardly tells apart.
struct Counts {
  static constexpr std::uint32_t kMaxShort = 3, kMaxBody = 15;
  std::uint8_t packed = 0;

  [[nodiscard]] static Counts of(std::uint32_t title, std::uint32_t heading, std::uint32_t body) noexcept {
    auto cap = [](std::uint32_t value, std::uint32_t most) { return value < most ? value : most; };
    return {static_cast<std::uint8_t>(cap(title, kMaxShort) << 6 | cap(heading, kMaxShort) << 4 | cap(body, kMaxBody))};
  }
  [[nodiscard]] std::uint32_t title() const noexcept { return packed >> 6; }
  [[nodiscard]] std::uint32_t heading() const noexcept { return packed >> 4 & 3u; }
  [[nodiscard]] std::uint32_t body() const noexcept { return packed & 15u; }
};

/// Seven bits a byte, low first. At most 5 bytes.
template <class Put>
void put_varint(std::uint32_t value, Put&& put) {
  for (; value >= 0x80; value >>= 7) put(static_cast<std::uint8_t>(value | 0x80));
  put(static_cast<std::uint8_t>(value));
}

[[nodiscard]] inline std::uint32_t get_varint(std::uint8_t const*& at) noexcept {
  std::uint32_t value = *at++;
  if (value < 0x80) return value;
  value &= 0x7F;
  for (unsigned shift = 7; shift < 35; shift += 7) {
    std::uint32_t const byte = *at++;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/// A posting: the step from the passage before (at least 1) and the counts. The three commonest counts share the step's
/// bytes, others take one more.
inline constexpr std::uint8_t kCommonCounts[] = {0x01, 0x40, 0x02, 0};  // body once, title once, body twice; as written

template <class Put>
void put_posting(std::uint32_t step, Counts counts, Put&& put) {
  std::uint32_t code = 0;
  while (code < 3 && kCommonCounts[code] != counts.packed) ++code;
  put_varint((step - 1) << 2 | code, put);
  if (code == 3) put(counts.packed);
}

[[nodiscard]] inline std::uint32_t get_posting(std::uint8_t const*& at, Counts& counts) noexcept {
  std::uint32_t const value = get_varint(at);
  std::uint32_t const code = value & 3;
  // No branch: which counts come next cannot be guessed. What is read in vain is still inside the image.
  std::uint32_t const written = code == 3 ? 1 : 0;
  counts.packed = static_cast<std::uint8_t>(kCommonCounts[code] | (*at & (0u - written)));
  at += written;
  return (value >> 2) + 1;
}

/// Stream codes: 192 values in one byte, 16,128 more in two, 16 million in four.
inline constexpr std::uint32_t kOneByte = 0xC0, kTwoBytes = 0x3F00;

template <class Put>
void put_code(std::uint32_t code, Put&& put) {
  auto byte = [&](std::uint32_t value) { put(static_cast<std::uint8_t>(value)); };
  if (code < kOneByte) {
    byte(code);
  } else if (code - kOneByte < kTwoBytes) {
    byte(kOneByte + ((code - kOneByte) >> 8));
    byte(code - kOneByte);
  } else {
    byte(0xFF);
    byte(code >> 16);
    byte(code >> 8);
    byte(code);
  }
}

[[nodiscard]] inline std::uint32_t get_code(std::uint8_t const*& at) noexcept {
  std::uint32_t const lead = *at++;
  if (lead < 0xFF) {
    // No branch: how long the next code is cannot be guessed. What is read in vain is still inside the image.
    std::uint32_t const more = lead < kOneByte ? 0 : 1;
    std::uint32_t const mask = 0u - more;
    std::uint32_t const code = lead + (mask & (((lead - kOneByte) << 8) - (lead - kOneByte) + *at));
    at += more;
    return code;
  }
  std::uint32_t const code = static_cast<std::uint32_t>(at[0]) << 16 | static_cast<std::uint32_t>(at[1]) << 8 | at[2];
  at += 3;
  return code;
}

/// Where a hash begins to look in a table of `slots`, any number of them.
[[nodiscard]] inline std::size_t slot_of(std::uint64_t hash, std::uint64_t slots) noexcept {
  return static_cast<std::size_t>((hash >> 32) * slots >> 32);
}

/// Up to 8 bytes as a number, zeros behind. A copy of unknown length would cost a call.
[[nodiscard]] inline std::uint64_t first_bytes(std::string_view bytes) noexcept {
  char const* const data = bytes.data();
  std::size_t const size = bytes.size();
  if (size >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, 8);
    return word;
  }
  if (size >= 4) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + size - 4, 4);  // what both hold is the same in both
    return low | std::uint64_t{high} << (8 * (size - 4));
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) word |= std::uint64_t{static_cast<unsigned char>(data[i])} << (8 * i);
  return word;
}

/// Each bit of `word` in about half of the result's (the finalizer of SplitMix64, Steele, Lea and Flood 2014). Can be
/// undone.
[[nodiscard]] inline std::uint64_t scattered(std::uint64_t word) noexcept {
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
  word = (word ^ word >> 27) * 0x94D049BB133111EBu;
  return word ^ word >> 31;
}

/// 64 bits of any bytes. Every step can be undone for a given word, so two contents that differ in one word never share
/// a hash: a single damaged byte is always seen. No defence against intent.
[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) noexcept {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
  std::uint64_t h = seed ^ (bytes.size() * kOdd);
  // Scattered first: words of paths differ in a few digits, and such differences must not cancel each other.
  auto mix = [&](std::uint64_t word) { h = std::rotl((h ^ scattered(word)) * kOdd, 29); };
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    mix(word);
  }
  mix(first_bytes(bytes.substr(at)));
  return (h ^ h >> 32) * kOdd;
}

}  // namespace kb::kbrepo::index
