/// At most N questions of one person in any minute.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <unordered_map>

namespace kb::daemon {

class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Counts this question and says whether it is within `per_minute` (0: no limit). A refused one does not count.
  [[nodiscard]] bool admit(std::string const& who, unsigned per_minute, Time now);
  [[nodiscard]] std::size_t people() const noexcept { return asked_.size(); }  ///< remembered now

 private:
  void forget_idle(Time now);

  std::unordered_map<std::string, std::deque<Time>> asked_;  // bounded: idle entries go once there are kManyPeople
};

}  // namespace kb::daemon
