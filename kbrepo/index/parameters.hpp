/// Every number the ranking turns on, in one place. Measured in RETRIEVAL §4, chosen in §7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kb::kbrepo::index {

struct Parameters {
  // BM25F (Robertson, Zaragoza, Taylor: "Simple BM25 extension to multiple weighted fields", 2004)
  float k1 = 0.9f;
  float b = 0.75f;  ///< of each field
  float title_weight = 1.5f;
  float heading_weight = 1.0f;
  float body_weight = 1.0f;
  // weights of a question's terms
  float unigram = 0.25f;
  float bigram = 1.0f;
  float cross_word_bigram = 0.6f;
  float function_word = 0.5f;  ///< times the above
  // second stage
  float page_prior = 0.5f;   ///< × BM25F of the whole page
  float support = 0.3f;      ///< × BM25F of the page's next best passage, half of it × the one after, and so on
  float title = 0.1f;        ///< × share of the question's content that the title names, × the ideal score
  float proximity = 0.2f;    ///< × adjacent question terms found near each other
  std::uint32_t window = 8;  ///< positions within which they count as near
  // segments
  std::size_t max_segments = 8;
  float max_dead_share = 0.3f;
};
inline constexpr Parameters kParameters;

}  // namespace kb::kbrepo::index
