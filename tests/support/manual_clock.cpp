#include "tests/support/manual_clock.hpp"

#include "adapters/aio/wait.hpp"

namespace kb::test {

TimePoint ManualClock::now() const { return TimePoint(std::chrono::seconds(1767225600)) + since_start_; }

std::chrono::steady_clock::time_point ManualClock::steady() const {
  return std::chrono::steady_clock::time_point(std::chrono::hours(1)) + since_start_;
}

void ManualClock::advance(std::chrono::milliseconds by) { since_start_ += by; }

aio::Task<bool> ManualClock::pass(aio::Executor ex, std::chrono::milliseconds time) {
  passed.push_back(time);
  advance(time);
  bool const over = co_await aio::sleep_for(ex, std::chrono::milliseconds(0));
  co_return over;
}

}  // namespace kb::test
