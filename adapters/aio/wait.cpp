#include "adapters/aio/wait.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace kb::aio {
namespace {

constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());

// Lends a descriptor to the library; never closes it.
class Borrowed {
 public:
  explicit Borrowed(Executor ex) : descriptor_(std::move(ex)) {}
  ~Borrowed() {
    if (descriptor_.is_open()) descriptor_.release();
  }
  Borrowed(Borrowed const&) = delete;
  Borrowed& operator=(Borrowed const&) = delete;

  bool take(int fd) {
    boost::system::error_code ec;
    descriptor_.assign(fd, ec);
    return !ec;
  }
  auto& operator*() noexcept { return descriptor_; }

 private:
  asio::posix::basic_stream_descriptor<Executor> descriptor_;
};

// A cancellation that came before the wait would not end it.
Task<bool> cancelled() {
  auto const state = co_await asio::this_coro::cancellation_state;
  co_return state.cancelled() != asio::cancellation_type::none;
}

}  // namespace

Task<bool> sleep_for(Executor ex, std::chrono::milliseconds time) {
  bool const too_late = co_await cancelled();
  if (too_late) co_return false;
  asio::basic_waitable_timer<std::chrono::steady_clock> timer(std::move(ex), time);
  auto const [ec] = co_await timer.async_wait(kQuietly);
  co_return !ec;
}

Task<bool> wait_readable(Executor ex, int fd) {
  bool const too_late = co_await cancelled();
  if (too_late) co_return false;
  Borrowed descriptor(std::move(ex));
  if (!descriptor.take(fd)) co_return false;
  auto const [ec] = co_await (*descriptor).async_wait(asio::posix::descriptor_base::wait_read, kQuietly);
  co_return !ec;
}

}  // namespace kb::aio
