/// One term's postings inside a record, block by block.
///
/// Fewer than kMinPacked postings: each a varint and at times a byte (put_posting). More: blocks of up to 128,
///   u8 width, u8 wide, steps, wide × {u8 at, varint rest}, codes, written
/// steps: of each posting the low `width` bits of its step from the passage before, minus 1; the few wider ones have
/// their rest apart. codes: 2 bits each into kCommonCounts, the last meaning that the counts are next in `written`.
/// Reading takes 8 bytes at a time: at least kReadAhead bytes must follow the last block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "kbrepo/index/coding.hpp"

namespace kb::kbrepo::index {

inline constexpr std::uint32_t kBlockPostings = 128;
inline constexpr std::uint32_t kMinPacked = 16;
inline constexpr std::size_t kReadAhead = 8;

/// A block that was read: all passages, and the counts of those that are asked for.
class PostingBlock {
 public:
  /// `passage`: the last one before the block, 0xFFFFFFFF when there is none.
  void read_packed(std::uint8_t const* at, std::uint32_t passage, std::uint32_t size) noexcept;
  void read_short(std::uint8_t const* at, std::uint32_t size) noexcept;

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t passage(std::uint32_t i) const noexcept { return passages_[i]; }
  [[nodiscard]] std::uint32_t last() const noexcept { return passages_[size_ - 1]; }
  /// The first posting from `i` on whose passage is not before `passage`; size() if there is none.
  [[nodiscard]] std::uint32_t seek(std::uint32_t i, std::uint32_t passage) const noexcept {
    while (i < size_ && passages_[i] < passage) ++i;
    return i;
  }
  [[nodiscard]] Counts counts(std::uint32_t i) const noexcept;
  /// The counts of all postings, in order.
  [[nodiscard]] Counts const* all_counts() noexcept;

 private:
  std::uint32_t size_ = 0;
  std::uint8_t const *codes_ = nullptr, *written_ = nullptr;  ///< codes_ nullptr: counts_ holds them
  std::array<std::uint32_t, kBlockPostings> passages_;
  std::array<Counts, kBlockPostings> counts_;
};

struct Posting {
  std::uint32_t step;  ///< from the passage before, at least 1
  Counts counts;
};
/// Appends up to kBlockPostings postings.
void put_packed(std::span<Posting const> postings, std::string& out);

}  // namespace kb::kbrepo::index
