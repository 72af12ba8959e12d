/// The books that a call may read, for the query protocols. For .cpp files of this room only.
#pragma once

#include "answer/protocols/book.hpp"
#include "daemon/tool_table.hpp"

namespace kb::daemon {

struct GrantedBooks {
  std::vector<protocols::Book> books;  ///< in the grant's order
  std::vector<RepoId> missing;         ///< granted, but without any snapshot yet
  std::optional<ToolReply> failure;    ///< a root that is not granted, or not there: the same text for both
};

/// `roots`: owner/repo of each wanted; empty: all that is granted.
[[nodiscard]] GrantedBooks granted_books(ToolContext const& context, scope::ScopeOutcome const& outcome,
                                         std::vector<std::string> const& roots);

}  // namespace kb::daemon
