#include "daemon/library.hpp"

#include <algorithm>
#include <chrono>

#include "adapters/aio/wait.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

/// How often a ref on disk is looked at: pushes into a local repository and `kbgate sync` show within it.
constexpr std::chrono::seconds kLookEvery{2};
constexpr std::chrono::seconds kProgressEvery{2};

/// Long work shows in the service log: a first index of a large repository, a clone.
kbrepo::Progress logged_progress(RepoId const& id) {
  auto last = std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now());
  return [id, last](std::string_view step, double done) {
    auto const now = std::chrono::steady_clock::now();
    if (now - *last < kProgressEvery) return;
    *last = now;
    log::write(log::Level::info, "repository.progress",
               {{"owner", id.owner}, {"repo", id.repo}, {"step", step}, {"done", done}});
  };
}

}  // namespace

/// What one look on the git pool brought.
struct Library::Attempt {
  kbrepo::SnapshotPtr snapshot;  ///< null: unchanged
  std::optional<Error> error;
};

Library::Library(aio::Executor ex, aio::Pool& git, Clock const& clock) : ex_(std::move(ex)), git_(git), clock_(clock) {}

aio::Task<> Library::open(std::shared_ptr<config::Books const> books) {
  for (config::RepoSettings const& repo : books->settings.repos) {
    if (stop_.stop_requested()) co_return;
    RepoId id = repo.id;
    bool const look = !repo.dir.empty();  // no network is in its way
    co_await refresh(books, std::move(id), look);
  }
}

void Library::follow(std::shared_ptr<config::Books const> books) {
  if (followers_) {
    followers_->cancel();
    leaving_.push_back(std::move(followers_));
  }
  // Groups whose tasks have ended by now can go.
  std::erase_if(leaving_, [](auto const& group) { return group->size() == 0; });
  auto const configured = [&](RepoId const& id) { return books->settings.find(id) != nullptr; };
  auto kept = std::make_shared<kbrepo::Snapshots>(*snapshots_);
  boost::unordered::erase_if(*kept, [&](auto const& entry) { return !configured(entry.first); });
  snapshots_ = std::move(kept);
  boost::unordered::erase_if(states_, [&](auto const& entry) { return !configured(entry.first); });
  followers_ = std::make_unique<aio::TaskGroup>(ex_, aio::log_faults());
  for (config::RepoSettings const& repo : books->settings.repos) {
    followers_->spawn("library " + repo.id.str(), keep_fresh(books, repo.id));
  }
}

aio::Task<> Library::stop() {
  stop_.request_stop();
  if (followers_) leaving_.push_back(std::move(followers_));
  for (auto const& group : leaving_) {
    group->cancel();
    co_await group->join();
  }
  leaving_.clear();
}

std::vector<RepoState> Library::states() const {
  std::vector<RepoState> out;
  for (RepoState const* state : states_.in_order()) out.push_back(*state);
  return out;
}

RepoState const* Library::state(RepoId const& id) const {
  auto const at = states_.find(id);
  return at == states_.end() ? nullptr : &at->second;
}

aio::Task<> Library::keep_fresh(std::shared_ptr<config::Books const> books, RepoId id) {
  config::RepoSettings const* const repo = books->settings.find(id);
  auto next_fetch = clock_.steady();
  for (;;) {
    bool const due = !repo->remote.empty() && clock_.steady() >= next_fetch;
    bool const fetch = due || !repo->dir.empty();  // looking at a directory costs a stat() a file
    if (due) next_fetch = clock_.steady() + repo->sync;
    co_await refresh(books, id, fetch);
    bool const go_on = co_await aio::sleep_for(ex_, kLookEvery);
    if (!go_on) co_return;
  }
}

aio::Task<> Library::refresh(std::shared_ptr<config::Books const> books, RepoId id, bool fetch) {
  config::RepoSettings const* const repo = books->settings.find(id);
  auto const before = snapshots_->find(id);
  kbrepo::SnapshotPtr const previous = before == snapshots_->end() ? nullptr : before->second;
  kbrepo::SnapshotOptions options;
  options.max_page_bytes = books->settings.limits.max_page_bytes;
  options.index_file = kbrepo::index_file(books->settings, id);
  options.stop = stop_.get_token();
  options.progress = logged_progress(id);
  Attempt attempt;
  auto look = [&] {
    Result<kbrepo::Mirror> mirror =
        fetch ? kbrepo::Mirror::open(*repo, options.stop, options.progress) : kbrepo::Mirror::open_local(*repo);
    if (!mirror) {
      attempt.error = mirror.error();
      return;
    }
    if (fetch) {
      Result<kbrepo::FetchReport> const fetched = mirror->fetch(options.stop, options.progress);
      if (!fetched) attempt.error = fetched.error();  // the commit on disk still serves
    }
    Result<kbrepo::CommitId> const head = mirror->head();
    if (!head) {
      attempt.error = head.error();
      return;
    }
    if (previous && previous->commit() == *head) return;
    Result<kbrepo::SnapshotPtr> built = kbrepo::Snapshot::build(*repo, *head, previous, options);
    if (built) {
      attempt.snapshot = *built;
    } else {
      attempt.error = built.error();
    }
  };
  co_await git_.run(look);

  if (stop_.stop_requested()) co_return;
  RepoState& state = states_[id];
  state.id = id;
  if (attempt.snapshot) assign(id, attempt.snapshot);
  std::string const fault = attempt.error ? attempt.error->what : std::string();
  // A failing thing warns when it starts and when it ends, not each time. A look without a fetch does not clear a
  // failed fetch.
  bool const settled = fetch || repo->remote.empty() || attempt.error;
  if (fault.empty() && !settled) co_return;
  if (!fault.empty() && state.fault.empty()) {
    log::write(log::Level::warn, "repository.failing", {{"owner", id.owner}, {"repo", id.repo}, {"reason", fault}});
  }
  if (fault.empty() && !state.fault.empty()) {
    log::write(log::Level::warn, "repository.recovered", {{"owner", id.owner}, {"repo", id.repo}});
  }
  state.fault = fault;
  if (fault.empty()) state.checked_at = clock_.now();
}

void Library::assign(RepoId const& id, kbrepo::SnapshotPtr snapshot) {
  RepoState& state = states_[id];
  state.commit = snapshot->commit().hex();
  state.pages = snapshot->stats().pages;
  log::write(log::Level::info, "repository.snapshot",
             {{"owner", id.owner},
              {"repo", id.repo},
              {"commit", state.commit},
              {"pages", state.pages},
              {"analysed", snapshot->stats().analysed},
              {"seconds", snapshot->stats().seconds}});
  auto next = std::make_shared<kbrepo::Snapshots>(*snapshots_);
  (*next)[id] = std::move(snapshot);
  snapshots_ = std::move(next);
}

}  // namespace kb::daemon
