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
[[nodiscard]] Result<void> give_up(Connection& db, std::string const& key, std::string const& reason, TimePoint now);
[[nodiscard]] Result<SendingRow> begin_sending(Connection& db, SendingRow const& row);
[[nodiscard]] Result<void> sent(Connection& db, SendingRow const& row);
[[nodiscard]] Result<void> refused(Connection& db, SendingRow const& row);
[[nodiscard]] Result<std::string> claim(Connection& db, std::string const& key, std::string const& value,
                                        TimePoint now);
void mark_published(Connection& db, std::vector<std::int64_t> const& rows);
/// Returns the records as they stand in the table now.
[[nodiscard]] Result<std::vector<QueryRecord>> add_records(Connection& db, std::vector<QueryRecord> const& records);
void add_binding_event(Connection& db, BindingEventRow const& event);
[[nodiscard]] Result<void> add_feedback(Connection& db, Feedback const& feedback);
struct Expired {
  std::size_t replies = 0, claims = 0;
};
/// Removes at most `limit` replies settled before `replies`, with their messages and sendings, and as many claims made
/// before `claims`.
[[nodiscard]] Expired expire(Connection& db, TimePoint replies, TimePoint claims, std::size_t limit);

[[nodiscard]] std::vector<UnsettledMessage> unsettled(Connection& db);
[[nodiscard]] std::vector<UndeliveredReply> undelivered(Connection& db, std::string_view adapter);
[[nodiscard]] std::vector<SendingRow> sendings(Connection& db, std::string_view key);
[[nodiscard]] std::vector<GivenUpReply> given_up(Connection& db, std::size_t limit);
[[nodiscard]] std::string holder(Connection& db, std::string_view key);
[[nodiscard]] std::optional<StoredReply> reply_of_key(Connection& db, std::string const& key);
[[nodiscard]] std::optional<StoredReply> reply_of_query(Connection& db, std::string_view query_id);
[[nodiscard]] std::vector<FoundMessage> find_messages(Connection& db, MessageSearch const& search);
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
