#include "adapters/aio/ws_link.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "adapters/aio/tls.hpp"
#include "adapters/aio/url.hpp"
#include "adapters/aio/watchdog.hpp"

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

  [[nodiscard]] bool got_binary() const noexcept override { return stream_.got_binary(); }
  void send_binary(bool on) override { stream_.binary(on); }

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

WsAnswer failed(Error error) {
  WsAnswer answer;
  answer.error = std::move(error);
  answer.response.status = 0;
  return answer;
}

HttpResponse plain(http::response<http::string_body> const& message) {
  HttpResponse response;
  response.status = message.result_int();
  response.content_type = message[http::field::content_type];
  response.body = message.body();
  for (auto const& field : message) {
    std::string name = field.name_string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    response.headers.try_emplace(std::move(name), field.value());
  }
  return response;
}

Task<Result<std::shared_ptr<Wire>>> connect_wire(Executor ex, Url to, std::shared_ptr<TlsContext> tls,
                                                 std::chrono::milliseconds limit) {
  auto const end = std::chrono::steady_clock::now() + limit;
  Result<std::shared_ptr<Wire>> wire = co_await connect_tcp(ex, to.host, to.port, limit);
  if (!wire || !to.secure()) co_return wire;
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  co_return co_await tls_connect(std::move(*wire), std::move(tls), std::move(to.host), left);
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

Task<WsAnswer> open_ws(Executor ex, WsCall call) {
  auto const end = std::chrono::steady_clock::now() + call.limits.handshake;
  std::string const shown = without_query(call.url);
  Result<Url> const to = parse_url(call.url);
  if (!to) co_return failed(to.error());
  bool const usable = to->scheme == "ws" || (to->scheme == "wss" && call.tls != nullptr);
  if (!usable) {
    co_return failed(Error(Errc::invalid_input, shown + ": expected ws://host:port/path"));
  }
  Result<std::shared_ptr<Wire>> wire = co_await connect_wire(ex, *to, call.tls, call.limits.handshake);
  if (!wire) co_return failed(at(shown, wire.error()));

  auto link = std::make_unique<WsLink>(std::move(*wire), call.limits);
  auto decorate = [&call](websocket::request_type& request) {
    for (auto const& [name, value] : call.headers) request.set(name, value);
  };
  link->stream().set_option(websocket::stream_base::decorator(decorate));
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  Watchdog slow(ex, left, [&link] { link->abort(); });
  http::response<http::string_body> answer;
  auto const [ec] = co_await link->stream().async_handshake(answer, to->authority(), to->target, kQuietly);
  if (!ec) {
    WsAnswer open;
    open.link = std::move(link);
    co_return open;
  }
  if (ec == websocket::error::upgrade_declined) {
    Errc const code = answer.result_int() == 401 || answer.result_int() == 403 ? Errc::denied : Errc::unavailable;
    WsAnswer refused = failed(Error(code, shown + ": refused with " + std::to_string(answer.result_int())));
    refused.response = plain(answer);
    co_return refused;
  }
  std::string const step = shown + ": WebSocket handshake: ";
  if (slow.bitten()) co_return failed(Error(Errc::unavailable, step + "no answer in time"));
  if (ec == asio::error::operation_aborted) co_return failed(Error(Errc::cancelled, step + "given up"));
  co_return failed(Error(Errc::unavailable, step + ec.message()));
}

Task<Result<std::unique_ptr<Link>>> connect_ws(Executor ex, std::string url, std::string bearer, ServerLimits limits) {
  WsCall call;
  call.url = std::move(url);
  if (!bearer.empty()) call.headers.emplace("Authorization", "Bearer " + bearer);
  call.limits = limits;
  WsAnswer answer = co_await open_ws(std::move(ex), std::move(call));
  if (!answer.link) co_return std::move(answer.error);
  co_return std::move(answer.link);
}

}  // namespace kb::aio
