/// The newest snapshot of every configured repository, kept fresh on the git pool. A broken repository keeps its last
/// good snapshot.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/aio/pool.hpp"
#include "adapters/aio/task_group.hpp"
#include "config/control_files.hpp"
#include "kbrepo/shelf.hpp"

namespace kb::daemon {

struct RepoState {
  RepoId id;
  std::string fault;   ///< why it is not fresh, with the fix; empty: fine
  std::string commit;  ///< hex; empty: no snapshot yet
  std::size_t pages = 0;
  std::optional<TimePoint> checked_at;  ///< last time the ref was looked at with success
};
/// Of one repository, until the next change; null: none of ours.
using RepoStateOf = std::function<RepoState const*(RepoId const&)>;

/// Loop thread only.
class Library {
 public:
  Library(aio::Executor ex, aio::Pool& git, Clock const& clock);

  /// Opens what is on disk, without the network. Returns when every repository has been tried once.
  aio::Task<> open(std::shared_ptr<config::Books const> books);
  /// Follows the repositories of these books from now on; what is gone from them goes.
  void follow(std::shared_ptr<config::Books const> books);
  /// Makes work in progress end soon; nothing is refreshed from now on.
  void give_up() noexcept { stop_.request_stop(); }
  /// Ends following; fetches in progress are given up.
  aio::Task<> stop();

  [[nodiscard]] std::shared_ptr<kbrepo::Snapshots const> snapshots() const noexcept { return snapshots_; }
  [[nodiscard]] std::vector<RepoState> states() const;  ///< by id
  [[nodiscard]] RepoState const* state(RepoId const& id) const;

 private:
  struct Attempt;
  aio::Task<> keep_fresh(std::shared_ptr<config::Books const> books, RepoId id);
  aio::Task<> refresh(std::shared_ptr<config::Books const> books, RepoId id, bool fetch);
  void assign(RepoId const& id, kbrepo::SnapshotPtr snapshot);

  aio::Executor ex_;
  aio::Pool& git_;
  Clock const& clock_;
  std::shared_ptr<kbrepo::Snapshots const> snapshots_ = std::make_shared<kbrepo::Snapshots const>();
  config::RoomyMap<RepoId, RepoState> states_;
  std::stop_source stop_;
  std::unique_ptr<aio::TaskGroup> followers_;
  std::vector<std::unique_ptr<aio::TaskGroup>> leaving_;  ///< cancelled groups that still wait for a job
};

}  // namespace kb::daemon
