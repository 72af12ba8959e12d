/// Makes and owns everything of the running daemon, in order; leaving is the reverse. Nothing else knows the whole
/// house.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/control_files.hpp"
#include "config/result.hpp"

namespace kb::daemon {

struct AppOptions {
  config::Books books;
  std::string token;  ///< bearer token of the bridge; empty: loopback without one
  /// Called once, when questions can be asked.
  std::function<void(std::string const& address, std::uint16_t port)> on_ready;
};

/// Runs until SIGTERM or SIGINT. The error says what kept it from starting.
[[nodiscard]] Result<void> run_app(AppOptions options);

}  // namespace kb::daemon
