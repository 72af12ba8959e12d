#include "adapters/aio/http.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <list>
#include <utility>

#include "adapters/aio/task_group.hpp"
#include "adapters/aio/tls.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/aio/watchdog.hpp"
#include "adapters/aio/wire.hpp"
#include "adapters/aio/ws_link.hpp"
#include "logging/service_log.hpp"

namespace kb::aio {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());

constexpr std::uint32_t kMaxHeadBytes = 16 * 1024;
constexpr std::size_t kReadBuffer = 64 * 1024;
constexpr auto kLinger = std::chrono::milliseconds(1'000);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);
constexpr std::size_t kRefusalsAtOnce = 64;  // connections beyond the limit that still hear 503

using Parser = http::request_parser<http::string_body>;

/// RFC 9457.
HttpResponse problem(unsigned status) {
  std::string const title(http::obsolete_reason(static_cast<http::status>(status)));
  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body = R"({"type":"about:blank","title":")" + title + R"(","status":)" + std::to_string(status) + "}";
  return response;
}

/// The status that tells a peer what is wrong with what it sent; 0: nobody is left to tell.
unsigned refusal_for(error_code ec) {
  if (ec == http::error::header_limit || ec == http::error::buffer_overflow) return 431;
  if (ec == http::error::body_limit) return 413;
  if (ec == http::error::end_of_stream || ec == http::error::partial_message) return 0;
  if (ec.category() == http::make_error_code(http::error::bad_method).category()) return 400;
  return 0;
}

HttpRequest plain(Parser::value_type& message, std::string peer) {
  HttpRequest request;
  request.method = message.method_string();
  request.target = message.target();
  request.peer = std::move(peer);
  for (auto const& field : message) {
    std::string name = field.name_string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    auto const [at, fresh] = request.headers.try_emplace(std::move(name), field.value());
    if (!fresh) at->second.append(", ").append(field.value());  // RFC 9110 §5.3
  }
  request.body = std::move(message.body());
  return request;
}

/// What came of waiting for a request.
struct Received {
  std::optional<HttpRequest> request;
  unsigned refuse = 0;  ///< answer with this and close; 0 and no request: close
  bool keep_alive = false;
  bool upgrade = false;
};

Received refused(unsigned status) {
  Received received;
  received.refuse = status;
  return received;
}

}  // namespace

std::string HttpRequest::header(std::string const& lower_case_name) const {
  auto const at = headers.find(lower_case_name);
  return at == headers.end() ? std::string() : at->second;
}

std::string HttpRequest::path() const { return target.substr(0, target.find('?')); }

struct HttpServer::State {
  struct Peer {
    std::shared_ptr<Wire> wire;
    std::string address;
    bool resting = true;  ///< no request in progress: may be cut when we leave
  };
  using Peers = std::list<Peer>;

  Executor ex;
  ServerLimits limits;
  OnRequest on_request;
  OnUpgrade on_upgrade;
  OnLink on_link;
  std::shared_ptr<TlsContext> tls;  ///< null: plain TCP
  asio::basic_socket_acceptor<tcp, Executor> acceptor;
  bool stopping = false;
  bool starved = false;  ///< the last accept failed
  std::size_t refusing = 0;
  Peers peers;
  TaskGroup tasks;

  State(Executor e, ServerLimits l, OnRequest r, OnUpgrade u, OnLink k)
      : ex(std::move(e)),
        limits(l),
        on_request(std::move(r)),
        on_upgrade(std::move(u)),
        on_link(std::move(k)),
        acceptor(ex),
        tasks(ex, log_faults()) {}

  void admit(Socket socket);
  bool note_accept(error_code ec);
  Task<> refuse(std::shared_ptr<Wire> wire);
  Task<> serve(Peers::iterator peer);
  Task<bool> secure(Peer& peer);
  Task<std::unique_ptr<HttpRequest>> talk(Peer& peer);
  Task<Received> receive(Peer& peer, beast::flat_buffer& buffer);
  Task<bool> respond(Peer& peer, HttpRequest request, bool keep_alive);
  Task<HttpResponse> handled(HttpRequest request);
  Task<bool> write(std::shared_ptr<Wire> wire, HttpResponse response, bool keep_alive, bool head_only);
};

