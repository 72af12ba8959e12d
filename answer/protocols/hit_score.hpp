/// How well a passage answers a query: the four weighted parts of S4-52…56. Depends on the text alone, never on an
/// index, so that a direct scan finds the same.
#pragma once

#include <string_view>
#include <vector>

#include "answer/protocols/query_words.hpp"
#include "kbrepo/page.hpp"

namespace kb::protocols {

inline constexpr double kKeywordWeight = .45;
inline constexpr double kProximityWeight = .20;
inline constexpr double kSectionWeight = .20;
inline constexpr double kCoverageWeight = .15;

struct HitParts {
  double keyword = 0, proximity = 0, section = 0, coverage = 0;  ///< each 0…1
  [[nodiscard]] double total() const noexcept {
    return kKeywordWeight * keyword + kProximityWeight * proximity + kSectionWeight * section +
           kCoverageWeight * coverage;
  }
};

struct Scored {
  HitParts parts;
  std::vector<std::string> matched;  ///< units found, as they stand in the query; "x (as y)" for a variant
  bool steps = false, conditions = false, verification = false;
  bool exact = false;       ///< the whole query as it stands
  bool name_only = false;   ///< found in the title or path alone
  bool by_meaning = false;  ///< its vector is nearer than its words say: `keyword` is that nearness (S4-21)
};

[[nodiscard]] Scored score_passage(QueryWords const& query, kbrepo::Page const& page, kbrepo::Passage const& passage);
/// The keyword part of any text by itself: which paragraph of a passage is shown.
[[nodiscard]] double keyword_of(QueryWords const& query, std::string_view text);

}  // namespace kb::protocols
