/// When segments are written anew as one, and how.
#pragma once

#include <span>
#include <vector>

#include "kbrepo/index/segment.hpp"

namespace kb::kbrepo::index {

/// A segment of the documents that `positions` does not call dead, from the segments' streams alone: the same terms in
/// the same order as from their texts.
[[nodiscard]] SegmentPtr merge(std::span<SegmentPtr const> segments,
                               std::span<std::vector<std::uint32_t> const> positions);

/// Which segments to merge: all when too many passages are dead; the smallest when there are too many segments, so that
/// the large one is seldom touched. Empty: none.
[[nodiscard]] std::vector<std::size_t> merge_choice(std::span<SegmentPtr const> segments,
                                                    std::span<std::vector<std::uint32_t> const> positions);

}  // namespace kb::kbrepo::index
