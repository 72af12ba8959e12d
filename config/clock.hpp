/// The time seam: everything that needs "now" gets a Clock from its maker.
#pragma once

#include <chrono>
#include <string>

namespace kb {

using TimePoint = std::chrono::system_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
  [[nodiscard]] virtual std::chrono::steady_clock::time_point steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override;
};

/// `YYYY-MM-DD HH:MM:SS` in UTC+8, whatever the machine's zone (the form of log.md and the control files).
[[nodiscard]] std::string utc8(TimePoint time);
/// `YYYY-MM-DDTHH:MM:SSZ`.
[[nodiscard]] std::string iso8601(TimePoint time);

}  // namespace kb
