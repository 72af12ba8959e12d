/// What /v1 tells of the books themselves: scope, bindings, records, gaps and repositories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/library.hpp"
#include "daemon/tools.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {

[[nodiscard]] bool is_books_call(std::string_view name) noexcept;

/// `name`: scope, bindings, log, gaps or repos. An admin of the settings sees everything; anybody else their own
/// records, the bindings of their teams and the repositories they may read. Reads the journal: for the files pool.
[[nodiscard]] ToolReply books_call(ToolCall const& call, World const& world, logging::Journal const& journal,
                                   std::vector<RepoState> const& states);

}  // namespace kb::daemon
