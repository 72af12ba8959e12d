/// Short names for long things: the same parts give the same name, on every machine and after every restart.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace kb::feishu {

/// 32 hex digits of the SHA-256 over the parts, each with its length, so that no two lists of parts run together.
[[nodiscard]] std::string digest(std::initializer_list<std::string_view> parts);

}  // namespace kb::feishu
