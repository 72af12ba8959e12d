#include "adapters/aio/signal.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kb::aio {
namespace {
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock>;
}  // namespace

struct Signal::State {
  Timer never;                  // cancelling its waits is how all are woken
  std::uint64_t announced = 0;  // tells a notified wait from a cancelled one
  explicit State(Executor ex) : never(std::move(ex), Timer::time_point::max()) {}
};

Signal::Signal(Executor ex) : state_(std::make_unique<State>(std::move(ex))) {}
Signal::~Signal() = default;

Task<bool> Signal::wait() {
  auto const cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) co_return false;
  auto const before = state_->announced;
  co_await state_->never.async_wait(kQuietly);
  co_return state_->announced != before;
}

Task<> Signal::wait_through() { co_await state_->never.async_wait(kQuietly); }

void Signal::notify() {
  ++state_->announced;
  state_->never.cancel();
}

}  // namespace kb::aio
