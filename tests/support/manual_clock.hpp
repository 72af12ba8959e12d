/// Time that passes when a test says so.
#pragma once

#include <chrono>
#include <vector>

#include "adapters/aio/task.hpp"
#include "config/clock.hpp"

namespace kb::test {

class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override;
  void advance(std::chrono::milliseconds by);

  /// Stands in for a sleep: the time is over at once, and others get their turn.
  aio::Task<bool> pass(aio::Executor ex, std::chrono::milliseconds time);
  std::vector<std::chrono::milliseconds> passed;  ///< what was slept so

 private:
  std::chrono::milliseconds since_start_{};
};

}  // namespace kb::test