void HttpServer::State::admit(Socket socket) {
  error_code unknown;
  auto const from = socket.remote_endpoint(unknown);
  std::shared_ptr<Wire> wire = tcp_wire(std::move(socket));
  if (peers.size() >= limits.connections) {
    bool const can_tell = tls == nullptr && refusing < kRefusalsAtOnce;
    if (can_tell) tasks.spawn("http refusal", refuse(std::move(wire)));
    return;
  }
  Peer peer;
  peer.wire = std::move(wire);
  peer.address = unknown ? std::string() : from.address().to_string();
  tasks.spawn("http connection", serve(peers.insert(peers.end(), std::move(peer))));
}

// True: pause before the next accept. Out of descriptors, an accept fails at once again and again.
bool HttpServer::State::note_accept(error_code ec) {
  bool const failed = ec && ec != asio::error::connection_aborted;
  if (failed && !starved) log::write(log::Level::warn, "http.accept_failing", {{"what", ec.message()}});
  if (!failed && starved) log::write(log::Level::info, "http.accepting_again", {});
  starved = failed;
  return failed;
}

Task<> HttpServer::State::refuse(std::shared_ptr<Wire> wire) {
  ++refusing;
  co_await write(wire, problem(503), false, false);
  co_await linger(wire, kLinger);
  wire->close();
  --refusing;
}

// One frame of this waits for each WebSocket there is: it keeps little, and what talk() needed is gone by then.
Task<> HttpServer::State::serve(Peers::iterator peer) {
  std::exception_ptr fault;
  try {
    std::unique_ptr<HttpRequest> upgrade;
    bool const ready = co_await secure(*peer);
    if (ready) {
      upgrade = co_await talk(*peer);
    }
    if (upgrade) {
      Result<std::unique_ptr<Link>> link = co_await accept_ws(peer->wire, *upgrade, limits);
      if (link) {
        co_await on_link(std::move(*link), std::move(*upgrade));
      }
    }
  } catch (...) {
    fault = std::current_exception();
  }
  peer->wire->close();
  peers.erase(peer);
  if (fault) std::rethrow_exception(fault);
}

// False: no TLS with this peer.
Task<bool> HttpServer::State::secure(Peer& peer) {
  if (!tls) co_return true;
  Result<std::shared_ptr<Wire>> wire = co_await tls_accept(peer.wire, tls, limits.handshake);
  if (!wire) co_return false;
  peer.wire = std::move(*wire);
  co_return true;
}

// Plain requests, one after the other. Gives the request that asks for a WebSocket, once it is granted.
Task<std::unique_ptr<HttpRequest>> HttpServer::State::talk(Peer& peer) {
  beast::flat_buffer buffer(kReadBuffer);
  for (;;) {
    Received received = co_await receive(peer, buffer);
    if (received.refuse != 0) {
      co_await write(peer.wire, problem(received.refuse), false, false);
      co_await linger(peer.wire, kLinger);
    }
    if (!received.request) co_return nullptr;
    if (received.upgrade) {
      std::optional<HttpResponse> no = stopping ? problem(503) : on_upgrade(*received.request);
      if (!no) co_return std::make_unique<HttpRequest>(std::move(*received.request));
      bool const out = co_await write(peer.wire, std::move(*no), false, false);
      if (out) {
        co_await linger(peer.wire, kLinger);
      }
      co_return nullptr;
    }
    bool const go_on = co_await respond(peer, std::move(*received.request), received.keep_alive);
    if (!go_on) co_return nullptr;
  }
}

