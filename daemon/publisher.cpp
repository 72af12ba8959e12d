#include "daemon/publisher.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "adapters/aio/wait.hpp"
#include "daemon/publish.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

constexpr std::chrono::milliseconds kEvery{1'000};
constexpr std::chrono::milliseconds kLongestPause{60'000};

}  // namespace

Publisher::Publisher(aio::Executor ex, aio::Pool& git, Durable& durable, Clock const& clock, BooksNow books)
    : ex_(std::move(ex)), git_(git), durable_(durable), clock_(clock), books_(std::move(books)) {}

aio::Task<> Publisher::run() {
  std::chrono::milliseconds pause = kEvery;
  for (;;) {
    bool const go_on = co_await aio::sleep_for(ex_, pause);
    if (!go_on) co_return;
    co_await publish_all();
    pause = failing_ ? std::min(pause * 2, kLongestPause) : kEvery;
  }
}

aio::Task<> Publisher::publish_all() {
  auto const books = books_();
  struct Done {
    RepoId repo;
    Result<PublishStep> step;
  };
  std::vector<Done> done;
  std::optional<Error> unreadable;
  TimePoint const now = clock_.now();
  auto job = [&] {
    Result<std::vector<RepoId>> const waiting = durable_.journal().repos_with_unpublished();
    if (!waiting) {
      unreadable = waiting.error();
      return;
    }
    for (RepoId const& id : *waiting) {
      config::RepoSettings const* repo = books->settings.find(id);
      if (repo == nullptr) continue;  // taken out of the settings: its records wait for its return
      done.push_back({id, publish_waiting(durable_.journal(), *repo, now)});
    }
  };
  co_await git_.run(job);

  bool failing = unreadable.has_value();
  std::string reason = unreadable ? unreadable->what : std::string();
  for (Done& one : done) {
    if (!one.step) {
      failing = true;
      reason = one.repo.str() + ": " + one.step.error().what;
      continue;
    }
    if (one.step->rows.empty()) continue;
    std::vector<std::int64_t> rows = std::move(one.step->rows);
    Result<void> const marked = co_await durable_.mark_published(std::move(rows));
    if (!marked) {
      failing = true;  // published again next time; the log knows the records by their ids
      reason = marked.error().what;
    }
  }
  if (failing && !failing_) log::write(log::Level::warn, "query_log.failing", {{"reason", reason}});
  if (!failing && failing_) log::write(log::Level::warn, "query_log.recovered");
  failing_ = failing;
}

}  // namespace kb::daemon
