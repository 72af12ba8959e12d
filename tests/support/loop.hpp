/// An event loop that a test turns by hand, never for a fixed time: until something holds, or for a bound that fails.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "adapters/aio/task.hpp"

namespace kb::test {

class Loop {
 public:
  static constexpr std::chrono::seconds kBound{5};

  Loop();
  ~Loop();  ///< cancels what is left and turns until it has ended

  [[nodiscard]] aio::Executor executor();
  void spawn(aio::Task<> task);
  void cancel();  ///< cancels every task

  /// Turns until `holds` does. False: not within the bound.
  [[nodiscard]] bool until(std::function<bool()> const& holds, std::chrono::seconds bound = kBound);
  /// Turns until every task has ended.
  [[nodiscard]] bool finishes(std::chrono::seconds bound = kBound);
  /// Runs what is ready now and returns: for "and then nothing happens".
  void settle();

  /// Turns until the task has its value; throws when it takes longer than the bound.
  template <class T>
  T get(aio::Task<T> task) {
    std::optional<T> value;
    spawn(keep(std::move(task), value));
    bool const settled = until([&] { return value.has_value() || !faults().empty(); });
    if (!settled || !value) {
      cancel();  // the task refers to what the caller is about to lose
      (void)finishes();
      throw std::runtime_error(settled ? faults().front() : "no value within the bound");
    }
    return std::move(*value);
  }

  /// What tasks ended with, when they threw.
  [[nodiscard]] std::vector<std::string> const& faults() const noexcept;

 private:
  template <class T>
  static aio::Task<> keep(aio::Task<T> task, std::optional<T>& value) {
    value.emplace(co_await std::move(task));
  }

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kb::test
