/// A condition one coroutine waits for and another announces. Loop thread only.
#pragma once

#include <cstdint>
#include <memory>

#include "adapters/aio/task.hpp"

namespace kb::aio {

/// Nothing is remembered: notify() wakes those who wait now. So wait in a loop on the condition itself:
///   while (queue.empty()) { bool const go_on = co_await changed.wait(); if (!go_on) co_return; }
class Signal {
 public:
  explicit Signal(Executor ex);
  ~Signal();
  Signal(Signal const&) = delete;
  Signal& operator=(Signal const&) = delete;

  /// True: notified. False: the waiting task was cancelled, now or before. Must not outlive the Signal.
  [[nodiscard]] Task<bool> wait();
  /// As wait(), but goes on waiting in a cancelled task: for clean-up that must see the end. May wake for nothing.
  Task<> wait_through();
  /// Wakes all who wait now.
  void notify();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kb::aio
