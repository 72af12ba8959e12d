/// When a server that did not answer a call is worth asking again.
#pragma once

#include <chrono>
#include <optional>

#include "adapters/aio/http.hpp"

namespace kb::model {

/// Seconds of a Retry-After header, up to an hour; nothing for a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(aio::HttpResponse const& response);

/// The same call may get another answer: the server is busy or at fault, not the call.
[[nodiscard]] bool can_help_to_repeat(unsigned status) noexcept;

}  // namespace kb::model