Task<Received> HttpServer::State::receive(Peer& peer, beast::flat_buffer& buffer) {
  WireStream stream(peer.wire);
  Parser parser;
  parser.header_limit(kMaxHeadBytes);
  parser.body_limit(limits.max_request_bytes);
  auto give_up = [&peer] { peer.wire->stop_reading(); };
  peer.resting = buffer.size() == 0;
  if (stopping && peer.resting) co_return refused(0);
  {
    Watchdog slow(ex, limits.handshake, give_up);
    auto const [ec, n] = co_await http::async_read_header(stream, buffer, parser, kQuietly);
    peer.resting = false;
    if (slow.bitten()) co_return refused(parser.got_some() ? 408 : 0);
    if (ec) co_return refused(refusal_for(ec));
  }
  Received received;
  received.keep_alive = parser.get().keep_alive();
  received.upgrade = beast::websocket::is_upgrade(parser.get());
  // RFC 6455 §4.1: nothing may follow the upgrade request before our answer, and the WebSocket would not see it.
  if (received.upgrade && buffer.size() != 0) co_return refused(400);
  if (!received.upgrade) {
    Watchdog slow(ex, limits.request, give_up);
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      co_await asio::async_write(stream, asio::buffer(kGoOn), kQuietly);
    }
    auto const [ec, n] = co_await http::async_read(stream, buffer, parser, kQuietly);
    if (slow.bitten()) co_return refused(408);
    if (ec) co_return refused(refusal_for(ec));
  }
  received.request = plain(parser.get(), peer.address);
  co_return received;
}

// True: the connection can carry another request.
Task<bool> HttpServer::State::respond(Peer& peer, HttpRequest request, bool keep_alive) {
  Watchdog late(ex, limits.request, [&peer] { peer.wire->close(); });
  bool const head_only = request.method == "HEAD";
  HttpResponse response = co_await handled(std::move(request));
  bool const stay = keep_alive && !stopping;
  bool const out = co_await write(peer.wire, std::move(response), stay, head_only);
  co_return out&& stay;
}

Task<HttpResponse> HttpServer::State::handled(HttpRequest request) {
  std::string const path = request.path();
  try {
    HttpResponse response = co_await on_request(std::move(request));
    co_return response;
  } catch (std::exception const& e) {
    log::write(log::Level::error, "http.handler_failed", {{"path", path}, {"what", e.what()}});
  }
  co_return problem(500);
}

// False: the peer is gone.
Task<bool> HttpServer::State::write(std::shared_ptr<Wire> wire, HttpResponse response, bool keep_alive,
                                    bool head_only) {
  Watchdog stuck(ex, limits.request, [&wire] { wire->close(); });
  http::response<http::string_body> message;
  message.result(response.status);
  if (!response.body.empty()) message.set(http::field::content_type, response.content_type);
  for (auto const& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(keep_alive);
  std::size_t const length = response.body.size();
  if (!head_only) message.body() = std::move(response.body);
  message.prepare_payload();
  if (head_only) message.content_length(length);
  WireStream stream(wire);
  auto const [ec, n] = co_await http::async_write(stream, message, kQuietly);
  co_return !ec;
}

HttpServer::HttpServer(Executor ex, ServerLimits limits, OnRequest on_request, OnUpgrade on_upgrade, OnLink on_link)
    : state_(std::make_shared<State>(std::move(ex), limits, std::move(on_request), std::move(on_upgrade),
                                     std::move(on_link))) {}
HttpServer::~HttpServer() = default;

void HttpServer::use_tls(std::shared_ptr<TlsContext> tls) { state_->tls = std::move(tls); }

Result<std::uint16_t> HttpServer::listen(std::string const& address, std::uint16_t port) {
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
  return acceptor.local_endpoint().port();
}

Task<> HttpServer::run() {
  auto const s = state_;
  while (!s->stopping) {
    auto [ec, socket] = co_await s->acceptor.async_accept(s->ex, kQuietly);
    if (s->stopping || ec == asio::error::operation_aborted || ec == asio::error::bad_descriptor) break;
    if (!ec) s->admit(std::move(socket));
    bool const pause = s->note_accept(ec);
    if (pause) {
      co_await sleep_for(s->ex, kAcceptPause);
    }
  }
  co_await s->tasks.join();
}

void HttpServer::stop() {
  state_->stopping = true;
  error_code ignored;
  state_->acceptor.close(ignored);
  for (auto const& peer : state_->peers)
    if (peer.resting) peer.wire->close();
}

void HttpServer::abort() {
  for (auto const& peer : state_->peers) peer.wire->close();
}

std::size_t HttpServer::connections() const noexcept { return state_->peers.size(); }

}  // namespace kb::aio
