#include "adapters/aio/http_client.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <list>
#include <optional>
#include <tuple>
#include <utility>

#include "adapters/aio/signal.hpp"
#include "adapters/aio/url.hpp"
#include "adapters/aio/watchdog.hpp"

namespace kb::aio {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using WirePtr = std::shared_ptr<Wire>;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());
constexpr std::uint32_t kMaxHeadBytes = 32 * 1024;

using Parser = http::response_parser<http::string_body>;

HttpResponse plain(Parser::value_type& message) {
  HttpResponse response;
  response.status = message.result_int();
  response.content_type = message[http::field::content_type];
  for (auto const& field : message) {
    std::string name = field.name_string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    auto const [at, fresh] = response.headers.try_emplace(std::move(name), field.value());
    if (!fresh) at->second.append(", ").append(field.value());  // RFC 9110 §5.3
  }
  response.body = std::move(message.body());
  return response;
}

bool one_line(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

/// A call on its way.
struct Sending {
  HttpCall call;
  Url url;
  std::string shown;  ///< for messages
  steady_clock::time_point end;

  [[nodiscard]] milliseconds left() const {
    return std::max(std::chrono::ceil<milliseconds>(end - steady_clock::now()), milliseconds(1));
  }
  [[nodiscard]] Error fault(Errc code, std::string const& what) const { return Error(code, shown + ": " + what); }
};

Result<Sending> prepare(HttpCall call, bool can_encrypt) {
  Result<Url> url = parse_url(call.url);
  if (!url) return url.error();
  Sending sending;
  sending.shown = call.method + " " + without_query(call.url);
  sending.url = std::move(*url);
  bool const usable = sending.url.scheme == "http" || (sending.url.scheme == "https" && can_encrypt);
  if (!usable) return sending.fault(Errc::invalid_input, "expected http://host:port/path or https://");
  for (auto const& [name, value] : call.headers) {
    if (!one_line(name) || !one_line(value)) return sending.fault(Errc::invalid_input, "a header of two lines");
  }
  sending.end = steady_clock::now() + call.limit;
  sending.call = std::move(call);
  return sending;
}

/// How one try ended.
struct Tried {
  std::optional<HttpResponse> response;
  bool reusable = false;  ///< the connection can carry another call
  bool unheard = false;   ///< it ended before a byte of the response came
  Error error;
};

Tried failed(Error error, bool unheard) {
  Tried tried;
  tried.error = std::move(error);
  tried.unheard = unheard;
  return tried;
}

http::request<http::string_body> message_of(Sending const& sending) {
  http::request<http::string_body> message;
  message.method_string(sending.call.method);
  message.target(sending.url.target);
  message.set(http::field::host, sending.url.authority());
  for (auto const& [name, value] : sending.call.headers) message.set(name, value);
  message.body() = sending.call.body;
  message.prepare_payload();
  return message;
}

/// Gives a body away while it is read. True: to its end; false: no more was wanted.
Task<bool> read_pieces(WireStream& stream, beast::flat_buffer& buffer, Parser& parser,
                       std::function<bool(std::string_view)> const& take, error_code& fault) {
  while (!parser.is_done()) {
    auto const [ec, n] = co_await http::async_read_some(stream, buffer, parser, kQuietly);
    std::string& piece = parser.get().body();
    bool const go_on = piece.empty() || take(piece);
    piece.clear();
    fault = ec;
    if (ec) break;
    if (!go_on) co_return false;
  }
  co_return true;
}

Task<Tried> exchange(WirePtr wire, Sending const& sending, std::size_t max_bytes) {
  Watchdog late(wire->executor(), sending.left(), [&wire] { wire->close(); });
  auto const no = [&](std::string const& step, error_code ec, bool unheard) {
    if (late.bitten()) return failed(sending.fault(Errc::unavailable, step + ": no answer in time"), false);
    if (ec == asio::error::operation_aborted) return failed(sending.fault(Errc::cancelled, step + ": given up"), false);
    bool const too_large = ec == http::error::body_limit || ec == http::error::header_limit;
    return failed(sending.fault(too_large ? Errc::exhausted : Errc::unavailable, step + ": " + ec.message()), unheard);
  };
  WireStream stream(wire);
  http::request<http::string_body> const message = message_of(sending);
  if (sending.call.sent != nullptr) *sending.call.sent = true;
  auto const [unsent, written] = co_await http::async_write(stream, message, kQuietly);
  if (unsent) co_return no("sending the request", unsent, true);

  beast::flat_buffer buffer;
  std::optional<Parser> parser;
  do {  // 1xx: the response is still to come
    parser.emplace();
    parser->header_limit(kMaxHeadBytes);
    parser->body_limit(max_bytes);
    parser->skip(sending.call.method == "HEAD");
    auto const [no_head, n] = co_await http::async_read_header(stream, buffer, *parser, kQuietly);
    if (no_head) co_return no("waiting for the response", no_head, !parser->got_some());
  } while (parser->get().result_int() / 100 == 1);
  error_code no_body;
  bool whole = true;
  if (sending.call.on_body && parser->get().result_int() == 200) {
    whole = co_await read_pieces(stream, buffer, *parser, sending.call.on_body, no_body);
  } else {
    std::size_t bytes = 0;
    std::tie(no_body, bytes) = co_await http::async_read(stream, buffer, *parser, kQuietly);
  }
  if (no_body) co_return no("reading the response", no_body, false);
  Tried tried;
  tried.reusable = whole && parser->get().keep_alive() && buffer.size() == 0;
  tried.response = plain(parser->get());
  co_return tried;
}

/// Asks a proxy for a way to the server; what goes through it is between the server and us.
Task<Result<WirePtr>> tunnel(WirePtr wire, Sending const& sending) {
  Watchdog late(wire->executor(), sending.left(), [&wire] { wire->close(); });
  WireStream stream(wire);
  http::request<http::empty_body> message;
  message.method(http::verb::connect);
  std::string const host =
      sending.url.host.find(':') == std::string::npos ? sending.url.host : "[" + sending.url.host + "]";
  message.target(host + ":" + sending.url.port);
  message.set(http::field::host, host + ":" + sending.url.port);
  auto const [unsent, written] = co_await http::async_write(stream, message, kQuietly);
  beast::flat_buffer buffer;
  Parser parser;
  parser.header_limit(kMaxHeadBytes);
  parser.skip(true);  // RFC 9110 §9.3.6: an accepted CONNECT has no body
  error_code fault = unsent;
  std::size_t bytes = 0;
  if (!fault) {
    std::tie(fault, bytes) = co_await http::async_read_header(stream, buffer, parser, kQuietly);
  }
  if (late.bitten()) co_return sending.fault(Errc::unavailable, "the proxy: no answer in time");
  if (fault) co_return sending.fault(Errc::unavailable, "the proxy: " + fault.message());
  unsigned const status = parser.get().result_int();
  std::string const said = "the proxy answers with status " + std::to_string(status);
  if (status == 403 || status == 407) co_return sending.fault(Errc::denied, said);
  if (status / 100 != 2) co_return sending.fault(Errc::unavailable, said);
  if (buffer.size() > 0) co_return sending.fault(Errc::unavailable, "the proxy speaks before the server");
  co_return wire;
}

}  // namespace

