/// What the journal's changes and reads do to the tables. Of this room only. Changes run inside the savepoint of
/// group_commit; everything may throw SQLite::Exception.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logging/journal.hpp"
#include "logging/store_connection.hpp"

namespace kb::logging::store {

[[nodiscard]] Result<Admitted> admit(Connection& db, scope::InboundMessage const& message, TimePoint now);
[[nodiscard]] Result<void> settle(Connection& db, Settlement const& settlement, TimePoint now);
[[nodiscard]] Result<void> mark_delivered(Connection& db, std::string const& key, TimePoint now);
[[nodiscard]] Result<void> give_up(Connection& db, std::string const& key, TimePoint now);
void mark_published(Connection& db, std::vector<std::int64_t> const& rows);
/// Returns the records as they stand in the table now.
[[nodiscard]] Result<std::vector<QueryRecord>> add_records(Connection& db, std::vector<QueryRecord> const& records);
void add_binding_event(Connection& db, BindingEventRow const& event);
[[nodiscard]] Result<void> add_feedback(Connection& db, Feedback const& feedback);
/// Removes at most `limit` replies settled before `before`, and their messages; returns how many.
[[nodiscard]] std::size_t expire(Connection& db, TimePoint before, std::size_t limit);

[[nodiscard]] std::vector<UnsettledMessage> unsettled(Connection& db);
[[nodiscard]] std::vector<UndeliveredReply> undelivered(Connection& db);
[[nodiscard]] std::optional<StoredReply> reply_of_key(Connection& db, std::string const& key);
[[nodiscard]] std::optional<StoredReply> reply_of_query(Connection& db, std::string_view query_id);
[[nodiscard]] std::optional<StoredReply> last_reply(Connection& db, std::string const& conversation,
                                                    std::string_view query_id);
[[nodiscard]] Result<std::vector<PendingRecord>> unpublished(Connection& db, RepoId const& repo, std::size_t limit);
[[nodiscard]] std::vector<RepoId> repos_with_unpublished(Connection& db);
[[nodiscard]] Result<std::vector<QueryRecord>> records(Connection& db, RepoId const& repo, std::string_view since);
[[nodiscard]] std::vector<BindingEventRow> binding_events(Connection& db);
void count(Connection& db, JournalStats& stats);
[[nodiscard]] std::string verify(Connection& db, RepoId const& repo);

/// Where a reply belongs: the group, or the person in a private chat, on one adapter's account.
[[nodiscard]] std::string conversation_of(scope::InboundMessage const& message);

}  // namespace kb::logging::store
