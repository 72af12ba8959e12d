#include "logging/group_commit.hpp"

#include <SQLiteCpp/Exception.h>

#include "logging/fault_point.hpp"
#include "logging/service_log.hpp"

namespace kb::logging::store {

GroupCommit::GroupCommit(std::unique_ptr<Connection> connection, std::size_t max_waiting)
    : connection_(std::move(connection)), max_waiting_(max_waiting), thread_([this] { run(); }) {}

GroupCommit::~GroupCommit() {
  {
    std::lock_guard const lock(mutex_);
    leaving_ = true;
  }
  wake_.notify_one();
  thread_.join();
  try {
    connection_->script("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (SQLite::Exception const& e) {
    // Nothing is lost: the next start reads the WAL.
    log::write(log::Level::warn, "journal.checkpoint_failed", {{"reason", e.what()}});
  }
}

void GroupCommit::submit(Change change) {
  std::optional<Error> refused;
  {
    std::lock_guard const lock(mutex_);
    if (leaving_) {
      refused.emplace(Errc::cancelled, "the journal is closing");
    } else if (queue_.size() >= max_waiting_) {
      refused.emplace(Errc::exhausted, "the journal has " + std::to_string(max_waiting_) + " changes waiting");
    } else {
      queue_.push_back(std::move(change));
    }
  }
  if (refused) return change.finish(std::move(refused));
  wake_.notify_one();
}

std::size_t GroupCommit::waiting() const {
  std::lock_guard const lock(mutex_);
  return queue_.size();
}

void GroupCommit::run() {
  for (std::vector<Change> group = take(); !group.empty(); group = take()) commit(group);
}

/// Everything that waits; empty: leaving and nothing waits.
std::vector<Change> GroupCommit::take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return leaving_ || !queue_.empty(); });
  return std::exchange(queue_, {});
}

void GroupCommit::commit(std::vector<Change>& group) {
  std::vector<std::optional<Error>> failures(group.size());
  std::optional<Error> const sunk = write(group, failures);
  note(sunk);
  if (!sunk) {
    changes_ += group.size();
    ++transactions_;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!sunk && !failures[i]) fault_point(group[i].after_commit);
    group[i].finish(sunk ? sunk : failures[i]);
  }
}

/// One transaction. Returns why none of the group is durable; `failures` holds those that failed alone.
std::optional<Error> GroupCommit::write(std::vector<Change>& group, std::vector<std::optional<Error>>& failures) {
  std::optional<Error> sunk;
  try {
    connection_->run("BEGIN IMMEDIATE");
    for (std::size_t i = 0; i < group.size(); ++i) {
      failures[i] = write_one(group[i]);
      // A full disk or failed I/O can make SQLite roll back the whole transaction, the earlier changes with it.
      if (!connection_->in_transaction()) {
        return failures[i].value_or(Error(Errc::unavailable, "state.db rolled back by itself"));
      }
    }
    for (Change const& change : group) fault_point(change.before_commit);
    connection_->run("COMMIT");
    return std::nullopt;
  } catch (SQLite::Exception const& e) {
    sunk = to_error(e);
  }
  try {
    if (connection_->in_transaction()) connection_->run("ROLLBACK");
  } catch (SQLite::Exception const& e) {
    log::write(log::Level::error, "journal.rollback_failed", {{"reason", e.what()}});
  }
  return sunk;
}

std::optional<Error> GroupCommit::write_one(Change& change) {
  std::optional<Error> failure;
  connection_->run("SAVEPOINT one_change");
  try {
    Result<void> const applied = change.apply(*connection_);
    if (!applied) failure = applied.error();
  } catch (SQLite::Exception const& e) {
    failure = to_error(e);
  }
  if (!connection_->in_transaction()) return failure;
  if (failure) connection_->run("ROLLBACK TO one_change");
  connection_->run("RELEASE one_change");
  return failure;
}

/// A failing disk is told when it starts and when it ends, not with each change.
void GroupCommit::note(std::optional<Error> const& failure) {
  if (failure.has_value() == failing_) return;
  failing_ = failure.has_value();
  if (failing_) {
    log::write(log::Level::error, "journal.failing", {{"reason", failure->what}});
  } else {
    log::write(log::Level::warn, "journal.recovered");
  }
}

}  // namespace kb::logging::store
