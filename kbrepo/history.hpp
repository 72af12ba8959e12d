/// Who changed each page last, found once per snapshot and carried on from commit to commit: answering never walks.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "kbrepo/git.hpp"
#include "kbrepo/snapshot.hpp"

namespace kb::kbrepo {

struct History {
  std::vector<Change> changes;    ///< one for each commit that some page names
  std::vector<std::uint32_t> of;  ///< per page: its place in `changes`, or kNone
};

/// For every page still without a change: the newest commit that gave its path the blob it has now and differs there
/// from all its parents. Stops at `known` (whose history is already told), when all are found, or after 10,000 commits;
/// damaged history just ends it. O(changed entries), not O(pages × commits).
void find_changes(git_repository* repo, CommitId const& head, std::optional<CommitId> const& known,
                  std::vector<PageInfo> const& pages, History& history, std::stop_token const& stop);

}  // namespace kb::kbrepo
