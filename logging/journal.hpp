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

/// Key of a message: (adapter, account, chat, sender, message id) joined unambiguously. The sender is part of it
/// because on a shared door (one bridge account for many people) ids are the peers' choice: nobody gets another's
/// answer by repeating an id.
[[nodiscard]] std::string inbox_key(scope::InboundMessage const& message);

enum class ReplyState { pending, delivered, given_up };  ///< as stored

struct StoredReply {
  std::string key;  ///< inbox key
  std::string query_id;
  std::string outcome;
  std::string text;
  std::string sources_json;
  std::string details_json;  ///< of the answer, for adapters that show more than its text; may be empty
  ReplyState state = ReplyState::pending;
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

/// One vote; a later vote of the same sender on the same answer takes the place of the earlier.
struct Feedback {
  std::string query_id, sender, vote, kind, time;
};

struct UnsettledMessage {
  std::string key;
  scope::InboundMessage message;
};

/// A durable reply that no platform is known to have taken.
struct UndeliveredReply {
  StoredReply reply;
  scope::InboundMessage message;  ///< what it answers, and so where it goes
  TimePoint settled_at{};         ///< too old for the platform's window: give_up(), do not send blindly
};

/// One part of a reply in one form, on its way to a platform that is pushed to.
struct SendingRow {
  std::string key;  ///< of the reply
  int part = 0;
  std::string form;         ///< the adapter's word
  TimePoint first_try{};    ///< since it was last refused
  std::string platform_id;  ///< the platform's id of the message; empty: not known to have arrived
  bool refused = false;     ///< it is known not to have arrived
};

/// A reply that will not be sent any more, for `doctor`.
struct GivenUpReply {
  std::string key, query_id, reason;
  TimePoint at{};
};

/// Which of the stored messages and replies to look through: those of one group, or what one person and the bot said to
/// each other in private.
struct MessageSearch {
  scope::ChatType chat_type = scope::ChatType::direct;
  UserId sender;       ///< of a private chat
  ChatId chat;         ///< of a group
  std::string phrase;  ///< byte for byte; not empty
  std::size_t limit = 20;
};
struct FoundMessage {
  std::string message_id, sender, text;  ///< sender empty: the bot, answering message_id
  TimePoint time{};
};

struct JournalStats {
  std::size_t inbox_unsettled = 0, replies_pending = 0, replies_given_up = 0, records_pending = 0;
  std::size_t waiting = 0;         ///< changes in the queue
  std::uint64_t changes = 0;       ///< made durable since opening…
  std::uint64_t transactions = 0;  ///< …in so many transactions (fsyncs)
};

class Journal {
 public:
  struct Options {
    std::size_t max_waiting = 1024;                ///< changes in the queue; beyond: exhausted
    std::chrono::milliseconds busy_timeout{5000};  ///< for a lock of another process; then: unavailable
  };
  /// Opens or creates state_dir/state.db (mode 0600, directory 0700) and migrates it. corrupt: the database fails its
  /// check; names the file. invalid_input: it was written by a newer kbgate.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(std::filesystem::path const& state_dir, Options options);
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(std::filesystem::path const& state_dir);
  ~Journal();  ///< finishes what waits, checkpoints, joins its thread

  // Changes. `done` is called on the journal's thread after the fsync (or with the error); post from there. It must not
  // throw. When the queue is full `done` gets Errc::exhausted at once, on the caller's thread. unavailable: the disk is
  // full or failing, or another process holds the database; nothing of this change is stored, a later one may succeed.
  // Changes become durable in the order of the calls.

