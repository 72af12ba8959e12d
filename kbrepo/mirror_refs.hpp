/// Where a mirror keeps what its remote last gave.
///
/// A fetch never moves refs/heads or refs/remotes: it writes `refs/kbgate/remote/…` (refs/heads/main becomes
/// refs/kbgate/remote/heads/main) and `refs/kbgate/remote/HEAD`, which leads to the remote's default branch. So a work
/// tree keeps its branch, log commits of ours on local branches are never overwritten, and a clone that people use
/// beside us does not change under their hands. Reading `ref` of a repository with a remote means reading the kept
/// ref; until the first fetch, the local one.
#pragma once

#include <string>
#include <string_view>

namespace kb::kbrepo {

inline constexpr char kRemoteHead[] = "refs/kbgate/remote/HEAD";

/// refs/heads/main → refs/kbgate/remote/heads/main.
[[nodiscard]] inline std::string kept_ref(std::string_view ref) {
  if (ref.starts_with("refs/")) ref.remove_prefix(5);
  return "refs/kbgate/remote/" + std::string(ref);
}

}  // namespace kb::kbrepo
