#include "logging/journal.hpp"

#include <SQLiteCpp/Exception.h>
#include <algorithm>
#include <mutex>

#include "logging/group_commit.hpp"
#include "logging/store_schema.hpp"
#include "logging/store_sql.hpp"

namespace kb::logging {
namespace {

constexpr std::size_t kExpireAtOnce = 500;  // one transaction of this size delays nobody noticeably
constexpr std::chrono::hours kClaimsKept{24 * 7};

/// Fault points of one kind of change: written but not durable, and durable but not told.
struct Places {
  std::string_view before_commit, after_commit;
};
constexpr Places kAdmit{"journal.admit.before_commit", "journal.admit.after_commit"};
constexpr Places kSettle{"journal.settle.before_commit", "journal.settle.after_commit"};
constexpr Places kDelivered{"journal.delivered.before_commit", "journal.delivered.after_commit"};
constexpr Places kBegun{"journal.begun.before_commit", "journal.begun.after_commit"};
constexpr Places kSent{"journal.sent.before_commit", "journal.sent.after_commit"};
constexpr Places kPublished{"journal.published.before_commit", "journal.published.after_commit"};
constexpr Places kRecords{"journal.records.before_commit", "journal.records.after_commit"};
constexpr Places kOther{"journal.other.before_commit", "journal.other.after_commit"};

/// Joins parts so that no two lists of parts give the same text: '/' between them, '/' and '%' inside escaped.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  bool first = true;
  for (std::string_view const part : parts) {
    if (!first) out += '/';
    first = false;
    for (char const c : part) {
      if (c == '/') {
        out += "%2F";
      } else if (c == '%') {
        out += "%25";
      } else {
        out += c;
      }
    }
  }
  return out;
}

}  // namespace

struct Journal::State {
  State(std::unique_ptr<store::Connection> w, std::unique_ptr<store::Connection> r, std::size_t max_waiting)
      : reader(std::move(r)), writer(std::move(w), max_waiting) {}

  /// Queues a change that gives a T.
  template <class T>
  void submit(Places places, std::function<Result<T>(store::Connection&)> work, std::function<void(Result<T>)> done) {
    auto const outcome = std::make_shared<std::optional<Result<T>>>();
    store::Change change;
    change.before_commit = places.before_commit;
    change.after_commit = places.after_commit;
    change.apply = [work = std::move(work), outcome](store::Connection& db) -> Result<void> {
      outcome->emplace(work(db));
      if (!**outcome) return (*outcome)->error();
      return {};
    };
    change.finish = [done = std::move(done), outcome](std::optional<Error> failure) {
      if (!done) return;
      done(failure ? Result<T>(std::move(*failure)) : std::move(**outcome));
    };
    writer.submit(std::move(change));
  }

  /// Runs a read on the reading connection; one at a time.
  template <class T>
  Result<T> read(std::function<Result<T>(store::Connection&)> const& work) {
    std::lock_guard const lock(reading);
    try {
      return work(*reader);
    } catch (SQLite::Exception const& e) {
      return store::to_error(e);
    }
  }

  void expire(TimePoint replies, TimePoint claims, std::size_t so_far, std::function<void(Result<std::size_t>)> done);

  std::mutex reading;
  std::unique_ptr<store::Connection> reader;  ///< guarded by `reading`
  store::GroupCommit writer;                  ///< last: its thread ends before the rest goes
};

/// Asks for the next lot when there may be one, so that other changes get in between.
void Journal::State::expire(TimePoint replies, TimePoint claims, std::size_t so_far,
                            std::function<void(Result<std::size_t>)> done) {
  submit<store::Expired>(
      kOther, [replies, claims](store::Connection& db) { return store::expire(db, replies, claims, kExpireAtOnce); },
      [this, replies, claims, so_far, done = std::move(done)](Result<store::Expired> removed) {
        std::size_t const total = so_far + (removed ? removed->replies : 0);
        bool const more = removed && (removed->replies == kExpireAtOnce || removed->claims == kExpireAtOnce);
        if (more) return expire(replies, claims, total, done);
        if (!done) return;
        // A later lot that fails does not undo the earlier ones: what is left goes the next night.
        if (!removed && so_far == 0) return done(removed.error());
        done(total);
      });
}

