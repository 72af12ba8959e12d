#include "adapters/aio/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <cassert>
#include <list>
#include <utility>

#include "adapters/aio/signal.hpp"
#include "logging/service_log.hpp"

namespace kb::aio {
namespace {

// Cancellation is an answer (Errc::cancelled), not an exception: clean-up after it can still await.
Task<> quietly(Task<> body) {
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await std::move(body);
}

}  // namespace

struct TaskGroup::State {
  Executor ex;
  Report report;
  std::list<asio::cancellation_signal> children;  // a list: a slot must not move
  Signal ended;
  State(Executor e, Report r) : ex(std::move(e)), report(std::move(r)), ended(ex) {}

  void cancel() {
    // A child may end, and leave the list, while it is being told.
    for (auto at = children.begin(); at != children.end();) (at++)->emit(asio::cancellation_type::terminal);
  }
};

TaskGroup::TaskGroup(Executor ex, Report report) : state_(std::make_shared<State>(std::move(ex), std::move(report))) {}

TaskGroup::~TaskGroup() { assert(state_->children.empty() && "join() the group before it goes"); }

void TaskGroup::spawn(std::string name, Task<> body) {
  auto const child = state_->children.emplace(state_->children.end());
  auto done = [s = state_, child, name = std::move(name)](std::exception_ptr fault) {
    s->children.erase(child);
    if (fault) s->report(name, fault);
    s->ended.notify();
  };
  asio::co_spawn(state_->ex, quietly(std::move(body)), asio::bind_cancellation_slot(child->slot(), std::move(done)));
}

void TaskGroup::cancel() { state_->cancel(); }

Task<> TaskGroup::join() {
  auto const s = state_;
  while (!s->children.empty()) {
    bool const go_on = co_await s->ended.wait();
    if (go_on) continue;
    s->cancel();  // whoever joins us was cancelled: so are our children
    while (!s->children.empty()) {
      co_await s->ended.wait_through();
    }
  }
}

std::size_t TaskGroup::size() const noexcept { return state_->children.size(); }

TaskGroup::Report log_faults() {
  return [](std::string const& name, std::exception_ptr fault) {
    try {
      std::rethrow_exception(fault);
    } catch (std::exception const& e) {
      log::write(log::Level::error, "task.failed", {{"task", name}, {"what", e.what()}});
    } catch (...) {
      log::write(log::Level::error, "task.failed", {{"task", name}});
    }
  };
}

}  // namespace kb::aio
