/// What a Mirror holds; shared by mirror.cpp (open, read) and mirror_fetch.cpp (the network).
#pragma once

#include "kbrepo/git.hpp"
#include "kbrepo/mirror.hpp"

namespace kb::kbrepo {

struct Mirror::State {
  config::RepoSettings settings;
  std::filesystem::path path;
  git::Repository repo;

  /// "nlp/kb (/srv/kb.git)": what an error names.
  [[nodiscard]] std::string name() const { return settings.id.str() + " (" + path.string() + ")"; }
};

/// Fetches the followed ref of `remote` into the kept refs of `repo`; the report's `before` is left to the caller.
[[nodiscard]] Result<FetchReport> fetch_kept(git_repository* repo, config::RepoSettings const& settings,
                                             std::stop_token stop, Progress const& progress);

}  // namespace kb::kbrepo
