#include "daemon/rate_limit.hpp"

namespace kb::daemon {
namespace {

constexpr std::chrono::minutes kWindow{1};
constexpr std::size_t kManyPeople = 10'000;

}  // namespace

bool RateLimit::admit(std::string const& who, unsigned per_minute, Time now) {
  if (per_minute == 0) return true;
  if (asked_.size() >= kManyPeople) forget_idle(now);
  std::deque<Time>& times = asked_[who];
  while (!times.empty() && now - times.front() >= kWindow) times.pop_front();
  if (times.size() >= per_minute) return false;
  times.push_back(now);
  return true;
}

void RateLimit::forget_idle(Time now) {
  std::erase_if(asked_,
                [&](auto const& entry) { return entry.second.empty() || now - entry.second.back() >= kWindow; });
}

}  // namespace kb::daemon
