#include "adapters/aio/watchdog.hpp"

#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace kb::aio {

// Shared with the timer's handler, which the library can call after the Watchdog is gone.
struct Watchdog::State : std::enable_shared_from_this<State> {
  asio::basic_waitable_timer<std::chrono::steady_clock> timer;
  std::chrono::milliseconds limit;
  std::function<void()> bite;  // empty: bitten or gone
  bool bitten = false;
  unsigned fed = 0;  // a wait that ended too late to be cancelled knows by it

  State(Executor ex, std::chrono::milliseconds l, std::function<void()> b)
      : timer(std::move(ex)), limit(l), bite(std::move(b)) {}

  void start() {
    timer.expires_after(limit);
    timer.async_wait([self = shared_from_this(), round = ++fed](boost::system::error_code ec) {
      if (ec || round != self->fed || !self->bite) return;
      self->bitten = true;
      auto const call = std::exchange(self->bite, nullptr);
      call();
    });
  }
};

Watchdog::Watchdog(Executor ex, std::chrono::milliseconds limit, std::function<void()> bite)
    : state_(std::make_shared<State>(std::move(ex), limit, std::move(bite))) {
  state_->start();
}

Watchdog::~Watchdog() {
  state_->bite = nullptr;
  state_->timer.cancel();
}

void Watchdog::feed() {
  if (state_->bite) state_->start();
}

bool Watchdog::bitten() const noexcept { return state_->bitten; }

}  // namespace kb::aio
