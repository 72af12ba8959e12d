/// Proves one sentence of an answer against the pages read, or says what is wrong with it (S1-62).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "answer/validate.hpp"

namespace kb::answer {

struct NormalText;

enum class Proof {
  found,              ///< stands in a cited page
  unsupported,        ///< in no page
  misattributed,      ///< in a page that is not cited for it
  stitched,           ///< two halves from different places
  number_mismatch,    ///< the nearest sentence has another number
  negation_mismatch,  ///< … denies where this affirms, or the other way round
  entity_mismatch,    ///< … names somebody or something else
};
[[nodiscard]] std::string_view to_string(Proof proof) noexcept;

/// The pages of one validation; each is normalised when first needed.
class Grounds {
 public:
  explicit Grounds(std::span<ReadPage const> pages);
  ~Grounds();
  Grounds(Grounds const&) = delete;
  Grounds& operator=(Grounds const&) = delete;

  /// Whether one of the pages `among` says `sentence`, its link targets included.
  [[nodiscard]] bool stands(std::string_view sentence, std::span<std::size_t const> among);
  /// `cited`: indices of the pages that may carry `sentence`. Pure apart from the cache. O(bytes of the pages).
  [[nodiscard]] Proof prove(std::string_view sentence, std::span<std::size_t const> cited);

 private:
  NormalText const& page(std::size_t index);
  /// Whether the page says `quote`, the normal form of `sentence`.
  [[nodiscard]] bool says(std::size_t index, std::string_view sentence, std::string_view quote);
  [[nodiscard]] Proof fault(std::string_view quote);
  [[nodiscard]] bool is_stitched(std::string_view quote);

  std::span<ReadPage const> pages_;
  std::vector<std::unique_ptr<NormalText>> normal_;
};

}  // namespace kb::answer
