/// A TCP peer that says exactly what the test tells it to, and no more.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>

#include "adapters/aio/task.hpp"

namespace kb::test {

class RawPeer {
 public:
  /// `window`: at most this much is received unread; 0 leaves it to the system.
  explicit RawPeer(aio::Executor ex, int window = 0);

  /// Connects to 127.0.0.1; throws when it cannot.
  aio::Task<> connect(std::uint16_t port);
  aio::Task<> send(std::string bytes);
  /// What came until `mark` was there, or the end. What follows the mark is kept for the next call.
  aio::Task<std::string> until(std::string mark);
  /// All that comes until the end.
  aio::Task<std::string> rest();
  void close();
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  aio::asio::basic_stream_socket<aio::asio::ip::tcp, aio::Executor> socket_;
  std::string kept_;
  bool ended_ = false;
};

}  // namespace kb::test
