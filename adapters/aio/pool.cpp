#include "adapters/aio/pool.hpp"

#include <atomic>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

namespace kb::aio {
namespace {
using Done = asio::any_completion_handler<void(std::exception_ptr)>;
}

struct Pool::State {
  asio::thread_pool threads;
  std::atomic<std::size_t> pending{0};
  explicit State(std::size_t n) : threads(n) {}

  void start(Executor home, std::function<void()> job, Done done) {
    ++pending;
    // Tracked: the caller's loop must not run out of work while only we are busy.
    auto back = asio::prefer(std::move(home), asio::execution::outstanding_work.tracked);
    auto work = [this, back = std::move(back), job = std::move(job), done = std::move(done)]() mutable {
      std::exception_ptr fault;
      try {
        job();
      } catch (...) {
        fault = std::current_exception();
      }
      job = nullptr;  // what it holds goes on this thread, before the caller goes on
      --pending;
      auto resume = [done = std::move(done), fault]() mutable { std::move(done)(fault); };
      asio::post(back, std::move(resume));
    };
    asio::post(threads, std::move(work));
  }
};

Pool::Pool(std::size_t threads) : state_(std::make_unique<State>(threads)) {}
Pool::~Pool() { join(); }

Task<> Pool::run(std::function<void()> job) {
  Executor const home = co_await asio::this_coro::executor;
  auto begin = [state = state_.get(), &home, &job](auto done) { state->start(home, std::move(job), std::move(done)); };
  auto token = asio::use_awaitable_t<Executor>();
  co_await asio::async_initiate<asio::use_awaitable_t<Executor>, void(std::exception_ptr)>(begin, token);
}

void Pool::join() { state_->threads.join(); }
std::size_t Pool::pending() const noexcept { return state_->pending; }

}  // namespace kb::aio
