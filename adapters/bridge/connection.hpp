/// One peer of the bridge: reads and hands on, writes what is queued, ends in order.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "adapters/aio/link.hpp"
#include "adapters/aio/outbox.hpp"
#include "adapters/aio/task.hpp"

namespace kb::bridge {

struct ConnectionLimits {
  std::size_t outbox;               ///< messages waiting; one more closes the connection with 1008
  std::chrono::milliseconds write;  ///< one write
  std::chrono::milliseconds grace;  ///< the close handshake
};

/// Loop thread only. Silence of the peer is the link's business (ServerLimits::idle).
class Connection {
 public:
  struct Hooks {
    /// A message came. Awaited: while it waits, nothing is read.
    std::function<aio::Task<>(std::string)> handle;
    /// A tagged message has been written.
    std::function<void(std::string const& tag)> sent;
    /// Nothing will be handled any more: wakes a handle() that waits for room. Once or more.
    std::function<void()> leaving;
  };

  Connection(aio::Executor ex, std::unique_ptr<aio::Link> link, Hooks hooks, ConnectionLimits limits);

  /// Returns when the link has ended, whoever ended it. Throws what a hook threw.
  aio::Task<> run();
  /// Queues. False: ending, or the peer reads so slowly that this one is over the limit, which ends it.
  [[nodiscard]] bool say(aio::Outgoing message);
  /// What is queued goes out, then the close frame. The first reason given stands.
  void stop(unsigned short code, std::string reason);
  [[nodiscard]] bool leaving() const noexcept { return leaving_; }

 private:
  aio::Task<> read_loop();
  aio::Task<> write_loop();
  void leave();

  aio::Executor ex_;
  std::unique_ptr<aio::Link> link_;
  Hooks hooks_;
  ConnectionLimits limits_;
  aio::Outbox outbox_;
  bool leaving_ = false;
};

}  // namespace kb::bridge