  /// The first message of a key wins, whatever a later one says. invalid_input: a message without an id.
  void admit(scope::InboundMessage message, TimePoint now, std::function<void(Result<Admitted>)> done);
  /// The first reply of a key stays: settling again changes nothing and succeeds. A key that was never admitted (a
  /// question by HTTP or a verb) is settled too. A record whose id is there already is not stored again.
  void settle(Settlement settlement, TimePoint now, std::function<void(Result<void>)> done);
  /// not_found: no such reply.
  void mark_delivered(std::string key, TimePoint now, std::function<void(Result<void>)> done = {});
  /// A pending reply will not be sent any more; `reason` in a few words, without text of the chat. not_found: no such
  /// reply.
  void give_up(std::string key, std::string reason, TimePoint now, std::function<void(Result<void>)> done = {});
  /// Written before a part is tried. Its time stays at the first try until that is refused; `done` gets the row as it
  /// stands. not_found: no such reply.
  void begin_sending(SendingRow row, std::function<void(Result<SendingRow>)> done);
  /// The part arrived as row.platform_id. not_found: it was never begun.
  void sent(SendingRow row, std::function<void(Result<void>)> done);
  /// The part is known not to have arrived: a later try of it begins anew. not_found: it was never begun.
  void refused(SendingRow row, std::function<void(Result<void>)> done);
  /// The first value given for a key holds it, for at least a week, and for good when the key begins with `room/` (a
  /// few rows a private chat); `done` gets that one. invalid_input: an empty key or value.
  void claim(std::string key, std::string value, TimePoint now, std::function<void(Result<std::string>)> done);
  void mark_published(std::vector<std::int64_t> rows, std::function<void(Result<void>)> done = {});
  /// Records without a reply (the verb log_query). `done` gets them as stored, with id, prev and hash.
  void add_records(std::vector<QueryRecord> records, std::function<void(Result<std::vector<QueryRecord>>)> done);
  void add_binding_event(BindingEventRow event, std::function<void(Result<void>)> done = {});
  /// not_found: no reply and no record has this query id.
  void add_feedback(Feedback feedback, std::function<void(Result<void>)> done);
  /// Removes settled inbox rows and replies with their sendings older than `keep`, and claims older than that and a
  /// week, some at a time so that nothing else waits long; `done` gets the number of replies removed. Records stay.
  void expire(TimePoint now, std::chrono::hours keep, std::function<void(Result<std::size_t>)> done = {});

  // Reads: on a connection of their own, thread-safe, see committed state.
  /// In the order of admission: what to run again after a start.
  [[nodiscard]] Result<std::vector<UnsettledMessage>> unsettled() const;
  /// In the order of settling: what to deliver after a start. Replies to keys that were never admitted are not among
  /// them: nobody waits for those. `adapter` empty: of all.
  [[nodiscard]] Result<std::vector<UndeliveredReply>> undelivered(std::string_view adapter = {}) const;
  /// What was tried of this reply, in order of part and time.
  [[nodiscard]] Result<std::vector<SendingRow>> sendings(std::string_view key) const;
  /// The newest first.
  [[nodiscard]] Result<std::vector<GivenUpReply>> given_up(std::size_t limit) const;
  /// Who holds the key; empty: nobody.
  [[nodiscard]] Result<std::string> holder(std::string_view key) const;
  [[nodiscard]] Result<std::optional<StoredReply>> reply_of(std::string_view query_id) const;
  /// The newest reply settled for this chat (or this direct sender): what /sources shows. Replies without a query id
  /// (those to commands) do not count. With `query_id`: that one, if it was given in this very conversation.
  [[nodiscard]] Result<std::optional<StoredReply>> last_reply(scope::InboundMessage const& like,
                                                              std::string_view query_id = {}) const;
  /// Messages and replies that hold the phrase, the newest first.
  [[nodiscard]] Result<std::vector<FoundMessage>> find_messages(MessageSearch const& search) const;
  [[nodiscard]] Result<std::vector<PendingRecord>> unpublished(RepoId const& repo, std::size_t limit) const;
  [[nodiscard]] Result<std::vector<RepoId>> repos_with_unpublished() const;
  /// Oldest first; `since` empty: all.
  [[nodiscard]] Result<std::vector<QueryRecord>> records(RepoId const& repo, std::string_view since_iso8601) const;
  [[nodiscard]] Result<std::vector<BindingEventRow>> binding_events() const;
  [[nodiscard]] Result<JournalStats> stats() const;
  /// Follows the chain of one repository; the text names the first record that does not fit, or says that the newest
  /// are missing. Empty: all fit.
  [[nodiscard]] Result<std::string> verify(RepoId const& repo) const;

 private:
  struct State;
  explicit Journal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::logging
