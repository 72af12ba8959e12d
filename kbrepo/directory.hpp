/// A plain directory (`repos[].dir`) as commits of a private bare repository, so that everything behind it, citations
/// pinned to a commit included, is the same as for a repository. The directory itself is only ever read.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "config/clock.hpp"
#include "config/result.hpp"
#include "config/settings.hpp"
#include "kbrepo/ids.hpp"

struct git_repository;

namespace kb::kbrepo {

/// One look at a directory.
struct Capture {
  CommitId commit{};
  bool changed = false;     ///< a commit was made; else `commit` stood before
  std::size_t files = 0;    ///< in the commit
  std::size_t read = 0;     ///< of these, read anew: the others look as they did last time
  std::size_t skipped = 0;  ///< larger than 16 MiB
  std::string ref;          ///< where the commit stands
};

/// What a directory's commits hold: the pages of `include` and `exclude`, and the .json files beside them (catalogue,
/// graph, manifest) that `exclude` leaves in. Symlinks are kept as links, never followed: downstream they lead to files
/// of the same commit or nowhere. `.git` is left out.
///
/// Nothing changed: no commit. Any fault (the directory or a file cannot be read, over 200,000 files, over 64 folders
/// deep): nothing is written, so that the last good commit keeps serving. unavailable, naming the file; cancelled.
[[nodiscard]] Result<Capture> capture_directory(git_repository* repo, config::RepoSettings const& settings,
                                                TimePoint now, std::stop_token const& stop);

}  // namespace kb::kbrepo
