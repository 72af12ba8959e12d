/// One repository on disk: open, clone, fetch, resolve. Used on the git pool only; never touches a work tree, runs no
/// hook or filter. With a remote, `ref` means what the remote last gave for it (mirror_refs.hpp); local branches are
/// never moved by a fetch.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/result.hpp"
#include "config/settings.hpp"
#include "kbrepo/ids.hpp"

struct git_repository;

namespace kb::kbrepo {

/// What a fetch did. `before` is empty when there was no commit.
struct FetchReport {
  std::optional<CommitId> before, after;
  bool forced = false;  ///< `after` does not descend from `before`
  std::string ref;      ///< the ref that was followed (a renamed default branch shows here)
  std::size_t bytes = 0;
};

/// Progress of long work, at most a few times a second: a phrase and a share done in 0…1 (negative: unknown).
using Progress = std::function<void(std::string_view what, double done)>;

class Mirror {
 public:
  /// Opens settings.git; clones it bare from `remote` when absent. Of a plain directory it is made when absent, with a
  /// first snapshot. not_found: no repository and no remote. unavailable: remote or directory not reachable.
  [[nodiscard]] static Result<Mirror> open(config::RepoSettings const& settings, std::stop_token stop = {},
                                           Progress const& progress = {});
  /// Opens without ever touching the network.
  [[nodiscard]] static Result<Mirror> open_local(config::RepoSettings const& settings);
  Mirror(Mirror&&) noexcept;
  Mirror& operator=(Mirror&&) noexcept;
  ~Mirror();

  /// Of a plain directory: a look at it, and a commit when it changed. Else a no-op without a remote. Credentials: ssh
  /// agent or key files of the user, credential helper of none; a token file through the URL's user.
  [[nodiscard]] Result<FetchReport> fetch(std::stop_token stop = {}, Progress const& progress = {});
  /// The commit that `ref` (or HEAD) names now. not_found: empty repository or missing ref, saying which.
  [[nodiscard]] Result<CommitId> head() const;
  /// A commit id (4 to 40 hex digits), a ref, or a date (YYYY-MM-DD or ISO 8601: the last commit on the ref not after
  /// it).
  [[nodiscard]] Result<CommitId> resolve(std::string_view at) const;

  [[nodiscard]] config::RepoSettings const& settings() const noexcept;
  [[nodiscard]] std::filesystem::path const& path() const noexcept;
  [[nodiscard]] ::git_repository* raw() const noexcept;  ///< for this room and logging/git_log

 private:
  struct State;  ///< mirror_state.hpp
  explicit Mirror(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::kbrepo