std::string inbox_key(scope::InboundMessage const& m) {
  return joined({m.principal.adapter, m.principal.account, m.chat.str(), m.principal.user.str(), m.message_id});
}

std::string store::conversation_of(scope::InboundMessage const& m) {
  bool const group = m.chat_type == scope::ChatType::group;
  return joined({m.principal.adapter, m.principal.account, group ? "group" : "direct",
                 group ? m.chat.str() : m.principal.user.str()});
}

Result<std::unique_ptr<Journal>> Journal::open(std::filesystem::path const& state_dir) {
  return open(state_dir, Options());
}

Result<std::unique_ptr<Journal>> Journal::open(std::filesystem::path const& state_dir, Options options) {
  auto writer = store::open_writer(state_dir, options.busy_timeout);
  if (!writer) return writer.error();
  auto reader = store::open_reader(state_dir, options.busy_timeout);
  if (!reader) return reader.error();
  auto state = std::make_unique<State>(std::move(*writer), std::move(*reader), options.max_waiting);
  return std::unique_ptr<Journal>(new Journal(std::move(state)));
}

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::~Journal() = default;

void Journal::admit(scope::InboundMessage message, TimePoint now, std::function<void(Result<Admitted>)> done) {
  auto work = [message = std::move(message), now](store::Connection& db) { return store::admit(db, message, now); };
  state_->submit<Admitted>(kAdmit, std::move(work), std::move(done));
}

void Journal::settle(Settlement settlement, TimePoint now, std::function<void(Result<void>)> done) {
  auto work = [settlement = std::move(settlement), now](store::Connection& db) {
    return store::settle(db, settlement, now);
  };
  state_->submit<void>(kSettle, std::move(work), std::move(done));
}

void Journal::mark_delivered(std::string key, TimePoint now, std::function<void(Result<void>)> done) {
  auto work = [key = std::move(key), now](store::Connection& db) { return store::mark_delivered(db, key, now); };
  state_->submit<void>(kDelivered, std::move(work), std::move(done));
}

void Journal::give_up(std::string key, std::string reason, TimePoint now, std::function<void(Result<void>)> done) {
  auto work = [key = std::move(key), reason = std::move(reason), now](store::Connection& db) {
    return store::give_up(db, key, reason, now);
  };
  state_->submit<void>(kDelivered, std::move(work), std::move(done));
}

void Journal::begin_sending(SendingRow row, std::function<void(Result<SendingRow>)> done) {
  auto work = [row = std::move(row)](store::Connection& db) { return store::begin_sending(db, row); };
  state_->submit<SendingRow>(kBegun, std::move(work), std::move(done));
}

void Journal::sent(SendingRow row, std::function<void(Result<void>)> done) {
  auto work = [row = std::move(row)](store::Connection& db) { return store::sent(db, row); };
  state_->submit<void>(kSent, std::move(work), std::move(done));
}

void Journal::refused(SendingRow row, std::function<void(Result<void>)> done) {
  auto work = [row = std::move(row)](store::Connection& db) { return store::refused(db, row); };
  state_->submit<void>(kSent, std::move(work), std::move(done));
}

void Journal::claim(std::string key, std::string value, TimePoint now, std::function<void(Result<std::string>)> done) {
  auto work = [key = std::move(key), value = std::move(value), now](store::Connection& db) {
    return store::claim(db, key, value, now);
  };
  state_->submit<std::string>(kOther, std::move(work), std::move(done));
}

void Journal::mark_published(std::vector<std::int64_t> rows, std::function<void(Result<void>)> done) {
  auto work = [rows = std::move(rows)](store::Connection& db) -> Result<void> {
    store::mark_published(db, rows);
    return {};
  };
  state_->submit<void>(kPublished, std::move(work), std::move(done));
}

void Journal::add_records(std::vector<QueryRecord> records,
                          std::function<void(Result<std::vector<QueryRecord>>)> done) {
  auto work = [records = std::move(records)](store::Connection& db) { return store::add_records(db, records); };
  state_->submit<std::vector<QueryRecord>>(kRecords, std::move(work), std::move(done));
}

