/// One byte stream to a peer, whatever carries it, so that HTTP and WebSocket are compiled once. Loop thread only.
#pragma once

#include <array>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::aio {

/// TCP today; TLS is another implementation. One read and one write at a time. Every operation completes, with an error
/// after close(); handlers are never called from inside the call that starts them.
class Wire {
 public:
  using Handler = asio::any_completion_handler<void(boost::system::error_code, std::size_t)>;
  /// Some pieces of what is to be written; the rest are empty.
  using Pieces = std::array<asio::const_buffer, 8>;

  virtual ~Wire() = default;
  [[nodiscard]] virtual Executor executor() = 0;
  virtual void read_some(asio::mutable_buffer into, Handler done) = 0;
  virtual void write_some(Pieces const& from, Handler done) = 0;
  /// Nothing more will be written; the peer sees the end after what was written.
  virtual void finish() noexcept = 0;
  /// Pending and later reads end; writing goes on. For a peer that has had its time.
  virtual void stop_reading() noexcept = 0;
  /// Cuts it.
  virtual void close() noexcept = 0;
};

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

[[nodiscard]] std::shared_ptr<Wire> tcp_wire(Socket socket);

/// Resolves and connects, trying each address. unavailable names host and port; bounded by `limit`.
[[nodiscard]] Task<Result<std::shared_ptr<Wire>>> connect_tcp(Executor ex, std::string host, std::string port,
                                                              std::chrono::milliseconds limit);

/// Reads and throws away until the peer's end or for at most `limit`. A socket closed with bytes unread resets the
/// connection, and the peer may then lose what we wrote last.
Task<> linger(std::shared_ptr<Wire> wire, std::chrono::milliseconds limit);

/// The stream concept of Asio and Beast over a Wire. Shares it: Beast's own pings can end after their stream is gone.
class WireStream {
 public:
  using executor_type = Executor;

  explicit WireStream(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}
  [[nodiscard]] executor_type get_executor() const { return wire_->executor(); }
  [[nodiscard]] std::shared_ptr<Wire> const& wire() const noexcept { return wire_; }

  template <class Buffers, class Token>
  auto async_read_some(Buffers const& buffers, Token&& token) {
    asio::mutable_buffer first;
    auto const end = asio::buffer_sequence_end(buffers);
    for (auto at = asio::buffer_sequence_begin(buffers); at != end && first.size() == 0; ++at) first = *at;
    auto start = [first](auto done, Wire* wire) { wire->read_some(first, std::move(done)); };
    return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(start, token, wire_.get());
  }

  template <class Buffers, class Token>
  auto async_write_some(Buffers const& buffers, Token&& token) {
    Wire::Pieces pieces;
    std::size_t n = 0;
    auto const end = asio::buffer_sequence_end(buffers);
    for (auto at = asio::buffer_sequence_begin(buffers); at != end && n < pieces.size(); ++at) {
      asio::const_buffer const piece(*at);
      if (piece.size() != 0) pieces[n++] = piece;
    }
    auto start = [pieces](auto done, Wire* wire) { wire->write_some(pieces, std::move(done)); };
    return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(start, token, wire_.get());
  }

 private:
  std::shared_ptr<Wire> wire_;
};

}  // namespace kb::aio
