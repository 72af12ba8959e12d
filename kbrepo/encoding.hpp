/// Bytes of a blob → UTF-8: UTF-8 with or without BOM, GB18030, Latin-1; binary is recognised, not guessed at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kb::kbrepo {

enum class Encoding : unsigned char { utf8, utf8_bom, utf16, gb18030, latin1 };
[[nodiscard]] std::string_view to_string(Encoding encoding) noexcept;

struct Decoded {
  std::string text;  ///< valid UTF-8, no BOM
  Encoding encoding = Encoding::utf8;
};

/// nothing: binary (a NUL outside UTF-16, or mostly control bytes). Valid UTF-8 is always taken as UTF-8.
[[nodiscard]] std::optional<Decoded> decode(std::string_view raw);

}  // namespace kb::kbrepo
