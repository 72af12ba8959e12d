/// What the platform says before a connection stands: where to connect, how to behave, or why not. Pure; no network.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/feishu/connection.hpp"

namespace kb::feishu {

/// What the server may tune; defaults as in official clients. Its wish for a last attempt (ReconnectCount) is not
/// honoured: we never give up.
struct Tuning {
  std::chrono::milliseconds ping{120'000};       ///< PingInterval
  std::chrono::milliseconds reconnect{120'000};  ///< ReconnectInterval
  std::chrono::milliseconds nonce{30'000};       ///< ReconnectNonce: within this the first try after a loss comes
};

/// Takes over the members of a ClientConfig that are there and sane, within our limits, and keeps the rest. What is no
/// JSON object changes nothing. An official client that took a missing interval for nothing sent thousands of pings.
void tune(Tuning& tuning, std::string_view client_config, ConnectionLimits const& limits);

/// Why there is no connection.
struct Trouble {
  std::string what;                  ///< no secret in it
  bool refused = false;              ///< the app itself: waiting does not mend it
  std::chrono::milliseconds wait{};  ///< the server asked for at least this
};

struct Endpoint {
  std::string url;  ///< holds secrets: never to be logged
  std::string device_id;
  std::int32_t service = 0;
  std::vector<std::string> secrets;  ///< of the URL
};

struct Discovery {
  std::optional<Endpoint> endpoint;
  Trouble trouble;  ///< when there is no endpoint
};

[[nodiscard]] aio::HttpCall discovery_call(App const& app, std::chrono::milliseconds limit);
/// Reads the answer; a ClientConfig in it goes into `tuning`.
[[nodiscard]] Discovery read_discovery(aio::HttpResponse const& response, App const& app, Tuning& tuning,
                                       ConnectionLimits const& limits);
/// A handshake that did not give a link.
[[nodiscard]] Trouble read_refusal(aio::WsAnswer const& answer);

/// The text with each of `secrets` replaced by "***".
[[nodiscard]] std::string redacted(std::string text, std::vector<std::string> const& secrets);

}  // namespace kb::feishu
