/// Records on their way from the journal to each repository's log ref.
#pragma once

#include <iosfwd>
#include <vector>

#include "config/settings.hpp"
#include "logging/git_log.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {

struct PublishStep {
  std::vector<std::int64_t> rows;  ///< published now; to be marked
  logging::Published published;
};

/// Publishes up to `limit` waiting records of one repository. Blocking git work: for the git pool and for verbs.
[[nodiscard]] Result<PublishStep> publish_waiting(logging::Journal const& journal, config::RepoSettings const& repo,
                                                  TimePoint now, std::size_t limit = 500);

/// For verbs: records into the journal, durable on return, then published at once; a failed publication only warns, the
/// daemon or the next verb makes it up.
[[nodiscard]] Result<void> log_now(config::Settings const& settings, std::vector<logging::QueryRecord> records,
                                   std::ostream& err);

}  // namespace kb::daemon
