/// What /v1 tells of the books themselves: scope, bindings, records, gaps and repositories.
#pragma once

#include <string>
#include <string_view>

#include "daemon/library.hpp"
#include "daemon/tools.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {

[[nodiscard]] bool is_books_call(std::string_view name) noexcept;
/// repos: for the thread whose states it asks; the others read the journal or a question, for the files pool.
[[nodiscard]] bool asks_states(std::string_view name) noexcept;

/// `name`: scope, bindings, log, gaps or repos. An admin of the settings sees everything; anybody else their own
/// records, the bindings of their teams and the repositories they may read. `state_of`: of those that
/// asks_states() names.
[[nodiscard]] ToolReply books_call(ToolCall const& call, World const& world, logging::Journal const& journal,
                                   RepoStateOf const& state_of);

}  // namespace kb::daemon
