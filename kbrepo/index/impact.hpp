/// The field-weighted count of BM25F, before saturation: sum over fields of weight × count ÷ (1 - b + b × length ÷
/// average).
#pragma once

#include "kbrepo/index/parameters.hpp"
#include "kbrepo/index/segment.hpp"

namespace kb::kbrepo::index {

/// What one occurrence in a field is worth, by the field's length in this passage.
struct FieldScale {
  float average = 1;
  float weight = 1;

  static FieldScale of(std::uint64_t sum, std::uint64_t passages, float weight) noexcept {
    double const average = passages == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(passages);
    return {average > 0 ? static_cast<float>(average) : 1.0f, weight};
  }
  [[nodiscard]] float operator()(float length) const noexcept {
    return weight / (1 - kParameters.b + kParameters.b * length / average);
  }
};

struct FieldScales {
  FieldScale title, heading, body;

  static FieldScales of(LengthSums const& sums) noexcept {
    return {FieldScale::of(sums.title, sums.passages, kParameters.title_weight),
            FieldScale::of(sums.heading, sums.passages, kParameters.heading_weight),
            FieldScale::of(sums.body, sums.passages, kParameters.body_weight)};
  }
};

/// Saturation: 0…1.
[[nodiscard]] inline float saturate(float count) noexcept { return count / (kParameters.k1 + count); }

inline constexpr float kImpactSteps = 16;  ///< a block's impact is in sixteenths
inline constexpr std::uint8_t kUnbounded = 255;

}  // namespace kb::kbrepo::index
