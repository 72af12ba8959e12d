/// The golden frames of vectors.json, for the tests of the connection's parts.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kb::test {

inline std::string bytes_of(std::string_view hex) {
  auto const digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4U | digit(hex[i + 1]));
  }
  return bytes;
}

/// Members in the order of the file: a callback's answer is compared byte by byte.
inline nlohmann::ordered_json const& golden() {
  static nlohmann::ordered_json const vectors = [] {
    std::ifstream file(KB_SOURCE_DIR "/tests/feishu/vectors.json");
    return nlohmann::ordered_json::parse(file);
  }();
  return vectors;
}

inline nlohmann::ordered_json const& golden_frame(std::string_view name) {
  for (auto const& frame : golden().at("frames")) {
    if (frame.at("name") == name) return frame;
  }
  throw std::runtime_error("no golden frame " + std::string(name));
}

inline std::string golden_bytes(std::string_view name) {
  return bytes_of(golden_frame(name).at("hex").get<std::string>());
}

}  // namespace kb::test
