/// The open platform on loopback, for tests and for trying the adapter without a tenant: token, discovery, the long
/// connection, messages, reactions, chats, users and cards, and a control API that scripts and breaks all of it.
///
/// In a test:
///   feishu_sim::Simulator platform(loop.executor(), options);
///   auto const port = platform.listen("127.0.0.1", 0);      // App::domain = platform.base()
///   loop.spawn(platform.run());
///   platform.act("say", R"({"text":"…"})");                  // what POST /_sim/say does
///   loop.until([&] { return platform.count("messages") == 1; });
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::aio {
class TlsContext;
}

namespace kb::feishu_sim {

struct SimulatorOptions {
  std::string app_id = "cli_a1b2c3d4e5f60718", app_secret = "sim-app-secret";
  std::string tenant_key = "1a2b3c4d5e6f7081";
  std::string bot_open_id = "ou_b0700000000000000000000000000b07", bot_name = "KnowledgeBot";
  std::vector<std::string> scopes{"im:message.p2p_msg:readonly", "im:message.group_at_msg:readonly",
                                  "im:message:send_as_bot", "im:message.reactions:write_only"};  ///< granted
  std::filesystem::path events_dir;  ///< sample events that `event` can name; empty: none

  std::int32_t service_id = 33554678;
  int reconnect_count = -1, reconnect_interval = 120, reconnect_nonce = 30, ping_interval = 120;  ///< ClientConfig
  std::size_t connections = 50;
  std::chrono::milliseconds ack_timeout{3000};
  /// Each after the attempt before it.
  std::vector<std::chrono::milliseconds> redeliver{std::chrono::seconds(15), std::chrono::minutes(5),
                                                   std::chrono::hours(1), std::chrono::hours(6)};

  std::chrono::seconds token_life{7200};
  unsigned token_error_status = 200;  ///< of a token request that is refused
  std::chrono::milliseconds uuid_life{std::chrono::hours(1)};

  std::chrono::milliseconds stream_life{std::chrono::minutes(10)};  ///< of a card's streaming

  bool rate_limits = true;
  std::size_t per_chat_second = 5, per_api_second = 50, per_api_minute = 1000;
  std::size_t text_bytes = 150 * 1024, card_bytes = 30 * 1024, card_tables = 5, card_elements = 200;

  bool verbose = false;    ///< each request, frame and violation on the service log at debug
  std::uint64_t seed = 0;  ///< of ids and of the choice of a connection; 0: another one each time
};

/// Loop thread only.
class Simulator {
 public:
  Simulator(aio::Executor ex, SimulatorOptions options);
  ~Simulator();

  /// Speaks TLS with a server's context: https, and wss in what discovery gives. Before listen().
  void use_tls(std::shared_ptr<aio::TlsContext> tls);
  /// Port 0 picks a free one. unavailable, invalid_input: the address.
  [[nodiscard]] Result<std::uint16_t> listen(std::string const& address, std::uint16_t port);
  /// Serves until stop(), which cuts everything at once.
  aio::Task<> run();
  void stop();
  /// http://127.0.0.1:port, or https.
  [[nodiscard]] std::string base() const;

  /// The control API without HTTP: POST /_sim/`name` with a JSON object. invalid_input says what is wrong with it.
  Result<std::string> act(std::string_view name, std::string_view json = "{}");
  /// GET /_sim/`name`: a JSON array, or an object for `state` and `health`.
  [[nodiscard]] Result<std::string> read(std::string_view name) const;
  /// How many entries a read has that match `filter` ({"dotted.path": value}). Of an unknown name: none.
  [[nodiscard]] std::size_t count(std::string_view name, std::string_view filter = "{}") const;
  /// Pushes the platform's clock: what is due by then (redeliveries, time limits, tokens) happens now.
  void advance(std::chrono::milliseconds by);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kb::feishu_sim
