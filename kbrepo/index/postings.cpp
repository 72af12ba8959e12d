#include "kbrepo/index/postings.hpp"

#include <bit>
#include <cstring>

namespace kb::kbrepo::index {
namespace {

constexpr std::uint32_t kWritten = 3;      // the code of counts that stand by themselves
constexpr std::uint32_t kCodesAWord = 32;  // 2 bits each

std::uint64_t read_u64(std::uint8_t const* at) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// How many of 32 codes say "written".
std::uint32_t written_in(std::uint64_t codes) noexcept {
  // By hand: the machines this is built for need not have an instruction for it, and the library's call costs more.
  std::uint64_t sums = codes & codes >> 1 & 0x5555555555555555u;
  sums = (sums & 0x3333333333333333u) + (sums >> 2 & 0x3333333333333333u);
  sums = (sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<std::uint32_t>(sums * 0x0101010101010101u >> 56);
}

constexpr std::uint32_t bytes_for(std::uint32_t bits) noexcept { return (bits + 7) / 8; }

/// Bits appended low first.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}
  void put(std::uint32_t value, std::uint32_t bits) {
    open_ |= std::uint64_t{value} << used_;
    for (used_ += bits; used_ >= 8; used_ -= 8, open_ >>= 8) out_.push_back(static_cast<char>(open_));
  }
  void close() {
    if (used_ > 0) out_.push_back(static_cast<char>(open_));
  }

 private:
  std::string& out_;
  std::uint64_t open_ = 0;
  std::uint32_t used_ = 0;
};

std::uint32_t code_of(Counts counts) noexcept {
  std::uint32_t code = 0;
  while (code < kWritten && kCommonCounts[code] != counts.packed) ++code;
  return code;
}

/// The width that takes the fewest bits, the rests of wider steps counted.
std::uint32_t best_width(std::span<Posting const> postings) noexcept {
  std::array<std::uint32_t, 33> of_size{};
  for (Posting const& posting : postings) ++of_size[static_cast<std::size_t>(std::bit_width(posting.step - 1))];
  std::uint32_t best = 32;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t width = 0; width <= 32; ++width) {
    std::uint64_t bits = postings.size() * width;
    for (std::uint32_t size = width + 1; size <= 32; ++size) bits += of_size[size] * (8 + (size - width + 6) / 7 * 8);
    if (bits >= least) continue;
    least = bits;
    best = width;
  }
  return best;
}

}  // namespace

void put_packed(std::span<Posting const> postings, std::string& out) {
  auto const byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  std::uint32_t const width = best_width(postings);
  std::uint64_t const mask = (std::uint64_t{1} << width) - 1;
  std::size_t const head = out.size();
  byte(width);
  byte(0);
  BitWriter steps(out);
  for (Posting const& posting : postings) steps.put(static_cast<std::uint32_t>((posting.step - 1) & mask), width);
  steps.close();
  std::uint32_t wide = 0;
  for (std::uint32_t i = 0; i < postings.size(); ++i) {
    auto const rest = static_cast<std::uint32_t>(std::uint64_t{postings[i].step - 1} >> width);
    if (rest == 0) continue;
    ++wide;
    byte(i);
    put_varint(rest, byte);
  }
  out[head + 1] = static_cast<char>(wide);
  BitWriter codes(out);
  for (Posting const& posting : postings) codes.put(code_of(posting.counts), 2);
  codes.close();
  for (Posting const& posting : postings) {
    if (code_of(posting.counts) == kWritten) byte(posting.counts.packed);
  }
}

void PostingBlock::read_packed(std::uint8_t const* at, std::uint32_t passage, std::uint32_t size) noexcept {
  size_ = size;
  std::uint32_t const width = at[0];
  std::uint32_t const wide = at[1];
  at += 2;
  std::uint64_t const mask = (std::uint64_t{1} << width) - 1;
  for (std::uint32_t i = 0, bit = 0; i < size; ++i, bit += width) {
    passages_[i] = static_cast<std::uint32_t>(read_u64(at + bit / 8) >> (bit % 8) & mask);
  }
  at += bytes_for(size * width);
  for (std::uint32_t i = 0; i < wide; ++i) {
    std::uint32_t const which = *at++ % kBlockPostings;
    passages_[which] += get_varint(at) << width;
  }
  for (std::uint32_t i = 0; i < size; ++i) passages_[i] = passage += passages_[i] + 1;
  codes_ = at;
  written_ = at + bytes_for(size * 2);
}

void PostingBlock::read_short(std::uint8_t const* at, std::uint32_t size) noexcept {
  size_ = size;
  codes_ = nullptr;
  std::uint32_t passage = 0xFFFFFFFFu;
  for (std::uint32_t i = 0; i < size; ++i) passages_[i] = passage += get_posting(at, counts_[i]);
}

Counts PostingBlock::counts(std::uint32_t i) const noexcept {
  if (codes_ == nullptr) return counts_[i];
  std::uint64_t const word = read_u64(codes_ + i / kCodesAWord * 8);
  std::uint32_t const shift = i % kCodesAWord * 2;
  auto const code = static_cast<std::uint32_t>(word >> shift & 3);
  if (code != kWritten) return {kCommonCounts[code]};
  std::uint32_t before = written_in(word & ((std::uint64_t{1} << shift) - 1));
  for (std::uint32_t w = 0; w < i / kCodesAWord; ++w) before += written_in(read_u64(codes_ + w * 8));
  return {written_[before]};
}

Counts const* PostingBlock::all_counts() noexcept {
  if (codes_ == nullptr) return counts_.data();
  std::uint8_t const* next = written_;
  for (std::uint32_t i = 0; i < size_;) {
    std::uint64_t codes = read_u64(codes_ + i / 4);
    for (std::uint32_t const end = i + kCodesAWord < size_ ? i + kCodesAWord : size_; i < end; ++i, codes >>= 2) {
      // No branch: which counts come next cannot be guessed.
      auto const code = static_cast<std::uint32_t>(codes & 3);
      std::uint32_t const written = code == kWritten ? 1 : 0;
      counts_[i].packed = static_cast<std::uint8_t>(kCommonCounts[code] | (*next & (0u - written)));
      next += written;
    }
  }
  return counts_.data();
}

}  // namespace kb::kbrepo::index
