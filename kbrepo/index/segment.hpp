/// A segment's form: one immutable block of bytes, the same in memory and in the file, and the readers over it.
///
///   Header
///   keys          28 bytes a document, ascending: blob, path hash
///   first_passage u32 × (documents + 1)
///   lengths       4 × u16 a passage: positions of title, heading, body; lines
///   line_begin    u32 a passage
///   document_of   u32 a passage
///   stream_at     u32 × (documents + passages + 1): document d's title stream at [first_passage[d] + d], its passages'
///                 after it
///   record_at     u32 × numbered: where each numbered term's record begins, ascending
///   slots         u32 × slots: where a term's record begins + 1, by hash; 0 free; open addressing
///   records       per term: u8 size, text, varint passages that hold it, then postings
///   streams       codes of the terms in their order (coding.hpp), and kReadAhead zeros
///
/// Postings (postings.hpp): up to 128 are one block. More: per block {u32 last passage, u32 end, u8 impact}, then the
/// blocks. A single packed block begins with its u8 impact. Impact: the most that the field-weighted count of §7
/// reaches in the block under the segment's own average lengths, in sixteenths, rounded up; 255 is "no bound".
///
/// Streams: code 0 ends a run of CJK characters that another run follows, 1 stands between heading and body, else term
/// number + 2. Bigrams are not in it: they are the neighbouring unigrams of a run. Numbers go by frequency, so that the
/// codes are short. Terms that never stand in a stream, nearly all bigrams, have no number and stand last.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/index/coding.hpp"
#include "kbrepo/index/index.hpp"
#include "kbrepo/index/postings.hpp"

namespace kb::kbrepo::index {

inline constexpr std::uint32_t kBreak = 0, kFieldBreak = 1, kFirstTerm = 2;
inline constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;

/// Positions of a passage's fields (capped at 65,535), and its lines.
struct Lengths {
  std::uint16_t title = 0, heading = 0, body = 0, lines = 0;
};

/// Sums from which average lengths come.
struct LengthSums {
  std::uint64_t passages = 0, title = 0, heading = 0, body = 0;
  friend bool operator==(LengthSums const&, LengthSums const&) = default;
};

/// The image and how to read it. All numbers little-endian as on the machine: the file is a cache of this machine.
class SegmentImage {
 public:
  /// Takes bytes a builder or a file gave. nullptr when the sizes in the header do not add up.
  [[nodiscard]] static std::shared_ptr<SegmentImage const> wrap(std::string bytes);

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint32_t documents() const noexcept { return header_.documents; }
  [[nodiscard]] std::uint32_t passages() const noexcept { return header_.passages; }
  [[nodiscard]] std::uint32_t terms() const noexcept { return header_.terms; }
  /// Average lengths the impacts were computed with.
  [[nodiscard]] LengthSums const& reference() const noexcept { return header_.sums; }
  /// Over all documents, each taken whole.
  [[nodiscard]] LengthSums const& page_sums() const noexcept { return header_.page_sums; }

  [[nodiscard]] DocKey key(std::uint32_t document) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> find(DocKey const& key) const noexcept;
  [[nodiscard]] std::uint32_t first_passage(std::uint32_t document) const noexcept { return first_passage_[document]; }
  [[nodiscard]] Lengths const& lengths(std::uint32_t passage) const noexcept { return lengths_[passage]; }
  [[nodiscard]] std::uint32_t line_begin(std::uint32_t passage) const noexcept { return line_begin_[passage]; }
  [[nodiscard]] std::uint32_t document_of(std::uint32_t passage) const noexcept { return document_of_[passage]; }

  struct Range {
    std::uint8_t const *begin, *end;
  };
  [[nodiscard]] Range title_stream(std::uint32_t document) const noexcept;
  [[nodiscard]] Range passage_stream(std::uint32_t passage) const noexcept;

  /// The term's record or kNoTerm.
  [[nodiscard]] std::uint32_t find_term(std::string_view text) const noexcept;
  /// How streams write the term; kNoTerm when they do not.
  [[nodiscard]] std::uint32_t code_of(std::string_view text) const noexcept;
  [[nodiscard]] std::uint32_t record(std::uint32_t number) const noexcept { return record_at_[number]; }
  [[nodiscard]] std::string_view term(std::uint32_t number) const noexcept { return text(record(number)); }
  [[nodiscard]] std::string_view text(std::uint32_t record) const noexcept;
  /// The record after its text.
  [[nodiscard]] std::uint8_t const* postings(std::uint32_t record) const noexcept;

  struct Header {
    std::uint32_t documents = 0, passages = 0, terms = 0, numbered = 0, slots = 0, unused = 0;
    std::uint64_t record_bytes = 0, stream_bytes = 0;
    LengthSums sums, page_sums;
  };

 private:
  explicit SegmentImage(std::string bytes) : bytes_(std::move(bytes)) {}

  std::string bytes_;
  Header header_;
  char const* keys_ = nullptr;
  std::uint32_t const* first_passage_ = nullptr;
  Lengths const* lengths_ = nullptr;
  std::uint32_t const *line_begin_ = nullptr, *document_of_ = nullptr, *stream_at_ = nullptr;
  std::uint32_t const *record_at_ = nullptr, *slots_ = nullptr;
  std::uint8_t const *records_ = nullptr, *streams_ = nullptr;
};

/// Lengths of a whole document: its title once, its passages' headings and bodies; all 0 when it has none.
[[nodiscard]] LengthSums page_lengths(SegmentImage const& image, std::uint32_t document) noexcept;

inline constexpr std::size_t kKeyBytes = 28;
inline constexpr std::size_t kTableEntry = 9;  ///< of one posting block

[[nodiscard]] inline std::uint64_t term_hash(std::string_view text) noexcept { return hash_bytes(text); }

/// Walks one term's postings block by block.
class PostingReader {
 public:
  PostingReader() = default;
  PostingReader(SegmentImage const& image, std::uint32_t record);

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint32_t last_passage(std::uint32_t block) const noexcept;
  [[nodiscard]] std::uint8_t impact(std::uint32_t block) const noexcept;
  void read(std::uint32_t block, PostingBlock& out) const noexcept;

 private:
  std::uint32_t size_ = 0, blocks_ = 0;
  std::uint8_t const* table_ = nullptr;  ///< of blocks; nullptr for a single one
  std::uint8_t const* data_ = nullptr;
  std::uint8_t impact_ = 255;
};

/// An image seen through a live set: which of its documents are dead, and how many dead passages hold each term.
class Segment {
 public:
  using DeadTerms = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< record, passages; ascending

  explicit Segment(std::shared_ptr<SegmentImage const> image) : image_(std::move(image)) {}
  /// `dead`: ascending document numbers. Counts anew only what differs from `before`.
  Segment(Segment const& before, std::vector<std::uint32_t> dead);

  [[nodiscard]] SegmentImage const& image() const noexcept { return *image_; }
  [[nodiscard]] std::vector<std::uint32_t> const& dead() const noexcept { return dead_; }
  [[nodiscard]] std::uint32_t live_passages(std::uint32_t record) const;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  std::shared_ptr<SegmentImage const> image_;
  std::vector<std::uint32_t> dead_;
  DeadTerms dead_terms_;
};

}  // namespace kb::kbrepo::index
