/// The journal for coroutines: each change returns when it is on disk.
#pragma once

#include <vector>

#include "adapters/aio/task.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {

/// Loop thread only. Waits through cancellation: a change that was handed in is seen to its end.
class Durable {
 public:
  Durable(aio::Executor ex, logging::Journal& journal);

  aio::Task<Result<logging::Admitted>> admit(scope::InboundMessage message, TimePoint now);
  aio::Task<Result<void>> settle(logging::Settlement settlement, TimePoint now);
  aio::Task<Result<void>> mark_published(std::vector<std::int64_t> rows);
  aio::Task<Result<void>> add_feedback(logging::Feedback feedback);
  aio::Task<Result<std::size_t>> expire(TimePoint now, std::chrono::hours keep);
  aio::Task<Result<std::string>> claim(std::string key, std::string value, TimePoint now);
  aio::Task<Result<logging::SendingRow>> begin_sending(logging::SendingRow row);
  aio::Task<Result<void>> sent(logging::SendingRow row);
  aio::Task<Result<void>> refused(logging::SendingRow row);
  aio::Task<Result<void>> delivered(std::string key, TimePoint now);
  aio::Task<Result<void>> give_up(std::string key, std::string reason, TimePoint now);
  /// Nobody waits for it: lost with a crash, it only makes the reply be offered again.
  void mark_delivered(std::string key, TimePoint now);

  [[nodiscard]] logging::Journal const& journal() const noexcept { return journal_; }

 private:
  aio::Executor ex_;
  logging::Journal& journal_;
};

}  // namespace kb::daemon
