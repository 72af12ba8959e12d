/// What stands on pages and is never to be quoted: keys, tokens and passwords (N-31 says so of invite codes).
#pragma once

#include <string_view>

namespace kb::answer {

/// A key by its form (sk-…, ghp_…, AKIA…, a private key), or a code behind the word for one ("密码：x9Kd82mQ").
[[nodiscard]] bool holds_secret(std::string_view text);

}  // namespace kb::answer
