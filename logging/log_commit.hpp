/// The commits of a query log: their form, what they hold, and how a ref moves to one. Of this room only.
///
/// A commit's message is "paper-kb: log query", an empty line, and one trailer `Record: <record id>` for each line it
/// adds, in the order of the lines. The ids stand there and not in log.md, whose lines keep the form of ACCEPTANCE 1.2.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "config/clock.hpp"
#include "config/result.hpp"
#include "kbrepo/git.hpp"

namespace kb::logging::gitlog {

struct Entry {
  std::string line;  ///< one line of log.md, without its end
  std::string id;    ///< record id; empty for a line that somebody wrote by hand
};

using Tip = std::optional<kbrepo::CommitId>;  ///< where a ref is; nothing: there is no such ref

[[nodiscard]] Result<Tip> tip_of(git_repository* repo, std::string const& ref);

/// Content of log.md at a commit; nothing: the tree has none. The view lives as long as the blob.
struct LogFile {
  kbrepo::git::Blob blob;
  git_filemode_t mode = GIT_FILEMODE_BLOB;
  [[nodiscard]] std::string_view text() const noexcept;
};
[[nodiscard]] Result<std::optional<LogFile>> log_file(git_repository* repo, kbrepo::CommitId const& commit);

/// The ids in a commit's trailers; none for a commit that is no log commit.
[[nodiscard]] std::vector<std::string> ids_of(git_commit const* commit);
/// Record ids that the log commits reachable from `tip` (and not from `without`) name. Looks at no more than
/// kMaxWalk commits, and not past a log commit made an hour before `since`: a record is made before it is published,
/// and the oldest unpublished ones are published first, so that one published before a crash is near the tip.
inline constexpr std::size_t kMaxWalk = 2000;
[[nodiscard]] Result<std::unordered_set<std::string>> held_ids(git_repository* repo, Tip const& tip, Tip const& without,
                                                               TimePoint since);

/// Writes blob, tree and commit: the tree of `base` (or an empty one) with only log.md changed, the entries at its
/// end. The objects are on disk when it returns; no ref is moved. Costs a rewrite of log.md: one file for ever, which
/// nothing rotates.
[[nodiscard]] Result<kbrepo::CommitId> write_commit(git_repository* repo, Tip const& base,
                                                    std::span<Entry const> entries, TimePoint now);

/// Compare-and-swap, on disk when it returns true. false: the ref is not (or no longer) at `from`, or somebody holds
/// its lock.
[[nodiscard]] Result<bool> move_ref(git_repository* repo, std::string const& ref, Tip const& from,
                                    kbrepo::CommitId const& to);

/// Waits a random while that grows with `attempt`, at most some hundred milliseconds.
void back_off(std::size_t attempt);

}  // namespace kb::logging::gitlog
