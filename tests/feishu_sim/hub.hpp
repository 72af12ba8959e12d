/// The long connections: who is connected, pings, and what is written to whom.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/outbox.hpp"
#include "adapters/aio/task.hpp"
#include "tests/feishu_sim/frames.hpp"
#include "tests/feishu_sim/network.hpp"
#include "tests/feishu_sim/world.hpp"

namespace kb::feishu_sim {

class Hub {
 public:
  struct Hooks {
    std::function<void()> on_open;
    std::function<void(int connection)> on_lost;
    /// A data frame from a client: an acknowledgement.
    std::function<void(int connection, Frame const& frame, std::string const& bytes)> on_data;
  };
  Hub(aio::Executor ex, World& world, Network& network, Hooks hooks);
  ~Hub();

  /// The ticket of a new connection URL.
  [[nodiscard]] std::string new_url(std::string const& scheme, std::string const& host);
  /// Whether a handshake is refused, and how.
  [[nodiscard]] std::optional<aio::HttpResponse> refuse(aio::HttpRequest const& request);
  aio::Task<> serve(std::unique_ptr<aio::Link> link, aio::HttpRequest request);
  void stop();

  /// Open connections; `which`: "all", "random" (the default: one of them, as in cluster mode) or a number.
  [[nodiscard]] std::vector<int> pick(Json const& which);
  /// False: no such connection is open. `text`: as a text message, which the platform never sends.
  bool send(int connection, std::string bytes, bool text = false);
  [[nodiscard]] bool open(int connection) const;

  // The control API.
  Json drop(Json const& how);
  Json pong(Json const& how);
  Json fail_handshakes(Json const& how);
  [[nodiscard]] Json connections(bool only_open) const;
  void reset();

 private:
  struct Connection;
  struct Ticket {
    std::string device_id, access_key;
  };
  [[nodiscard]] Connection* find(int id) const;
  [[nodiscard]] std::vector<Connection*> live() const;
  aio::Task<> read_loop(Connection& connection);
  aio::Task<> write_loop(Connection& connection);
  void hear(Connection& connection, std::string const& bytes, bool binary);
  void hear_ping(Connection& connection, Frame const& frame, std::string const& bytes);
  void send_pong(int connection);

  aio::Executor ex_;
  World& world_;
  Network& network_;
  Hooks hooks_;
  std::map<std::string, Ticket> tickets_;
  std::list<std::unique_ptr<Connection>> connections_;  ///< all there were
  int last_ = 0;
  bool stopped_ = false;
  Json handshake_faults_ = Json::array();
  Json pong_;
};

}  // namespace kb::feishu_sim
