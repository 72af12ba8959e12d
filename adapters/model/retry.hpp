/// When a server that did not answer a call is worth asking again.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "adapters/aio/http.hpp"

namespace kb::model {

/// Seconds of a Retry-After header, up to an hour; nothing for a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(aio::HttpResponse const& response);

/// The same call may get another answer: the server is busy or at fault, not the call.
[[nodiscard]] bool can_help_to_repeat(unsigned status) noexcept;

/// After three calls in a row without an answer the server is left alone for thirty seconds.
class Rest {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `event` names it in the log.
  explicit Rest(std::string_view event) noexcept : event_(event) {}
  [[nodiscard]] bool lasts(Time now) const noexcept { return now < until_; }
  void note(bool worked, Time now);

 private:
  std::string_view event_;
  int faults_ = 0;  ///< in a row
  Time until_{};
};

}  // namespace kb::model
