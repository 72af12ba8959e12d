/// Frames written by hand, for what the golden ones do not have. Tests may not use the generated code.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kb::test {

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(0x80U | (value & 0x7FU));
  out += static_cast<char>(value);
}

inline void put_text(std::string& out, unsigned field, std::string const& text) {
  put_varint(out, field << 3U | 2U);
  put_varint(out, text.size());
  out += text;
}

using FrameHeaders = std::vector<std::pair<std::string, std::string>>;

inline std::string frame_bytes(unsigned method, FrameHeaders const& headers, std::string const& payload,
                               std::uint64_t id = 1) {
  std::string out;
  for (auto const& [field, value] : {std::pair<unsigned, std::uint64_t>(1, id), {2, ~id}, {3, 7}, {4, method}}) {
    put_varint(out, field << 3U);
    put_varint(out, value);
  }
  for (auto const& [key, value] : headers) {
    std::string header;
    put_text(header, 1, key);
    put_text(header, 2, value);
    put_text(out, 5, header);
  }
  if (!payload.empty()) put_text(out, 8, payload);
  return out;
}

inline std::string data_frame(FrameHeaders headers, std::string const& payload, std::uint64_t id = 1) {
  headers.insert(headers.begin(), {"type", "event"});
  return frame_bytes(1, headers, payload, id);
}

inline std::string part(std::string const& message_id, int sum, int seq, std::string const& payload) {
  return data_frame({{"message_id", message_id}, {"sum", std::to_string(sum)}, {"seq", std::to_string(seq)}}, payload);
}

inline std::string pong(std::string const& payload) { return frame_bytes(0, {{"type", "pong"}}, payload); }

}  // namespace kb::test
