/// Time limits on what waits.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "adapters/aio/task.hpp"

namespace kb::aio {

/// Calls `bite` on `ex` unless destroyed or fed within `limit`. The only way we bound an await. Bites once.
/// What `bite` refers to must outlive the Watchdog, which never bites after its destructor. Loop thread only.
class Watchdog {
 public:
  Watchdog(Executor ex, std::chrono::milliseconds limit, std::function<void()> bite);
  ~Watchdog();
  Watchdog(Watchdog const&) = delete;
  Watchdog& operator=(Watchdog const&) = delete;

  void feed();  ///< starts the limit anew; nothing after a bite
  [[nodiscard]] bool bitten() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kb::aio
