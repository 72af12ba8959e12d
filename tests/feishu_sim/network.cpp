#include "tests/feishu_sim/network.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "adapters/aio/signal.hpp"

namespace kb::feishu_sim {
namespace {

namespace asio = aio::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Socket = asio::basic_stream_socket<tcp, aio::Executor>;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<aio::Executor>());
constexpr std::size_t kMostHeld = 8 * 1024 * 1024;  // a frozen direction; then it is no longer read

/// What is under way in one direction.
struct Lane {
  std::string held;
  bool ended = false;
  aio::Signal changed;
  explicit Lane(aio::Executor ex) : changed(std::move(ex)) {}
};

void close(Socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

aio::Task<> take_in(Socket& from, Lane& lane) {
  std::array<char, 16 * 1024> bytes;
  for (;;) {
    auto const [ec, n] = co_await from.async_read_some(asio::buffer(bytes), kQuietly);
    if (ec) break;
    lane.held.append(bytes.data(), n);
    lane.changed.notify();
    while (lane.held.size() > kMostHeld && !lane.ended) {
      bool const go_on = co_await lane.changed.wait();
      if (!go_on) lane.ended = true;
    }
  }
  lane.ended = true;
  lane.changed.notify();
}

aio::Task<> hand_on(Lane& lane, Socket& to, bool const& frozen) {
  for (;;) {
    while ((lane.held.empty() || frozen) && !lane.ended) {
      bool const go_on = co_await lane.changed.wait();
      if (!go_on) lane.ended = true;
    }
    if (lane.held.empty() || frozen) break;
    std::string const now = std::exchange(lane.held, {});
    lane.changed.notify();
    auto const [ec, n] = co_await asio::async_write(to, asio::buffer(now), kQuietly);
    if (ec) break;
  }
  error_code ignored;
  to.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

struct Network::Cable {
  std::string name;
  Socket client, server;
  Lane up, down;
  bool frozen = false;

  Cable(Socket c, aio::Executor ex) : client(std::move(c)), server(ex), up(ex), down(ex) {}
  void wake() {
    up.changed.notify();
    down.changed.notify();
  }
  void cut() {
    close(client);
    close(server);
    up.ended = down.ended = true;
    wake();
  }
};

struct Network::State {
  aio::Executor ex;
  asio::basic_socket_acceptor<tcp, aio::Executor> acceptor;
  tcp::endpoint server;
  std::uint32_t opened = 0;
  bool stopping = false;
  std::list<std::shared_ptr<Cable>> cables;
  aio::TaskGroup tasks;

  explicit State(aio::Executor e) : ex(std::move(e)), acceptor(ex), tasks(ex, aio::log_faults()) {}
};

Network::Network(aio::Executor ex) : state_(std::make_unique<State>(std::move(ex))) {}
Network::~Network() = default;

Result<std::uint16_t> Network::listen(std::string const& address, std::uint16_t port, std::uint16_t server_port) {
  std::string const place = "listening on " + address + " port " + std::to_string(port);
  error_code ec;
  auto const ip = asio::ip::make_address(address, ec);
  if (ec) return Error(Errc::invalid_input, place + ": not an IP address");
  tcp::endpoint const where(ip, port);
  auto& acceptor = state_->acceptor;
  acceptor.open(where.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(where, ec);
  if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) return Error(Errc::unavailable, place + ": " + ec.message());
  state_->server = tcp::endpoint(asio::ip::address_v4::loopback(), server_port);
  return acceptor.local_endpoint().port();
}

aio::Task<> Network::run() {
  State& s = *state_;
  while (!s.stopping) {
    auto [ec, socket] = co_await s.acceptor.async_accept(s.ex, kQuietly);
    if (ec) break;
    auto cable = std::make_shared<Cable>(std::move(socket), s.ex);
    s.cables.push_back(cable);
    s.tasks.spawn("relay", forward(std::move(cable)));
  }
  co_await s.tasks.join();
}

aio::Task<> Network::forward(std::shared_ptr<Cable> cable) {
  State& s = *state_;
  constexpr std::uint32_t kFirst = 0x7F010000;  // 127.1.0.0
  constexpr std::uint32_t kMany = 0x00FE0000;
  asio::ip::address_v4 const name(kFirst + ++s.opened % kMany);
  cable->name = name.to_string();
  error_code ec;
  cable->server.open(tcp::v4(), ec);
  if (!ec) cable->server.bind(tcp::endpoint(name, 0), ec);
  if (!ec) {
    auto const [refused] = co_await cable->server.async_connect(s.server, kQuietly);
    ec = refused;
  }
  if (!ec && !s.stopping) {
    cable->client.set_option(tcp::no_delay(true), ec);
    cable->server.set_option(tcp::no_delay(true), ec);
    aio::TaskGroup lanes(s.ex, aio::log_faults());
    lanes.spawn("up in", take_in(cable->client, cable->up));
    lanes.spawn("up out", hand_on(cable->up, cable->server, cable->frozen));
    lanes.spawn("down in", take_in(cable->server, cable->down));
    lanes.spawn("down out", hand_on(cable->down, cable->client, cable->frozen));
    co_await lanes.join();
  }
  cable->cut();
  s.cables.remove(cable);
}

void Network::stop() {
  state_->stopping = true;
  error_code ignored;
  state_->acceptor.close(ignored);
  for (auto const& cable : state_->cables) cable->cut();
}

Network::Cable* Network::find(std::string const& peer) {
  for (auto const& cable : state_->cables) {
    if (cable->name == peer) return cable.get();
  }
  return nullptr;
}

void Network::cut(std::string const& peer, bool reset) {
  Cable* const cable = find(peer);
  if (cable == nullptr) return;
  error_code ignored;
  if (reset) cable->client.set_option(asio::socket_base::linger(true, 0), ignored);
  cable->cut();
}

void Network::freeze(std::string const& peer) {
  if (Cable* const cable = find(peer)) cable->frozen = true;
}

void Network::thaw(std::string const& peer) {
  Cable* const cable = find(peer);
  if (cable == nullptr) return;
  cable->frozen = false;
  cable->wake();
}

}  // namespace kb::feishu_sim
