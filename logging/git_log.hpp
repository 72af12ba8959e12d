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
  std::size_t retries = 0;  ///< times the ref had moved meanwhile
  bool pushed = false;
};

/// One commit ("paper-kb: log query") for all `records`. Mode branch: on kLogRef, a tree of log.md alone, created when
/// absent. Mode commit: on the page ref, its tree with only log.md changed. Mode local: nothing, success. With
/// push_query_log the ref is pushed and, when the remote moved meanwhile, fetched, replayed on top and pushed again
/// (bounded, jittered): no line of either side is lost.
[[nodiscard]] Result<Published> publish(kbrepo::Mirror const& mirror, std::span<QueryRecord const> records,
                                        TimePoint now);

/// Content of log.md as the log ref has it now; empty when there is none.
[[nodiscard]] Result<std::string> read_log(kbrepo::Mirror const& mirror);

}  // namespace kb::logging