struct HttpClient::State : std::enable_shared_from_this<State> {
  struct Kept {
    WirePtr wire;
    std::unique_ptr<Watchdog> expiry;
  };
  struct Server {
    std::list<Kept> idle;  ///< the newest last
    std::size_t busy = 0;
    Signal freed;
    explicit Server(Executor ex) : freed(std::move(ex)) {}
  };

  /// A call's place among those to one server.
  class Turn {
   public:
    explicit Turn(std::shared_ptr<Server> server) : server_(std::move(server)) { ++server_->busy; }
    ~Turn() {
      --server_->busy;
      server_->freed.notify();
    }
    Turn(Turn const&) = delete;
    Turn& operator=(Turn const&) = delete;

   private:
    std::shared_ptr<Server> server_;
  };

  Executor ex;
  std::shared_ptr<TlsContext> tls;
  Limits limits;
  std::optional<Url> proxy;
  std::map<std::string, std::shared_ptr<Server>> servers;  ///< by scheme and authority; no more than are configured

  State(Executor e, std::shared_ptr<TlsContext> t, Limits l, std::optional<Url> p)
      : ex(std::move(e)), tls(std::move(t)), limits(l), proxy(std::move(p)) {}

  std::shared_ptr<Server> server(Url const& url) {
    auto& known = servers[url.scheme + "://" + url.authority()];
    if (!known) known = std::make_shared<Server>(ex);
    return known;
  }

