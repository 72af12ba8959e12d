/// The one writer of state.db: a thread that takes all changes waiting when it wakes into one transaction, so that they
/// share one fsync. Of this room only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "config/result.hpp"
#include "logging/store_connection.hpp"

namespace kb::logging::store {

struct Change {
  std::string_view before_commit;  ///< fault points passed when it is written but not durable…
  std::string_view after_commit;   ///< …and durable but not told
  /// Runs inside a savepoint on the writer's thread; an error, or an exception of SQLite, undoes this change alone.
  std::function<Result<void>(Connection&)> apply;
  /// Runs after the commit, or with why there was none. Must not throw.
  std::function<void(std::optional<Error> failure)> finish;
};

class GroupCommit {
 public:
  GroupCommit(std::unique_ptr<Connection> connection, std::size_t max_waiting);
  ~GroupCommit();  ///< commits what waits, checkpoints, joins
  GroupCommit(GroupCommit const&) = delete;
  GroupCommit& operator=(GroupCommit const&) = delete;

  /// Any thread. When the queue is full or this is being destroyed, finish is called at once with `exhausted` or
  /// `cancelled`, on the caller's thread.
  void submit(Change change);

  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  [[nodiscard]] std::uint64_t transactions() const noexcept { return transactions_; }

 private:
  void run();
  std::vector<Change> take();
  void commit(std::vector<Change>& group);
  std::optional<Error> write(std::vector<Change>& group, std::vector<std::optional<Error>>& failures);
  std::optional<Error> write_one(Change& change);
  void note(std::optional<Error> const& failure);

  std::unique_ptr<Connection> connection_;  ///< touched by the thread alone once it runs
  std::size_t const max_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Change> queue_;  ///< guarded by mutex_
  bool leaving_ = false;       ///< guarded by mutex_
  bool failing_ = false;       ///< thread only: so that an outage is logged once
  std::atomic<std::uint64_t> changes_{0}, transactions_{0};
  std::thread thread_;  ///< last: starts when everything above stands
};

}  // namespace kb::logging::store
