/// What waits to be written to one peer: a bounded queue with one reader. Loop thread only.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>

#include "adapters/aio/signal.hpp"
#include "adapters/aio/task.hpp"

namespace kb::aio {

/// A message and what its sender wants to hear when it is out.
struct Outgoing {
  std::string text;
  std::string tag;  ///< empty: nobody asks
  Outgoing(std::string message, std::string t) : text(std::move(message)), tag(std::move(t)) {}
};

class Outbox {
 public:
  Outbox(Executor ex, std::size_t limit);

  /// False: full or closed, and the message is not taken.
  [[nodiscard]] bool offer(Outgoing message);
  /// The next message. Nothing: closed and empty, or the waiting task was cancelled.
  [[nodiscard]] Task<std::optional<Outgoing>> take();
  /// No more offers; what is queued can still be taken.
  void close();
  /// Throws away what is queued.
  void discard();

  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] std::size_t size() const noexcept { return queue_.size(); }

 private:
  std::size_t limit_;
  bool closed_ = false;
  std::list<Outgoing>
      queue_;  // a list: thousands of idle connections have nothing queued, and an empty deque costs 600 bytes
  Signal changed_;
};

}  // namespace kb::aio
