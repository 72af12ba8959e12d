/// The platform's side of a long connection, scripted by the test; and a line between the two that can go dead.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/outbox.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/feishu/frame.hpp"
#include "tests/feishu/golden.hpp"
#include "tests/feishu/wire_frame.hpp"
#include "tests/support/loop.hpp"

namespace kb::test {

constexpr char const* kSecret = "s3cr3tOfTheApp";
constexpr char const* kTicket = "t1cketOfTheUrl";
constexpr char const* kAccessKey = "k3yOfTheUrl";

class Platform {
 public:
  explicit Platform(Loop& loop, std::shared_ptr<aio::TlsContext> tls = nullptr)
      : loop_(loop),
        release_(loop.executor()),
        place_(tls ? "s://localhost:" : "://127.0.0.1:"),
        server_(
            loop.executor(), {}, [this](aio::HttpRequest r) { return on_request(std::move(r)); },
            [this](aio::HttpRequest const& r) { return on_upgrade(r); },
            [this](std::unique_ptr<aio::Link> link, aio::HttpRequest) { return on_link(std::move(link)); }) {
    if (tls) server_.use_tls(std::move(tls));
    port = server_.listen("127.0.0.1", 0).value();
    ws_port = port;
    loop_.spawn(server_.run());
    loop_.settle();
  }

  std::uint16_t port = 0, ws_port = 0;
  std::string client_config;            ///< JSON; empty: none
  std::optional<aio::HttpResponse> no;  ///< the answer to discovery, instead of a URL
  std::optional<aio::HttpResponse> no_upgrade;
  bool hang = false;  ///< discovery does not answer
  bool answer_pings = true;
  std::string pong_payload;
  std::size_t discoveries = 0, handshakes = 0;
  aio::HttpRequest last_discovery;
  std::string last_target;              ///< of an upgrade
  std::vector<std::string> got, pings;  ///< binary messages of all links
  std::vector<std::string> ended;       ///< how links ended

  [[nodiscard]] std::string domain() const { return "http" + place_ + std::to_string(port); }
  [[nodiscard]] std::string url() const { return "ws" + place_ + std::to_string(ws_port) + target(); }
  [[nodiscard]] static std::string target() {
    return std::string("/ws/v2?fpid=493&device_id=7600123456789012345&access_key=") + kAccessKey +
           "&service_id=33554678&ticket=" + kTicket;
  }

  /// To the newest link. False: there is none.
  [[nodiscard]] bool send(std::string bytes, bool binary = true) {
    return !links_.empty() && links_.back()->outbox.offer(aio::Outgoing(std::move(bytes), binary ? "binary" : ""));
  }
  void cut() { links_.back()->link->abort(); }
  [[nodiscard]] std::size_t links() const noexcept { return links_.size(); }
  /// The payload of each acknowledgement.
  [[nodiscard]] std::vector<std::string> acks() const {
    std::vector<std::string> payloads;
    for (auto const& bytes : got) payloads.emplace_back(feishu::Frame::decode(bytes).value().payload());
    return payloads;
  }
  void stop() {
    hang = false;
    release_.notify();
    server_.stop();
    server_.abort();
  }

 private:
  struct Peer {
    std::unique_ptr<aio::Link> link;
    aio::Outbox outbox;
    Peer(aio::Executor ex, std::unique_ptr<aio::Link> l) : link(std::move(l)), outbox(std::move(ex), 10'000) {}
  };
  using PeerPtr = std::shared_ptr<Peer>;

  aio::Task<aio::HttpResponse> on_request(aio::HttpRequest request) {
    ++discoveries;
    last_discovery = std::move(request);
    while (hang) {
      bool const go_on = co_await release_.wait();
      if (!go_on) break;
    }
    if (no) co_return *no;
    nlohmann::json data = {{"URL", url()}};
    if (!client_config.empty()) data["ClientConfig"] = nlohmann::json::parse(client_config);
    aio::HttpResponse response;
    response.body = nlohmann::json{{"code", 0}, {"msg", ""}, {"data", data}}.dump();
    co_return response;
  }

