#include "adapters/aio/ws_link.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace kb::aio {

// How Beast ends a connection it has closed by protocol (found by name in this namespace). After a failure the peer may
// still be sending: without the linger its unread bytes would reset the connection and swallow our close frame.
template <class Handler>
void async_teardown(boost::beast::role_type, WireStream& stream, Handler&& handler) {
  constexpr auto kLinger = std::chrono::milliseconds(1'000);
  auto done = [h = std::forward<Handler>(handler)](std::exception_ptr) mutable { h(boost::system::error_code()); };
  asio::co_spawn(stream.get_executor(), linger(stream.wire(), kLinger), std::move(done));
}

// How Beast cuts a silent one.
void beast_close_socket(WireStream& stream) { stream.wire()->close(); }

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());

// Every idle connection waits with this much; most questions fit.
constexpr std::size_t kFirstRead = 256;
constexpr std::size_t kMostRead = 16 * 1024;

class WsLink final : public Link {
 public:
  using Stream = websocket::stream<WireStream, false>;  // no deflate: its windows cost more than all the rest

  WsLink(std::shared_ptr<Wire> wire, ServerLimits const& limits) : stream_(WireStream(std::move(wire))) {
    stream_.set_option(websocket::stream_base::timeout{limits.handshake, limits.idle, true});
    stream_.read_message_max(limits.max_message_bytes);
    stream_.auto_fragment(false);  // a server's writes then need no buffer of their own
    stream_.text(true);
  }

  Stream& stream() noexcept { return stream_; }

  Task<Result<std::string>> read() override {
    std::string message;
    for (;;) {
      std::size_t const have = message.size();
      std::size_t const more = have == 0 ? kFirstRead : std::clamp(stream_.read_size_hint(), kFirstRead, kMostRead);
      message.resize(have + more);
      auto const into = asio::buffer(message.data() + have, more);
      auto const [ec, n] = co_await stream_.async_read_some(into, kQuietly);
      if (ec) co_return ended(ec);
      message.resize(have + n);
      if (stream_.is_message_done()) co_return message;
    }
  }

  Task<Result<void>> write(std::string message) override {
    auto const [ec, n] = co_await stream_.async_write(asio::buffer(message), kQuietly);
    if (ec) co_return ended(ec);
    co_return Result<void>();
  }

  Task<> close() override { co_await stream_.async_close(reason_, kQuietly); }

  void set_close(unsigned short code, std::string reason) override {
    constexpr std::size_t kMostReason = 123;  // RFC 6455 §5.5: a control frame has at most 125 bytes
    reason_ = websocket::close_reason(static_cast<websocket::close_code>(code), reason.substr(0, kMostReason).c_str());
  }

  void abort() noexcept override { stream_.next_layer().wire()->close(); }

 private:
  Error ended(boost::system::error_code ec) const {
    if (ec == websocket::error::closed) {
      auto const& reason = stream_.reason();
      return Error(Errc::unavailable,
                   "closed by the peer: " + std::to_string(reason.code) + " " + reason.reason.c_str());
    }
    if (ec == websocket::error::message_too_big) return Error(Errc::exhausted, "message too big");
    if (ec == asio::error::operation_aborted) return Error(Errc::cancelled, "link cut");
    return Error(Errc::unavailable, "link ended: " + ec.message());
  }

  Stream stream_;
  websocket::close_reason reason_ = websocket::close_code::normal;
};

struct WsUrl {
  std::string host, port, target;
};

// ws://host[:port][/path]; an IPv6 address in brackets.
Result<WsUrl> parse_ws_url(std::string const& url) {
  constexpr std::string_view kScheme = "ws://";
  if (!url.starts_with(kScheme)) return Error(Errc::invalid_input, url + ": expected ws://host:port/path");
  std::string const rest = url.substr(kScheme.size());
  std::size_t const slash = std::min(rest.find('/'), rest.size());
  std::string const place = rest.substr(0, slash);
  std::size_t const bracket = place.find(']');
  std::size_t const colon = place.find(':', bracket == place.npos ? 0 : bracket);
  std::string host = place.substr(0, colon);
  if (bracket != place.npos && host.size() > 2) host = host.substr(1, host.size() - 2);
  std::string port = colon == place.npos ? "80" : place.substr(colon + 1);
  if (host.empty() || port.empty()) return Error(Errc::invalid_input, url + ": no host or port");
  return WsUrl{std::move(host), std::move(port), slash == rest.size() ? "/" : rest.substr(slash)};
}

}  // namespace

Task<Result<std::unique_ptr<Link>>> accept_ws(std::shared_ptr<Wire> wire, HttpRequest request, ServerLimits limits) {
  auto link = std::make_unique<WsLink>(std::move(wire), limits);
  http::request<http::empty_body> upgrade;
  upgrade.method_string(request.method);
  upgrade.target(request.target);
  for (auto const& [name, value] : request.headers) upgrade.set(name, value);
  auto const [ec] = co_await link->stream().async_accept(upgrade, kQuietly);
  if (ec) co_return Error(Errc::invalid_input, "WebSocket handshake: " + ec.message());
  co_return std::unique_ptr<Link>(std::move(link));
}

Task<Result<std::unique_ptr<Link>>> connect_ws(Executor ex, std::string url, std::string bearer, ServerLimits limits) {
  Result<WsUrl> const to = parse_ws_url(url);
  if (!to) co_return to.error();
  Result<std::shared_ptr<Wire>> wire = co_await connect_tcp(ex, to->host, to->port, limits.handshake);
  if (!wire) co_return wire.error();
  auto link = std::make_unique<WsLink>(std::move(*wire), limits);
  auto decorate = [&bearer](websocket::request_type& request) {
    if (!bearer.empty()) request.set(http::field::authorization, "Bearer " + bearer);
  };
  link->stream().set_option(websocket::stream_base::decorator(decorate));
  std::string const host = to->host + ":" + to->port;
  http::response<http::string_body> answer;
  auto const [ec] = co_await link->stream().async_handshake(answer, host, to->target, kQuietly);
  if (ec == websocket::error::upgrade_declined) {
    Errc const code = answer.result_int() == 401 || answer.result_int() == 403 ? Errc::denied : Errc::unavailable;
    co_return Error(code, url + ": refused with " + std::to_string(answer.result_int()));
  }
  if (ec) co_return Error(Errc::unavailable, url + ": " + ec.message());
  co_return std::unique_ptr<Link>(std::move(link));
}

}  // namespace kb::aio
