/// Whether a message is a question to a knowledge base, for hosts that can go on without us. Pure.
#pragma once

#include <string_view>

namespace kb::daemon {

/// Asks something (a question mark, an asking word) or wants something looked up. When in doubt: no; small talk is then
/// the host's.
[[nodiscard]] bool asks(std::string_view text);

}  // namespace kb::daemon
