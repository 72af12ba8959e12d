/// Owned tasks: nobody spawns into the void.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "adapters/aio/task.hpp"

namespace kb::aio {

/// Children run until they end or are cancelled; the owner joins before it destroys the group. In a child, a cancelled
/// await returns an error instead of throwing, so that clean-up can still await (STYLE: cancellation is an answer).
/// Loop thread only.
class TaskGroup {
 public:
  /// Hears the exception a child ended with, by the child's name.
  using Report = std::function<void(std::string const& name, std::exception_ptr fault)>;

  TaskGroup(Executor ex, Report report);
  ~TaskGroup();  ///< asserts that no child is left
  TaskGroup(TaskGroup const&) = delete;
  TaskGroup& operator=(TaskGroup const&) = delete;

  void spawn(std::string name, Task<> body);
  /// Cancels the children there are now.
  void cancel();
  /// Returns when no child is left. Cancels the children when the joining task is cancelled itself.
  Task<> join();
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// A report for groups whose children must not fail: logs the fault as error under "task.failed".
[[nodiscard]] TaskGroup::Report log_faults();

}  // namespace kb::aio
