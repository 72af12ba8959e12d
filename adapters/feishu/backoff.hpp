/// How long to pause between tries that fail.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace kb::feishu {

/// Each pause is up to twice as long as the one before. It is drawn between half of that and all of it, so that those
/// who failed together do not come back together.
class Backoff {
 public:
  using Pause = std::chrono::milliseconds;
  /// `seed` of what is drawn; 0: another each time.
  explicit Backoff(Pause first, std::uint64_t seed = 0);

  [[nodiscard]] Pause next(Pause longest);
  [[nodiscard]] Pause between(Pause least, Pause most);
  /// It worked: the next pause is a first one.
  void reset() noexcept { grown_ = Pause::zero(); }

 private:
  Pause first_;
  Pause grown_{};  ///< before it is drawn; zero: none yet
  std::minstd_rand random_;
};

}  // namespace kb::feishu
