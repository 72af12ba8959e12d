/// Publishes query records as lines of log.md in the repository's own log ref, by compare-and-swap; work tree and index
/// are never touched.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/clock.hpp"
#include "config/result.hpp"
#include "config/settings.hpp"
#include "kbrepo/mirror.hpp"
#include "logging/record.hpp"

namespace kb::logging {

inline constexpr char kLogRef[] = "refs/heads/kbgate/query-log";
inline constexpr char kLogFile[] = "log.md";

struct Published {
  kbrepo::CommitId commit{};
  std::size_t lines = 0;    ///< added now; records whose id the log already holds add none
  std::size_t retries = 0;  ///< times the ref, here or there, had moved meanwhile
  bool pushed = false;
};

/// One commit ("paper-kb: log query", with a trailer `Record: <id>` for each line) for all `records`; on disk when it
/// returns. Publishing a record again adds nothing: the ids in the trailers tell.
///
/// Mode branch: on kLogRef, a tree of log.md alone, created when absent. Mode commit: on the page ref, its tree with
/// only log.md changed; in a repository with a work tree that has this branch checked out, `git status` shows log.md as
/// changed until the next checkout, for neither work tree nor index is touched. Mode local: nothing, success.
///
/// With push_query_log success means that the remote has the lines; a push that fails is an error, the records stay
/// unpublished, and the next call pushes what lies here already. When the remote moved meanwhile, its commits are
/// fetched, our lines replayed on top and pushed again (bounded, jittered): no line of either side is lost. In mode
/// commit our commits then wait on a ref of their own (refs/kbgate/log/<branch>): no person's commit is ever pushed,
/// and no local branch moved.
///
/// unavailable: the ref is contended or the remote is away. denied: the remote refuses. corrupt: the log was rewritten.
[[nodiscard]] Result<Published> publish(kbrepo::Mirror const& mirror, std::span<QueryRecord const> records,
                                        TimePoint now);

/// Content of log.md as the log ref has it now; empty when there is none.
[[nodiscard]] Result<std::string> read_log(kbrepo::Mirror const& mirror);

}  // namespace kb::logging
