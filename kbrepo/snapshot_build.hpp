/// From a commit's tree to a snapshot's parts; snapshot.cpp puts the class around them.
#pragma once

#include <span>

#include "kbrepo/page_store.hpp"
#include "kbrepo/page_table.hpp"
#include "kbrepo/tree_listing.hpp"

namespace kb::kbrepo {

/// What was known before: of the previous snapshot, or from disk.
struct Known {
  PageTable const* table = nullptr;
  std::vector<index::SegmentPtr> segments;
};

struct Analysed {
  PageTable table;
  std::vector<index::SegmentPtr> segments;  ///< those of `known`, then new ones
  std::vector<index::DocKey> live;          ///< as table.pages
  std::size_t analysed = 0;
};

/// Takes each listed file from `known` when its path and blob are there, else reads and analyses it. `table.commit` and
/// `table.history` are left to the caller. cancelled, or corrupt naming the page.
[[nodiscard]] Result<Analysed> analyse(std::span<TreeFile const> files, Known known, PageStore& store,
                                       SnapshotOptions const& options);

}  // namespace kb::kbrepo
