/// The wire between client and platform, where a test can break it: a relay on loopback in front of the HTTP server.
/// TCP is forwarded byte by byte, so that TLS and WebSocket above it are whatever the two ends make of them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "adapters/aio/task.hpp"
#include "adapters/aio/task_group.hpp"
#include "config/result.hpp"

namespace kb::feishu_sim {

/// A connection is named by the address the server sees as its peer: each comes from its own address in 127.0.0.0/8.
/// Unknown names are passed over. Loop thread only.
class Network {
 public:
  explicit Network(aio::Executor ex);
  ~Network();

  /// `server_port`: where the server listens on 127.0.0.1.
  [[nodiscard]] Result<std::uint16_t> listen(std::string const& address, std::uint16_t port, std::uint16_t server_port);
  /// Forwards until stop(), which cuts every connection.
  aio::Task<> run();
  void stop();

  /// Ends the connection: with a reset, or with an ordinary end.
  void cut(std::string const& peer, bool reset);
  /// Nothing passes any more, in either direction, and neither side is told. thaw() lets pass what was held.
  void freeze(std::string const& peer);
  void thaw(std::string const& peer);

 private:
  struct Cable;
  [[nodiscard]] Cable* find(std::string const& peer);
  aio::Task<> forward(std::shared_ptr<Cable> cable);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kb::feishu_sim
