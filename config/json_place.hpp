/// The one reader of JSON files that an operator writes: a tree whose every value knows where it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault.hpp"

namespace kb::config {

/// One JSON value with its place. A plain tree; members stay in file order.
struct Json {
  enum class Type { null, boolean, integer, real, text, array, object };
  struct Member;

  Type type = Type::null;
  Place place;
  std::size_t begin = 0;  ///< bytes [begin, end) of the text that was parsed
  std::size_t end = 0;
  bool boolean = false;
  std::int64_t integer = 0;  ///< whole numbers of 64 bits only; all others are `real`, whose value nobody needs
  std::string text;
  std::vector<Json> items;
  std::vector<Member> members;

  /// The member of that name of an object; null when there is none.
  [[nodiscard]] Json const* find(std::string_view key) const noexcept;
};

struct Json::Member {
  std::string key;
  Place place;  ///< of the key
  Json value;
};

/// Parses UTF-8 JSON (RFC 8259; a byte order mark is skipped). A syntax or encoding error is appended to `faults` with
/// its place, and nothing is returned. A repeated key is a fault too, but the tree, which keeps the first, is returned
/// so that the reader can go on finding faults. Nesting is bounded (32). `file` is for the faults only.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text, std::string const& file,
                                             std::vector<Fault>& faults);

/// "an object", "text", …: for messages.
[[nodiscard]] std::string_view describe(Json::Type type) noexcept;

/// The known word that `word` was most likely meant to be; empty when none is near. Edit distance with swaps of
/// neighbours, at most half of the longer word, case ignored.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<std::string_view const> known);

/// `did you mean "x"?`, or empty.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<std::string_view const> known);

}  // namespace kb::config
