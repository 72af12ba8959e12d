/// Threads for work that computes or blocks, called from coroutines.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "adapters/aio/task.hpp"

namespace kb::aio {

/// Jobs start in the order of run(). A job sees its arguments and immutable values, nothing of the loop's.
class Pool {
 public:
  explicit Pool(std::size_t threads);
  ~Pool();  ///< joins
  Pool(Pool const&) = delete;
  Pool& operator=(Pool const&) = delete;

  /// Runs `job` on a thread of the pool and resumes the caller on its own executor. An exception of the job is thrown
  /// here. Not cut short by cancellation: the caller's frame outlives the job, so the job may refer to it.
  ///   auto job = [&] { answer = respond(question); };   // named first: gcc 12, STYLE §5
  ///   co_await cpu.run(job);
  Task<> run(std::function<void()> job);

  /// Runs what is queued, then ends the threads. Callers must be waiting no more, or their loop still turns after it.
  void join();
  /// Jobs running or queued. Any thread.
  [[nodiscard]] std::size_t pending() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kb::aio
