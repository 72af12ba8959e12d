/// What an Index is: segments, which of their documents are live and where, and the averages over these.
#pragma once

#include <span>
#include <vector>

#include "kbrepo/index/impact.hpp"
#include "kbrepo/index/segment.hpp"

namespace kb::kbrepo::index {

inline constexpr std::uint32_t kDead = 0xFFFFFFFFu;

/// A field's worth by length, from a table: lengths repeat, divisions cost.
class ScaleTable {
 public:
  ScaleTable() = default;
  explicit ScaleTable(FieldScale scale);
  [[nodiscard]] float operator()(std::uint16_t length) const noexcept {
    return length < table_.size() ? table_[length] : scale_(length);
  }

 private:
  FieldScale scale_;
  std::vector<float> table_;
};

struct LiveSet {
  struct Part {
    SegmentPtr segment;
    std::vector<std::uint32_t> position;  ///< of each document in the live list, or kDead
  };

  std::vector<SegmentPtr> segments;
  std::vector<Part> parts;  ///< one per segment
  std::size_t documents = 0;
  LengthSums passages;  ///< over live passages
  LengthSums pages;     ///< over live documents, each taken whole
  ScaleTable title, heading, body;
  FieldScales page;

  /// Which documents of each segment are live. invalid_input: a document that no segment holds, or one named twice.
  [[nodiscard]] static Result<std::vector<std::vector<std::uint32_t>>> place(std::span<SegmentPtr const> segments,
                                                                             std::span<DocKey const> live);
  /// `positions`: what place() said.
  [[nodiscard]] static LiveSet make(std::vector<SegmentPtr> segments,
                                    std::vector<std::vector<std::uint32_t>> positions);

  [[nodiscard]] std::uint32_t document_frequency(std::string_view term) const;
  [[nodiscard]] float idf(std::uint32_t document_frequency) const noexcept;
};

}  // namespace kb::kbrepo::index
