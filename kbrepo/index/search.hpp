/// From question terms to scored passages.
#pragma once

#include <span>
#include <vector>

#include "kbrepo/index/live_set.hpp"

namespace kb::kbrepo::index {

[[nodiscard]] std::vector<ScoredPassage> search(LiveSet const& live, std::span<QueryTerm const> query,
                                                SearchOptions const& options);

}  // namespace kb::kbrepo::index
