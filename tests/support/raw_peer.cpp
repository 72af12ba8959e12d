#include "tests/support/raw_peer.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace kb::test {
namespace {
namespace asio = aio::asio;
constexpr asio::use_awaitable_t<aio::Executor> kAwait;
constexpr auto kQuietly = asio::as_tuple(kAwait);
}  // namespace

RawPeer::RawPeer(aio::Executor ex, int window) : socket_(std::move(ex), asio::ip::tcp::v4()) {
  if (window != 0) socket_.set_option(asio::socket_base::receive_buffer_size(window));
}

aio::Task<> RawPeer::connect(std::uint16_t port) {
  asio::ip::tcp::endpoint const where(asio::ip::address_v4::loopback(), port);
  co_await socket_.async_connect(where, kAwait);
}

aio::Task<> RawPeer::send(std::string bytes) { co_await asio::async_write(socket_, asio::buffer(bytes), kQuietly); }

aio::Task<std::string> RawPeer::until(std::string mark) {
  std::array<char, 4096> piece;
  while (!ended_) {
    auto const at = kept_.find(mark);
    if (at != kept_.npos) {
      std::string got = kept_.substr(0, at + mark.size());
      kept_.erase(0, got.size());
      co_return got;
    }
    auto const [ec, n] = co_await socket_.async_read_some(asio::buffer(piece), kQuietly);
    kept_.append(piece.data(), n);
    ended_ = static_cast<bool>(ec);
  }
  co_return std::exchange(kept_, {});
}

aio::Task<std::string> RawPeer::rest() {
  std::string all;
  while (!ended_) {
    all += co_await until("\n");
  }
  co_return all + std::exchange(kept_, {});
}

void RawPeer::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace kb::test
