#include "daemon/notify.hpp"

#include <cstdint>
#include <systemd/sd-daemon.h>
#include <time.h>

namespace kb::daemon {

void notify_manager(std::string const& state) { sd_notify(0, state.c_str()); }

void notify_reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  auto const micros =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000;
  sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(micros)).c_str());
}

std::optional<std::chrono::milliseconds> watchdog_interval() {
  std::uint64_t micros = 0;
  if (sd_watchdog_enabled(0, &micros) <= 0 || micros == 0) return std::nullopt;
  return std::chrono::milliseconds(micros / 2000);
}

}  // namespace kb::daemon
