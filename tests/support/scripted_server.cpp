#include "tests/support/scripted_server.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <utility>

namespace kb::test {
namespace {

namespace asio = aio::asio;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<aio::Executor>());
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Head and body are there.
bool is_whole(std::string const& request) {
  std::size_t const head = request.find(kHeadEnd);
  if (head == request.npos) return false;
  constexpr std::string_view kLength = "Content-Length: ";
  std::size_t const at = request.find(kLength);
  std::size_t length = 0;
  if (at < head) std::from_chars(request.data() + at + kLength.size(), request.data() + head, length);
  return request.size() >= head + kHeadEnd.size() + length;
}

}  // namespace

ScriptedServer::ScriptedServer(Loop& loop)
    : acceptor_(loop.executor(), Tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
  loop.spawn(run(loop));
}

ScriptedServer::~ScriptedServer() { stop(); }

std::string ScriptedServer::url(std::string const& path) const {
  return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + path;
}

void ScriptedServer::cut() {
  for (auto& socket : sockets_) socket.close();
}

void ScriptedServer::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  cut();
}

aio::Task<> ScriptedServer::run(Loop& loop) {
  for (;;) {
    auto [ec, socket] = co_await acceptor_.async_accept(kQuietly);
    if (ec) co_return;
    ++accepted;
    loop.spawn(serve(sockets_.emplace_back(std::move(socket))));
  }
}

aio::Task<> ScriptedServer::serve(Socket& socket) {
  std::string kept;
  std::array<char, 4096> piece;
  for (;;) {
    auto const [ec, n] = co_await socket.async_read_some(asio::buffer(piece), kQuietly);
    if (ec) co_return;
    kept.append(piece.data(), n);
    if (!is_whole(kept)) continue;
    requests.push_back(std::exchange(kept, {}));
    if (answers.empty()) continue;
    std::string const answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    bool const last = answer.ends_with("close");
    std::string const bytes = last ? answer.substr(0, answer.size() - 5) : answer;
    co_await asio::async_write(socket, asio::buffer(bytes), kQuietly);
    if (last) socket.close();
  }
}

ConnectProxy::ConnectProxy(Loop& loop)
    : acceptor_(loop.executor(), Tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
  loop.spawn(run(loop));
}

ConnectProxy::~ConnectProxy() { stop(); }

void ConnectProxy::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  for (Pair& pair : pairs_) {
    pair.near.close(ignored);
    pair.far.close(ignored);
  }
}

std::uint16_t ConnectProxy::port() const { return acceptor_.local_endpoint().port(); }

aio::Task<> ConnectProxy::run(Loop& loop) {
  for (;;) {
    auto [ec, socket] = co_await acceptor_.async_accept(kQuietly);
    if (ec) co_return;
    pairs_.push_back({std::move(socket), Socket(loop.executor())});
    loop.spawn(serve(loop, pairs_.back()));
  }
}

aio::Task<> ConnectProxy::serve(Loop& loop, Pair& pair) {
  std::string head;
  std::array<char, 4096> piece;
  while (!is_whole(head)) {
    auto const [ec, n] = co_await pair.near.async_read_some(asio::buffer(piece), kQuietly);
    if (ec) co_return;
    head.append(piece.data(), n);
  }
  asked.push_back(head.substr(0, head.find('\r')));
  std::string const to = asked.back().substr(0, asked.back().rfind(' '));
  unsigned target = 0;
  std::from_chars(to.data() + to.rfind(':') + 1, to.data() + to.size(), target);
  Tcp::endpoint const place(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(target));
  bool open = status == 200;
  if (open) {
    auto const [ec] = co_await pair.far.async_connect(place, kQuietly);
    open = !ec;
  }
  std::string const answer = "HTTP/1.1 " + std::to_string(open || status != 200 ? status : 502) + " X\r\n\r\n";
  co_await asio::async_write(pair.near, asio::buffer(answer), kQuietly);
  if (open) {
    loop.spawn(relay(pair.near, pair.far));
    loop.spawn(relay(pair.far, pair.near));
  } else {
    pair.near.close();
  }
}

aio::Task<> ConnectProxy::relay(Socket& from, Socket& to) {
  std::array<char, 4096> piece;
  for (;;) {
    auto const [ec, n] = co_await from.async_read_some(asio::buffer(piece), kQuietly);
    if (ec) break;
    auto const [unsent, written] = co_await asio::async_write(to, asio::buffer(piece, n), kQuietly);
    if (unsent) break;
  }
  boost::system::error_code ignored;
  to.close(ignored);
  from.close(ignored);
}

}  // namespace kb::test
