/// One long connection of an app: discovery, WebSocket, pings, fragments, acknowledgements, and back again for ever.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "adapters/aio/http_client.hpp"
#include "adapters/aio/task.hpp"
#include "config/clock.hpp"
#include "config/result.hpp"

namespace kb::feishu {

struct App {
  std::string domain;  ///< https://open.feishu.cn
  std::string id;
  std::string secret;
};

/// What an event's handler wants the server to hear.
struct EventAnswer {
  int code = 200;    ///< 500: not taken, send it again
  std::string data;  ///< JSON answer to a card callback; empty: none
};

/// For /readyz, `doctor` and the log. No secret in it.
struct ConnectionState {
  enum class Phase { idle, discovering, connecting, open, waiting };
  Phase phase = Phase::idle;
  std::string fault;      ///< why it is not open; empty when open
  bool refused = false;   ///< the app itself was refused (secret, disabled, too many connections): somebody must act
  std::string device_id;  ///< the server's name for the connection
  std::uint64_t connects = 0, events = 0, acks = 0, dropped_frames = 0;
  TimePoint last_heard{};  ///< anything from the server
};

struct ConnectionLimits {
  std::chrono::milliseconds discovery{15'000}, handshake{15'000}, write{10'000};
  std::chrono::milliseconds websocket_ping{20'000};  ///< in silence; a link without a pong for twice that long is cut
  std::chrono::milliseconds shortest_ping{10'000}, longest_ping{300'000};  ///< bounds on the server's PingInterval
  std::chrono::milliseconds least_silence{90'000};  ///< nothing for this and for two ping intervals: the link is cut
  /// Pauses: the first after a loss is random, at most this and the server's ReconnectNonce; then they grow from
  /// `first_pause` to the server's ReconnectInterval, at most `longest_pause`. They start anew after a good connection.
  std::chrono::milliseconds first_try{5'000}, first_pause{1'000}, longest_pause{600'000};
  std::chrono::milliseconds good_connection{60'000};
  std::chrono::milliseconds refused_retry{180'000};     ///< after a refusal that waiting does not mend
  std::chrono::milliseconds farewell{400}, close{400};  ///< stop(): for events in hand; then for the peer's close frame
  std::chrono::milliseconds fragment_life{10'000};
  std::size_t max_message_bytes = 4 * 1024 * 1024;
  std::size_t max_fragments = 64, max_open_sets = 64, max_set_bytes = 8 * 1024 * 1024;
  std::size_t events_at_once = 64;  ///< the reader waits when so many are in hand
  std::uint64_t seed = 0;           ///< of the jitter; 0: another each time
};

class Connection {
 public:
  /// `type` is the frame's (event | card). Must return within 3 s, when the event is durable. A throw is a 500.
  using OnEvent = std::function<aio::Task<EventAnswer>(std::string type, std::string payload)>;

  Connection(aio::Executor ex, aio::HttpClient& http, std::shared_ptr<aio::TlsContext> tls, App app,
             ConnectionLimits limits, OnEvent on_event);
  ~Connection();

  /// Runs until stop(): no failure ends it.
  aio::Task<> run();
  /// Stops reading, lets events in hand be acknowledged, closes with 1000. run() returns soon after, from any state.
  void stop();
  [[nodiscard]] ConnectionState const& state() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kb::feishu
