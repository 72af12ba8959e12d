#include "daemon/publisher.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

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
  for (;;) {
    bool const go_on = co_await aio::sleep_for(ex_, kEvery);
    if (!go_on) co_return;
    co_await publish_all(Urgency::routine);
  }
}

aio::Task<> Publisher::publish_all(Urgency urgency) {
  auto const books = books_();
  struct Attempt {
    RepoId repo;
    Result<PublishStep> step;
  };
  std::vector<Attempt> attempts;
  std::optional<Error> unreadable;
  TimePoint const now = clock_.now();
  auto const steady = clock_.steady();
  std::map<RepoId, Trouble> const troubled = troubled_;  // the job sees values only
  auto job = [&] {
    Result<std::vector<RepoId>> const waiting = durable_.journal().repos_with_unpublished();
    if (!waiting) {
      unreadable = waiting.error();
      return;
    }
    for (RepoId const& id : *waiting) {
      config::RepoSettings const* repo = books->settings.find(id);
      if (repo == nullptr) continue;  // taken out of the settings: its records wait for its return
      auto const trouble = troubled.find(id);
      bool const too_soon = trouble != troubled.end() && steady < trouble->second.retry_at;
      if (too_soon && urgency == Urgency::routine) continue;
      attempts.push_back({id, publish_waiting(durable_.journal(), *repo, now)});
    }
  };
  co_await git_.run(job);

  if (unreadable && !unreadable_) log::write(log::Level::error, "journal.unreadable", {{"reason", unreadable->what}});
  unreadable_ = unreadable.has_value();
  for (Attempt& attempt : attempts) {
    if (attempt.step && !attempt.step->rows.empty()) {
      std::vector<std::int64_t> rows = std::move(attempt.step->rows);
      Result<void> const marked = co_await durable_.mark_published(std::move(rows));
      // Not marked: published again next time; the log knows the records by their ids.
      if (!marked) attempt.step = marked.error();
    }
    settle(attempt.repo, attempt.step ? std::string() : attempt.step.error().what);
  }
}

void Publisher::settle(RepoId const& id, std::string const& fault) {
  auto const trouble = troubled_.find(id);
  if (fault.empty()) {
    if (trouble == troubled_.end()) return;
    troubled_.erase(trouble);
    log::write(log::Level::warn, "query_log.recovered", {{"owner", id.owner}, {"repo", id.repo}});
    return;
  }
  bool const first = trouble == troubled_.end();
  if (first)
    log::write(log::Level::warn, "query_log.failing", {{"owner", id.owner}, {"repo", id.repo}, {"reason", fault}});
  Trouble& t = troubled_[id];
  t.pause = first ? kEvery : std::min(t.pause * 2, kLongestPause);
  t.retry_at = clock_.steady() + t.pause;
}

}  // namespace kb::daemon
