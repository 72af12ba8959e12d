#include "adapters/aio/wire.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "adapters/aio/signal.hpp"
#include "adapters/aio/watchdog.hpp"

namespace kb::aio {
namespace {

using asio::ip::tcp;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());

class TcpWire final : public Wire {
 public:
  explicit TcpWire(Socket socket) : socket_(std::move(socket)) {
    boost::system::error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
  }

  Executor executor() override { return socket_.get_executor(); }
  void read_some(asio::mutable_buffer into, Handler done) override { socket_.async_read_some(into, std::move(done)); }
  void write_some(Pieces const& from, Handler done) override { socket_.async_write_some(from, std::move(done)); }
  void finish() noexcept override {
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }
  void stop_reading() noexcept override {
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_receive, ignored);
  }
  void close() noexcept override {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  Socket socket_;
};

using Resolver = asio::ip::basic_resolver<tcp, Executor>;

// The system's resolver cannot be interrupted: whoever gives up leaves it behind, and its answer finds nobody waiting.
struct Lookup {
  Resolver resolver;
  Signal settled;
  bool answered = false, given_up = false;
  boost::system::error_code failed;
  Resolver::results_type addresses;
  explicit Lookup(Executor ex) : resolver(ex), settled(ex) {}
};

Task<std::shared_ptr<Lookup>> look_up(Executor ex, std::string host, std::string port,
                                      std::chrono::milliseconds limit) {
  auto lookup = std::make_shared<Lookup>(ex);
  auto keep = [lookup](boost::system::error_code ec, Resolver::results_type addresses) {
    lookup->answered = true;
    lookup->failed = ec;
    lookup->addresses = std::move(addresses);
    lookup->settled.notify();
  };
  lookup->resolver.async_resolve(host, port, std::move(keep));
  Watchdog slow(ex, limit, [&] {
    lookup->given_up = true;
    lookup->settled.notify();
  });
  while (!lookup->answered && !lookup->given_up) {
    bool const go_on = co_await lookup->settled.wait();
    if (!go_on) break;
  }
  co_return lookup;
}

}  // namespace

std::shared_ptr<Wire> tcp_wire(Socket socket) { return std::make_shared<TcpWire>(std::move(socket)); }

Task<Result<std::shared_ptr<Wire>>> connect_tcp(Executor ex, std::string host, std::string port,
                                                std::chrono::milliseconds limit) {
  auto const end = std::chrono::steady_clock::now() + limit;
  std::string const place = "connecting to " + host + " port " + port;
  std::shared_ptr<Lookup> const lookup = co_await look_up(ex, host, port, limit);
  if (!lookup->answered && !lookup->given_up) co_return Error(Errc::cancelled, place + ": given up");
  if (!lookup->answered) co_return Error(Errc::unavailable, place + ": no answer from the resolver in time");
  if (lookup->failed) co_return Error(Errc::unavailable, place + ": " + lookup->failed.message());

  Socket socket(ex);
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  Watchdog slow(ex, std::max(left, std::chrono::milliseconds(1)), [&] {
    boost::system::error_code ignored;
    socket.close(ignored);
  });
  // Not asio::async_connect: it opens the next address after the watchdog closed the socket.
  boost::system::error_code last = asio::error::host_not_found;
  for (auto const& address : lookup->addresses) {
    auto const cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) last = asio::error::operation_aborted;
    if (slow.bitten() || last == asio::error::operation_aborted) break;
    boost::system::error_code ignored;
    socket.close(ignored);
    auto const [failed] = co_await socket.async_connect(address.endpoint(), kQuietly);
    last = failed;
    if (!failed) co_return tcp_wire(std::move(socket));
  }
  if (slow.bitten()) co_return Error(Errc::unavailable, place + ": no answer in time");
  if (last == asio::error::operation_aborted) co_return Error(Errc::cancelled, place + ": given up");
  co_return Error(Errc::unavailable, place + ": " + last.message());
}

Task<> linger(std::shared_ptr<Wire> wire, std::chrono::milliseconds limit) {
  wire->finish();
  Watchdog enough(wire->executor(), limit, [&wire] { wire->close(); });
  WireStream stream(wire);
  std::array<char, 4096> sink;
  for (;;) {
    auto const [ended, n] = co_await stream.async_read_some(asio::buffer(sink), kQuietly);
    if (ended) co_return;
  }
}

}  // namespace kb::aio
