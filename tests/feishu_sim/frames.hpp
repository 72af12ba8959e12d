/// The frames of the long connection, seen from the server. Written against pbbp2.proto alone, not with the adapter's
/// code: what the two sides agree on is then tested.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/result.hpp"
#include "tests/feishu_sim/json.hpp"

namespace kb::feishu_sim {

constexpr std::int32_t kControl = 0;
constexpr std::int32_t kData = 1;

struct Frame {
  std::uint64_t seq_id = 0, log_id = 0;
  std::int32_t service = 0, method = kControl;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> payload_encoding, payload_type, payload, log_id_new;

  /// The first header of that name.
  [[nodiscard]] std::optional<std::string> header(std::string_view key) const;
};

[[nodiscard]] std::string encode(Frame const& frame);
/// invalid_input: not a frame, or a required field is missing.
[[nodiscard]] Result<Frame> decode(std::string_view bytes);

/// For the records; 64-bit numbers as text.
[[nodiscard]] Json to_json(Frame const& frame);

[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] Result<std::string> from_hex(std::string_view hex);
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Nothing: not the standard alphabet with its padding.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace kb::feishu_sim
