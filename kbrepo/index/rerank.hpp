/// The second look at the candidates: the page around each, and question terms that stand together.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "kbrepo/index/candidates.hpp"

namespace kb::kbrepo::index {

/// What the second look finds of a candidate.
struct Closer {
  float page = 0;           ///< BM25F of the whole document, summed in the order of the terms
  float title = 0;          ///< content of the terms in the document's title
  float support = 0;        ///< BM25F of the document's further candidates, each half of what the one before counts
  std::uint64_t terms = 0;  ///< which of the question's first 64 terms the passage holds
};
/// In the order of the candidates.
[[nodiscard]] std::vector<Closer> look_closer(LiveSet const& live, WeightedTerms const& question,
                                              std::span<Candidate const> candidates);

/// Neighbouring terms of the question found within the window of each other: for each such pair the smaller weight ÷
/// the distance, summed. CJK unigrams take no part, their bigrams do.
class Proximity {
 public:
  explicit Proximity(LiveSet const& live, std::span<WeightedTerm const> terms);
  [[nodiscard]] float score(Candidate const& candidate);
  [[nodiscard]] float ideal() const noexcept { return bound(~std::uint64_t{0}); }  ///< all pairs side by side
  /// At least the score of a passage that holds these terms (Closer::terms).
  [[nodiscard]] float bound(std::uint64_t terms) const noexcept;

 private:
  /// A term as a stream shows it: one code, or two in a row.
  struct Shape {
    std::uint32_t code = 0;
    std::uint32_t before = 0;  ///< a bigram's first character; 0: none
    std::uint32_t element = 0;
  };
  struct Element {
    std::string_view text;
    bool bigram = false;
    float weight = 0;
    std::uint64_t term = 0;  ///< its bit of Closer::terms; 0: it has none
    std::vector<std::uint32_t> places;
  };
  /// The shapes by the low bits of their codes: most codes of a stream end at an empty bucket.
  struct Shapes {
    static constexpr std::uint32_t kBuckets = 1024;
    std::vector<Shape> sorted;  ///< by bucket
    struct Bucket {
      std::uint16_t begin = 0, end = 0;  ///< in `sorted`
    };
    std::array<Bucket, kBuckets> buckets{};
    bool ready = false;
  };
  void find_shapes(SegmentImage const& image, Shapes& out) const;
  std::uint32_t walk(SegmentImage::Range range, Shapes const& shapes, std::uint32_t place);

  LiveSet const& live_;
  std::vector<Element> elements_;
  std::vector<Shapes> shapes_;  ///< per part, made when first needed
};

}  // namespace kb::kbrepo::index
