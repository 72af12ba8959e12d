/// Git object ids as types of their own: 20 raw bytes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kb::kbrepo {

template <class Tag>
struct ObjectId {
  std::array<std::uint8_t, 20> bytes{};

  [[nodiscard]] std::string hex() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out;
    out.reserve(40);
    for (std::uint8_t const b : bytes) {
      out += kDigits[b >> 4];
      out += kDigits[b & 15];
    }
    return out;
  }
  /// Exactly 40 hex digits, else nothing.
  [[nodiscard]] static std::optional<ObjectId> parse(std::string_view hex) noexcept {
    if (hex.size() != 40) return std::nullopt;
    ObjectId id;
    for (std::size_t i = 0; i < 40; ++i) {
      char const c = hex[i];
      int const v = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
      if (v < 0) return std::nullopt;
      id.bytes[i / 2] = static_cast<std::uint8_t>((id.bytes[i / 2] << 4) | v);
    }
    return id;
  }
  friend auto operator<=>(ObjectId const&, ObjectId const&) = default;
};

using CommitId = ObjectId<struct CommitTag>;
using BlobId = ObjectId<struct BlobTag>;

}  // namespace kb::kbrepo

template <class Tag>
struct std::hash<kb::kbrepo::ObjectId<Tag>> {
  std::size_t operator()(kb::kbrepo::ObjectId<Tag> const& id) const noexcept {
    std::size_t h = 0;  // object ids are already uniform
    std::memcpy(&h, id.bytes.data(), sizeof h);
    return h;
  }
};
