/// HTTP servers on loopback that say what a test scripts, byte by byte. Before one goes: stop(), and let the loop finish.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "tests/support/loop.hpp"

namespace kb::test {

/// One answer a request; one that ends in "close" is the last of its connection, one that is not whole stays so.
class ScriptedServer {
 public:
  explicit ScriptedServer(Loop& loop);
  ~ScriptedServer();
  ScriptedServer(ScriptedServer const&) = delete;
  ScriptedServer& operator=(ScriptedServer const&) = delete;

  std::deque<std::string> answers;  ///< the last one stays
  std::vector<std::string> requests;
  std::size_t accepted = 0;

  [[nodiscard]] std::string url(std::string const& path = "/") const;
  void cut();
  void stop();

 private:
  using Tcp = aio::asio::ip::tcp;
  using Socket = aio::asio::basic_stream_socket<Tcp, aio::Executor>;

  aio::Task<> run(Loop& loop);
  aio::Task<> serve(Socket& socket);

  aio::asio::basic_socket_acceptor<Tcp, aio::Executor> acceptor_;
  std::list<Socket> sockets_;
};

/// A proxy that opens a way to 127.0.0.1 for every CONNECT, or refuses with `status`.
class ConnectProxy {
 public:
  explicit ConnectProxy(Loop& loop);
  ~ConnectProxy();
  ConnectProxy(ConnectProxy const&) = delete;
  ConnectProxy& operator=(ConnectProxy const&) = delete;

  unsigned status = 200;
  std::vector<std::string> asked;  ///< the request lines

  [[nodiscard]] std::uint16_t port() const;
  void stop();

 private:
  using Tcp = aio::asio::ip::tcp;
  using Socket = aio::asio::basic_stream_socket<Tcp, aio::Executor>;
  struct Pair {
    Socket near, far;
  };

  aio::Task<> run(Loop& loop);
  aio::Task<> serve(Loop& loop, Pair& pair);
  static aio::Task<> relay(Socket& from, Socket& to);

  aio::asio::basic_socket_acceptor<Tcp, aio::Executor> acceptor_;
  std::list<Pair> pairs_;
};

}  // namespace kb::test