  std::optional<aio::HttpResponse> on_upgrade(aio::HttpRequest const& request) {
    ++handshakes;
    last_target = request.target;
    return no_upgrade;
  }

  aio::Task<> on_link(std::unique_ptr<aio::Link> link) {
    auto const peer = std::make_shared<Peer>(loop_.executor(), std::move(link));
    links_.push_back(peer);
    loop_.spawn(write(peer));
    for (;;) {
      Result<std::string> message = co_await peer->link->read();
      if (!message) {
        ended.push_back(message.error().what);
        break;
      }
      auto const frame = feishu::Frame::decode(*message);
      bool const ping = frame && frame->control() && frame->header("type") == "ping";
      (ping ? pings : got).push_back(std::move(*message));
      if (ping && answer_pings) (void)peer->outbox.offer(aio::Outgoing(pong(pong_payload), "binary"));
    }
    peer->outbox.close();
    peer->link->abort();
    links_.erase(std::find(links_.begin(), links_.end(), peer));
  }

  static aio::Task<> write(PeerPtr peer) {
    for (;;) {
      std::optional<aio::Outgoing> out = co_await peer->outbox.take();
      if (!out) co_return;
      peer->link->send_binary(out->tag == "binary");
      Result<void> const sent = co_await peer->link->write(std::move(out->text));
      if (!sent) co_return;
    }
  }

  Loop& loop_;
  aio::Signal release_;
  std::string place_;
  std::vector<PeerPtr> links_;
  aio::HttpServer server_;
};

/// Forwards bytes both ways, until it is dead: then both ends stay open and hear nothing.
class Line {
 public:
  Line(Loop& loop, std::uint16_t to)
      : loop_(loop), to_(to), thaw_(loop.executor()), acceptor_(loop.executor(), Endpoint(kLoopback, 0)) {
    loop_.spawn(run());
  }

  bool dead = false;
  std::size_t accepted = 0;
  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    for (auto const& socket : sockets_) socket->close(ignored);
    thaw_.notify();
  }

 private:
  using Tcp = aio::asio::ip::tcp;
  using Endpoint = Tcp::endpoint;
  using Socket = aio::asio::basic_stream_socket<Tcp, aio::Executor>;
  using SocketPtr = std::shared_ptr<Socket>;
  static constexpr auto kQuietly = aio::asio::as_tuple(aio::asio::use_awaitable_t<aio::Executor>());
  inline static aio::asio::ip::address_v4 const kLoopback = aio::asio::ip::address_v4::loopback();

  aio::Task<> run() {
    for (;;) {
      auto [ec, socket] = co_await acceptor_.async_accept(kQuietly);
      if (ec) co_return;
      ++accepted;
      auto const near = std::make_shared<Socket>(std::move(socket));
      auto const far = std::make_shared<Socket>(loop_.executor(), Tcp::v4());
      Endpoint const place(kLoopback, to_);
      auto const [failed] = co_await far->async_connect(place, kQuietly);
      if (failed) continue;
      sockets_.insert(sockets_.end(), {near, far});
      loop_.spawn(pump(near, far));
      loop_.spawn(pump(far, near));
    }
  }

  aio::Task<> pump(SocketPtr from, SocketPtr to) {
    std::array<char, 4096> piece;
    for (;;) {
      auto const [ec, n] = co_await from->async_read_some(aio::asio::buffer(piece), kQuietly);
      if (ec) break;
      if (dead) {
        (void)co_await thaw_.wait();
        break;
      }
      auto const [failed, written] = co_await aio::asio::async_write(*to, aio::asio::buffer(piece, n), kQuietly);
      if (failed) break;
    }
    boost::system::error_code ignored;
    to->close(ignored);
  }

  Loop& loop_;
  std::uint16_t to_;
  aio::Signal thaw_;
  std::vector<SocketPtr> sockets_;
  aio::asio::basic_socket_acceptor<Tcp, aio::Executor> acceptor_;
};

}  // namespace kb::test
