#include "daemon/publish.hpp"

#include <future>
#include <memory>
#include <ostream>

namespace kb::daemon {
namespace {

Result<void> mark(logging::Journal& journal, std::vector<std::int64_t> rows) {
  std::promise<Result<void>> done;
  std::future<Result<void>> marked = done.get_future();
  journal.mark_published(std::move(rows), [&done](Result<void> result) { done.set_value(std::move(result)); });
  return marked.get();
}

}  // namespace

Result<PublishStep> publish_waiting(logging::Journal const& journal, config::RepoSettings const& repo, TimePoint now,
                                    std::size_t limit) {
  Result<std::vector<logging::PendingRecord>> const waiting = journal.unpublished(repo.id, limit);
  if (!waiting) return waiting.error();
  PublishStep step;
  if (waiting->empty()) return step;
  std::vector<logging::QueryRecord> records;
  for (logging::PendingRecord const& pending : *waiting) {
    step.rows.push_back(pending.row);
    records.push_back(pending.record);
  }
  if (repo.query_log == config::QueryLogMode::local) return step;  // the journal is the log
  Result<kbrepo::Mirror> const mirror = kbrepo::Mirror::open_local(repo);
  if (!mirror) return mirror.error();
  Result<logging::Published> const published = logging::publish(*mirror, records, now);
  if (!published) return published.error();
  step.published = *published;
  return step;
}

Result<void> log_now(config::Settings const& settings, std::vector<logging::QueryRecord> records, std::ostream& err) {
  Result<std::unique_ptr<logging::Journal>> const journal = logging::Journal::open(settings.state_dir);
  if (!journal) return journal.error();
  std::promise<Result<std::vector<logging::QueryRecord>>> done;
  auto added = done.get_future();
  (*journal)->add_records(std::move(records), [&done](Result<std::vector<logging::QueryRecord>> result) {
    done.set_value(std::move(result));
  });
  Result<std::vector<logging::QueryRecord>> const stored = added.get();
  if (!stored) return stored.error();
  for (logging::QueryRecord const& record : *stored) {
    config::RepoSettings const* repo = settings.find(record.repo);
    if (repo == nullptr) continue;
    Result<PublishStep> step = publish_waiting(**journal, *repo, SystemClock().now());
    Result<void> marked = Error(Errc::unavailable, "");
    if (step) marked = mark(**journal, std::move(step->rows));
    if (!step) err << "warning: " << record.repo << ": the query log waits: " << step.error().what << '\n';
    if (step && !marked) err << "warning: " << record.repo << ": " << marked.error().what << '\n';
  }
  return {};
}

}  // namespace kb::daemon
