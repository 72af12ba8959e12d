/// What the daemon counts, as Prometheus text. Never a user, chat, repository or question as a label.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/clock.hpp"

namespace kb::daemon {

/// One value as it is at the moment of asking.
struct Gauge {
  std::string_view name;  ///< without kbgate_, with its unit
  std::string_view help;
  double value = 0;
};

/// Loop thread only.
class Metrics {
 public:
  /// A reply became durable. `outcome` is of a closed set; what is not in it counts as other.
  void count_reply(std::string_view outcome);
  /// `route` is one of ours ("/v1/ask"), never what was asked for.
  void count_request(std::string_view route, unsigned status, std::chrono::microseconds took);

  [[nodiscard]] std::string text(std::vector<Gauge> const& gauges) const;

 private:
  static constexpr std::array<double, 10> kBuckets{.0005, .001, .0025, .005, .01, .025, .1, .5, 2.5, 10};
  struct Durations {
    std::array<std::uint64_t, kBuckets.size() + 1> counts{};  ///< the last: beyond all
    double sum = 0;
  };
  std::map<std::string, std::uint64_t, std::less<>> replies_;
  std::map<std::pair<std::string, unsigned>, std::uint64_t> requests_;
  std::map<std::string, Durations, std::less<>> durations_;
};

/// Memory and open files of this process.
[[nodiscard]] std::vector<Gauge> process_gauges();

}  // namespace kb::daemon