  Task<Result<void>> wait_for_turn(std::shared_ptr<Server> server, Sending const& sending);
  Task<Result<WirePtr>> connect(Sending const& sending);
  Task<Tried> send(std::shared_ptr<Server> server, Sending const& sending);
  Task<Tried> send_anew(std::shared_ptr<Server> server, Sending const& sending);
  void keep(std::shared_ptr<Server> const& server, WirePtr wire);
};

Task<Result<void>> HttpClient::State::wait_for_turn(std::shared_ptr<Server> server, Sending const& sending) {
  Watchdog late(ex, sending.left(), [&server] { server->freed.notify(); });
  while (server->busy >= limits.connections) {
    bool const go_on = co_await server->freed.wait();
    if (!go_on) co_return sending.fault(Errc::cancelled, "waiting for a connection: given up");
    if (late.bitten()) co_return sending.fault(Errc::unavailable, "waiting for a connection: none in time");
  }
  co_return Result<void>();
}

Task<Result<WirePtr>> HttpClient::State::connect(Sending const& sending) {
  bool const by_proxy = proxy && sending.url.secure();
  Url const& first = by_proxy ? *proxy : sending.url;
  Result<WirePtr> wire = co_await connect_tcp(ex, first.host, first.port, sending.left());
  if (wire && by_proxy) {
    wire = co_await tunnel(std::move(*wire), sending);
    if (!wire) co_return wire;
  }
  if (wire && sending.url.secure()) {
    wire = co_await tls_connect(std::move(*wire), tls, sending.url.host, sending.left());
  }
  if (!wire) co_return at(sending.shown, wire.error());
  co_return wire;
}

Task<Tried> HttpClient::State::send(std::shared_ptr<Server> server, Sending const& sending) {
  if (sending.call.repeatable && !server->idle.empty()) {
    WirePtr wire = std::move(server->idle.back().wire);
    server->idle.pop_back();
    Tried tried = co_await exchange(wire, sending, limits.max_response_bytes);
    if (tried.reusable) keep(server, std::move(wire));
    if (!tried.unheard) co_return tried;
    // The server ended it while it was idle, and the others that are as old with it.
    server->idle.clear();
  }
  co_return co_await send_anew(std::move(server), sending);
}

Task<Tried> HttpClient::State::send_anew(std::shared_ptr<Server> server, Sending const& sending) {
  Result<WirePtr> wire = co_await connect(sending);
  if (!wire) co_return failed(wire.error(), false);
  Tried tried = co_await exchange(*wire, sending, limits.max_response_bytes);
  if (tried.reusable) keep(server, std::move(*wire));
  co_return tried;
}

void HttpClient::State::keep(std::shared_ptr<Server> const& server, WirePtr wire) {
  auto const place = server->idle.emplace(server->idle.end());
  place->wire = std::move(wire);
  auto drop = [of = server.get(), place] { of->idle.erase(place); };
  place->expiry = std::make_unique<Watchdog>(ex, limits.keep, std::move(drop));
  while (server->idle.size() > limits.connections) server->idle.pop_front();
}

HttpClient::HttpClient(Executor ex, std::shared_ptr<TlsContext> tls, Limits limits, std::optional<Url> proxy)
    : state_(std::make_shared<State>(std::move(ex), std::move(tls), limits, std::move(proxy))) {}
HttpClient::~HttpClient() { close_idle(); }

Task<Result<HttpResponse>> HttpClient::send(HttpCall call) {
  auto const s = state_;
  Result<Sending> const sending = prepare(std::move(call), s->tls != nullptr);
  if (!sending) co_return sending.error();
  auto const server = s->server(sending->url);
  Result<void> const free = co_await s->wait_for_turn(server, *sending);
  if (!free) co_return free.error();
  State::Turn const turn(server);
  Tried tried = co_await s->send(server, *sending);
  if (!tried.response) co_return std::move(tried.error);
  co_return std::move(*tried.response);
}

void HttpClient::close_idle() {
  for (auto const& [place, server] : state_->servers) server->idle.clear();
}

}  // namespace kb::aio
