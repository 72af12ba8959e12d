#include "adapters/aio/wire.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/use_awaitable.hpp>

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

}  // namespace

std::shared_ptr<Wire> tcp_wire(Socket socket) { return std::make_shared<TcpWire>(std::move(socket)); }

Task<Result<std::shared_ptr<Wire>>> connect_tcp(Executor ex, std::string host, std::string port,
                                                std::chrono::milliseconds limit) {
  asio::ip::basic_resolver<tcp, Executor> resolver(ex);
  Socket socket(ex);
  Watchdog slow(ex, limit, [&] {
    resolver.cancel();
    boost::system::error_code ignored;
    socket.close(ignored);
  });
  std::string const place = "connecting to " + host + " port " + port;
  auto const [unresolved, addresses] = co_await resolver.async_resolve(host, port, kQuietly);
  if (unresolved) co_return Error(Errc::unavailable, place + ": " + unresolved.message());
  // Not asio::async_connect: it opens the next address after the watchdog closed the socket.
  boost::system::error_code last = asio::error::host_not_found;
  for (auto const& address : addresses) {
    if (slow.bitten()) break;
    boost::system::error_code ignored;
    socket.close(ignored);
    auto const [failed] = co_await socket.async_connect(address.endpoint(), kQuietly);
    last = failed;
    if (!failed) co_return tcp_wire(std::move(socket));
  }
  if (slow.bitten()) co_return Error(Errc::unavailable, place + ": no answer in time");
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