void Journal::add_binding_event(BindingEventRow event, std::function<void(Result<void>)> done) {
  auto work = [event = std::move(event)](store::Connection& db) -> Result<void> {
    store::add_binding_event(db, event);
    return {};
  };
  state_->submit<void>(kOther, std::move(work), std::move(done));
}

void Journal::add_feedback(Feedback feedback, std::function<void(Result<void>)> done) {
  auto work = [feedback = std::move(feedback)](store::Connection& db) { return store::add_feedback(db, feedback); };
  state_->submit<void>(kOther, std::move(work), std::move(done));
}

void Journal::expire(TimePoint now, std::chrono::hours keep, std::function<void(Result<std::size_t>)> done) {
  state_->expire(now - keep, now - std::max(keep, kClaimsKept), 0, std::move(done));
}

Result<std::vector<UnsettledMessage>> Journal::unsettled() const {
  return state_->read<std::vector<UnsettledMessage>>([](store::Connection& db) { return store::unsettled(db); });
}

Result<std::vector<UndeliveredReply>> Journal::undelivered(std::string_view adapter) const {
  return state_->read<std::vector<UndeliveredReply>>(
      [adapter](store::Connection& db) { return store::undelivered(db, adapter); });
}

Result<std::vector<SendingRow>> Journal::sendings(std::string_view key) const {
  return state_->read<std::vector<SendingRow>>([key](store::Connection& db) { return store::sendings(db, key); });
}

Result<std::vector<GivenUpReply>> Journal::given_up(std::size_t limit) const {
  return state_->read<std::vector<GivenUpReply>>([limit](store::Connection& db) { return store::given_up(db, limit); });
}

Result<std::string> Journal::holder(std::string_view key) const {
  return state_->read<std::string>([key](store::Connection& db) { return store::holder(db, key); });
}

Result<std::optional<StoredReply>> Journal::reply_of(std::string_view query_id) const {
  return state_->read<std::optional<StoredReply>>(
      [query_id](store::Connection& db) { return store::reply_of_query(db, query_id); });
}

Result<std::optional<StoredReply>> Journal::last_reply(scope::InboundMessage const& like,
                                                       std::string_view query_id) const {
  return state_->read<std::optional<StoredReply>>(
      [&](store::Connection& db) { return store::last_reply(db, store::conversation_of(like), query_id); });
}

Result<std::vector<FoundMessage>> Journal::find_messages(MessageSearch const& search) const {
  return state_->read<std::vector<FoundMessage>>(
      [&search](store::Connection& db) { return store::find_messages(db, search); });
}

Result<std::vector<PendingRecord>> Journal::unpublished(RepoId const& repo, std::size_t limit) const {
  return state_->read<std::vector<PendingRecord>>(
      [&repo, limit](store::Connection& db) { return store::unpublished(db, repo, limit); });
}

Result<std::vector<RepoId>> Journal::repos_with_unpublished() const {
  return state_->read<std::vector<RepoId>>([](store::Connection& db) { return store::repos_with_unpublished(db); });
}

Result<std::vector<QueryRecord>> Journal::records(RepoId const& repo, std::string_view since_iso8601) const {
  return state_->read<std::vector<QueryRecord>>(
      [&repo, since_iso8601](store::Connection& db) { return store::records(db, repo, since_iso8601); });
}

Result<std::vector<BindingEventRow>> Journal::binding_events() const {
  return state_->read<std::vector<BindingEventRow>>([](store::Connection& db) { return store::binding_events(db); });
}

Result<JournalStats> Journal::stats() const {
  Result<JournalStats> stats = state_->read<JournalStats>([](store::Connection& db) {
    JournalStats counted;
    store::count(db, counted);
    return counted;
  });
  if (!stats) return stats;
  stats->waiting = state_->writer.waiting();
  stats->changes = state_->writer.changes();
  stats->transactions = state_->writer.transactions();
  return stats;
}

Result<std::string> Journal::verify(RepoId const& repo) const {
  return state_->read<std::string>([&repo](store::Connection& db) { return store::verify(db, repo); });
}

}  // namespace kb::logging
