/// One frame of the long connection: a protobuf message in a binary WebSocket message (pbbp2.proto).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/result.hpp"

namespace kb::feishu {

/// Keeps what it does not know: an acknowledgement is the frame that came, changed in two places.
class Frame {
 public:
  /// invalid_input: no frame, or a required field is missing.
  [[nodiscard]] static Result<Frame> decode(std::string_view bytes);
  [[nodiscard]] static Frame ping(std::int32_t service);
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;
  ~Frame();

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] bool control() const noexcept;  ///< method 0
  [[nodiscard]] bool data() const noexcept;     ///< method 1; anything else is to be ignored
  [[nodiscard]] std::int32_t service() const noexcept;
  [[nodiscard]] std::uint64_t sequence_id() const noexcept;
  [[nodiscard]] std::uint64_t log_id() const noexcept;
  /// The first header of that name; empty when there is none.
  [[nodiscard]] std::string_view header(std::string_view key) const noexcept;
  [[nodiscard]] std::string_view payload() const noexcept;

  /// The acknowledgement of this frame: `code` 200 or 500; `data` is the JSON answer to a callback, empty for none.
  [[nodiscard]] Frame ack(int code, std::string_view data, std::chrono::milliseconds took) const;

 private:
  struct State;
  explicit Frame(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::feishu
