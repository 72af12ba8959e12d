/// The simulator's own clock. It follows the machine's, and a test can push it ahead: hours of the platform's patience
/// then pass at once. Loop thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

#include "adapters/aio/signal.hpp"
#include "adapters/aio/task.hpp"

namespace kb::feishu_sim {

using Millis = std::chrono::milliseconds;

class Timeline {
 public:
  explicit Timeline(aio::Executor ex);

  /// Since 1970, plus what advance() has added.
  [[nodiscard]] Millis now() const;
  /// Calls `what` once `after` is over. The number it gives is for forget() and never 0.
  std::uint64_t in(Millis after, std::function<void()> what);
  void forget(std::uint64_t timer);
  /// Pushes the clock. What is due by then happens before this returns, all of it at the new time: what it starts has
  /// its whole time still to come.
  void advance(Millis by);

  /// Calls what is due, until stop().
  aio::Task<> run();
  void stop();

 private:
  struct Timer {
    Millis due;
    std::function<void()> what;
  };
  void settle();
  [[nodiscard]] std::map<std::uint64_t, Timer>::iterator first();

  aio::Executor ex_;
  aio::Signal changed_;
  Millis ahead_{0};
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Timer> timers_;  ///< few at a time
  bool stopped_ = false;
};

}  // namespace kb::feishu_sim
