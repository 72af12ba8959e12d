/// Collects documents and writes them as one segment image.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/index/impact.hpp"
#include "kbrepo/index/scan.hpp"
#include "kbrepo/index/segment.hpp"

namespace kb::kbrepo::index {

enum class Field : std::uint8_t { title, heading, body };

/// Byte lists that grow side by side in one arena, as chains of slices of doubling size.
class ByteChains {
 public:
  struct Chain {
    std::uint32_t first = 0, write = 0, limit = 0;  ///< limit 0: nothing written yet
    std::uint32_t size = 0;                         ///< bytes written
  };
  void append(Chain& chain, std::uint8_t byte);
  /// The bytes of a chain, in order, appended to `out`.
  void copy(Chain const& chain, std::string& out) const;

 private:
  static constexpr std::uint32_t kPage = 1u << 16;
  [[nodiscard]] std::uint32_t slice(std::uint32_t size);
  [[nodiscard]] std::uint8_t& at(std::uint32_t place) { return (*pages_[place / kPage])[place % kPage]; }
  [[nodiscard]] std::uint8_t at(std::uint32_t place) const { return (*pages_[place / kPage])[place % kPage]; }

  std::vector<std::unique_ptr<std::array<std::uint8_t, kPage>>> pages_;
  std::uint32_t used_ = kPage;  ///< of the last page
};

/// Documents must come in ascending order of their keys. Feed order: document, its title's terms, then per passage the
/// heading's terms and the body's. Offsets are 32 bits: some 10 GB of text a segment.
class SegmentBuilder {
 public:
  void begin_document(DocKey const& key);
  void begin_passage(std::uint32_t line_begin, std::uint32_t line_end);
  void begin_field(Field field);
  /// A term where the text has it. Bigrams are counted only, all others also go to the stream.
  void add(std::string_view term, bool bigram);
  /// The CJK unigram that follows belongs to another run than the one before it.
  void break_run();
  void end_field(std::uint32_t positions);
  void end_passage();

  /// Scans a text as one field.
  void add_text(Field field, std::string_view text);

  [[nodiscard]] std::string finish();  ///< the image

 private:
  /// In one cache line: with hundreds of thousands of terms each touch is a miss.
  struct alignas(64) TermState {
    std::uint64_t head = 0;  ///< its first 8 bytes: most terms have no more
    std::uint32_t text_at = 0;
    std::uint32_t last_passage = 0xFFFFFFFFu;
    std::uint32_t passages = 0;    ///< that hold it
    std::uint32_t in_streams = 0;  ///< how often
    ByteChains::Chain postings;
    std::array<std::uint8_t, 3> counts{};  ///< in the open passage; body stops at 255
    std::uint8_t size = 0;
    bool touched = false;
  };
  struct Slot {
    std::uint32_t check = 0;  ///< low half of the hash
    std::uint32_t term = 0;   ///< id + 1; 0 free
  };
  struct TitleTerm {
    std::uint32_t id, count;
  };

  void add(std::string_view term, std::uint64_t hash, bool bigram);
  [[nodiscard]] std::uint32_t intern(std::string_view term, std::uint64_t hash);
  void grow();
  void count(std::uint32_t id, Field field, std::uint32_t times);
  void stream(std::uint32_t code);
  [[nodiscard]] std::string_view text(TermState const& term) const {
    return std::string_view(texts_).substr(term.text_at, term.size);
  }
  [[nodiscard]] std::vector<std::uint32_t> number_terms() const;
  void write_record(TermState const& term, std::string& scratch, std::string& out) const;
  [[nodiscard]] std::string recode_streams(std::vector<std::uint32_t> const& numbers, std::vector<std::uint32_t>& at);
  [[nodiscard]] std::uint8_t impact(std::uint32_t passage, Counts counts) const;

  std::vector<TermState> terms_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::string texts_;
  ByteChains chains_;
  std::string streams_;  ///< codes with ids in order of appearance
  std::vector<std::uint32_t> stream_at_;

  std::string keys_;
  std::vector<std::uint32_t> first_passage_, line_begin_, document_of_;
  std::vector<Lengths> lengths_;
  LengthSums sums_, page_sums_;
  FieldScales scales_;  ///< of sums_, once all documents are in

  std::vector<std::uint32_t> touched_;
  std::vector<TitleTerm> title_;
  std::uint16_t title_positions_ = 0;
  Field field_ = Field::title;
  std::uint32_t documents_ = 0;
  TermBuffer buffer_;
  std::vector<std::uint64_t> hashes_;  ///< of buffer_'s pieces
};

}  // namespace kb::kbrepo::index
