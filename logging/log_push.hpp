/// Takes log commits to the remote. Of this room only.
#pragma once

#include <string>

#include "config/settings.hpp"
#include "logging/log_commit.hpp"

namespace kb::logging::gitlog {

/// The ref our commits are on, and the ref of the remote they go to.
struct Route {
  std::string local;
  std::string remote;
};

/// Pushes route.local to route.remote. When the remote has commits that we lack, they are fetched, our lines are
/// replayed on top as one commit, route.local is moved to it, and it is pushed again; the number of such rounds is
/// returned. Nothing of the remote is ever overwritten. unavailable: not reachable, or it moved each time. denied: it
/// refuses the push. In each case our lines stay on route.local and go with the next push.
[[nodiscard]] Result<std::size_t> push_log(git_repository* repo, config::RepoSettings const& settings,
                                           Route const& route, TimePoint now);

}  // namespace kb::logging::gitlog
