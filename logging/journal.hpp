/// state.db: every promise to the outside is durable here before it is given. One writer thread; all changes waiting
/// when it wakes share one transaction and one fsync. WAL, synchronous=FULL, user_version migrations.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/clock.hpp"
#include "config/result.hpp"
#include "logging/record.hpp"
#include "scope/message.hpp"

namespace kb::logging {

/// Key of a message: (adapter, account, chat, message id) joined unambiguously.
[[nodiscard]] std::string inbox_key(scope::InboundMessage const& message);

struct StoredReply {
  std::string key;  ///< inbox key
  std::string query_id;
  std::string outcome;
  std::string text;
  std::string sources_json;
  bool delivered = false;
};

enum class Admission {
  fresh,        ///< durable now; run it
  in_progress,  ///< seen before, not settled yet: an answer is on its way
  settled,      ///< seen before; `reply` is its first answer
};

struct Admitted {
  Admission admission = Admission::fresh;
  std::optional<StoredReply> reply;
};

/// Everything one answered message makes durable, in one transaction.
struct Settlement {
  StoredReply reply;
  std::vector<QueryRecord> records;  ///< prev and hash are set by the journal, in the same transaction
};

/// Something the admins did, kept for /status, `bindings --history` and audits.
struct BindingEventRow {
  std::string event, chat_id, team_id, actor, code, created_at;
};

struct PendingRecord {
  std::int64_t row = 0;
  QueryRecord record;
};

struct Feedback {
  std::string query_id, sender, vote, kind, time;
};

struct UnsettledMessage {
  std::string key;
  scope::InboundMessage message;
};

struct JournalStats {
  std::size_t inbox_unsettled = 0, replies_pending = 0, records_pending = 0;
};

class Journal {
 public:
  struct Options {
    std::size_t max_waiting = 1024;  ///< changes in the queue; beyond: exhausted
  };
  /// Opens or creates state_dir/state.db (mode 0600, directory 0700) and migrates it. corrupt: the database fails its
  /// check; names the file.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(std::filesystem::path const& state_dir, Options options);
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(std::filesystem::path const& state_dir);
  ~Journal();  ///< finishes what waits, checkpoints, joins its thread

  // Changes. `done` is called on the journal's thread after the fsync (or with the error); post from there.
  // When the queue is full `done` gets Errc::exhausted at once, on the caller's thread.
  void admit(scope::InboundMessage message, TimePoint now, std::function<void(Result<Admitted>)> done);
  void settle(Settlement settlement, TimePoint now, std::function<void(Result<void>)> done);
  void mark_delivered(std::string key, TimePoint now, std::function<void(Result<void>)> done = {});
  void mark_published(std::vector<std::int64_t> rows, std::function<void(Result<void>)> done = {});
  void add_records(std::vector<QueryRecord> records, std::function<void(Result<std::vector<QueryRecord>>)> done);
  void add_binding_event(BindingEventRow event, std::function<void(Result<void>)> done = {});
  void add_feedback(Feedback feedback, std::function<void(Result<void>)> done);
  /// Removes settled inbox rows (with their replies) older than `keep`. Records stay.
  void expire(TimePoint now, std::chrono::hours keep, std::function<void(Result<std::size_t>)> done = {});

  // Reads: on a connection of their own, thread-safe, see committed state.
  [[nodiscard]] Result<std::vector<UnsettledMessage>> unsettled() const;
  [[nodiscard]] Result<std::optional<StoredReply>> reply_of(std::string_view query_id) const;
  /// The newest reply settled for this chat (or this direct sender): what /sources shows.
  [[nodiscard]] Result<std::optional<StoredReply>> last_reply(scope::InboundMessage const& like) const;
  [[nodiscard]] Result<std::vector<PendingRecord>> unpublished(RepoId const& repo, std::size_t limit) const;
  [[nodiscard]] Result<std::vector<RepoId>> repos_with_unpublished() const;
  [[nodiscard]] Result<std::vector<QueryRecord>> records(RepoId const& repo, std::string_view since_iso8601) const;
  [[nodiscard]] Result<std::vector<BindingEventRow>> binding_events() const;
  [[nodiscard]] Result<JournalStats> stats() const;
  /// Follows the chain of one repository; the text names the first record that does not fit. Empty: all fit.
  [[nodiscard]] Result<std::string> verify(RepoId const& repo) const;

 private:
  struct State;
  explicit Journal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::logging
