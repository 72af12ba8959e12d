/// The service manager's side of the daemon's life (sd_notify). Without a manager all of it does nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kb::daemon {

/// "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=…"; several lines allowed.
void notify_manager(std::string const& state);
/// "RELOADING=1" with the time stamp that Type=notify-reload wants.
void notify_reloading();
/// How often the manager wants to hear WATCHDOG=1, halved; nothing when it does not.
[[nodiscard]] std::optional<std::chrono::milliseconds> watchdog_interval();

}  // namespace kb::daemon
