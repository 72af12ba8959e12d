/// One WebSocket connection, whatever is below it. Loop thread only.
#pragma once

#include <string>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::aio {

class Link {
 public:
  virtual ~Link() = default;
  /// The next whole text or binary message. An error of any kind means: the link ended. One reader at a time.
  virtual Task<Result<std::string>> read() = 0;
  /// Whether the message that was read last was binary.
  [[nodiscard]] virtual bool got_binary() const noexcept = 0;
  /// What write() sends from now on: text at first.
  virtual void send_binary(bool on) = 0;
  /// One writer at a time.
  virtual Task<Result<void>> write(std::string message) = 0;
  /// Sends a close frame (1000, or what set_close gave) and returns when the peer has answered it or the link was cut.
  /// The peer's answer arrives through the reader, which ends by it: go on reading meanwhile.
  virtual Task<> close() = 0;
  /// Close code and reason for the next close().
  virtual void set_close(unsigned short code, std::string reason) = 0;
  /// Cuts the connection now: pending reads and writes end.
  virtual void abort() noexcept = 0;
};

}  // namespace kb::aio
