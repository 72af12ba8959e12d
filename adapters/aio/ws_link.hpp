/// A WebSocket over a Wire as a Link. Used by the HTTP server and by connect_ws.
#pragma once

#include <memory>

#include "adapters/aio/http.hpp"
#include "adapters/aio/link.hpp"
#include "adapters/aio/wire.hpp"

namespace kb::aio {

/// Answers the upgrade request that was read from `wire`. A malformed one is answered with 400 and gives an error.
[[nodiscard]] Task<Result<std::unique_ptr<Link>>> accept_ws(std::shared_ptr<Wire> wire, HttpRequest request,
                                                            ServerLimits limits);

}  // namespace kb::aio
