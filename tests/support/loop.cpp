#include "tests/support/loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "adapters/aio/task_group.hpp"

namespace kb::test {

struct Loop::State {
  aio::asio::io_context io{1};
  aio::asio::executor_work_guard<aio::asio::io_context::executor_type> open{io.get_executor()};
  std::vector<std::string> faults;
  aio::TaskGroup tasks{io.get_executor(), [this](std::string const&, std::exception_ptr fault) {
                         try {
                           std::rethrow_exception(fault);
                         } catch (std::exception const& e) {
                           faults.emplace_back(e.what());
                         }
                       }};
};

Loop::Loop() : state_(std::make_unique<State>()) {}

Loop::~Loop() {
  cancel();
  (void)finishes();
}

aio::Executor Loop::executor() { return state_->io.get_executor(); }
void Loop::spawn(aio::Task<> task) { state_->tasks.spawn("test", std::move(task)); }
void Loop::cancel() { state_->tasks.cancel(); }

bool Loop::until(std::function<bool()> const& holds, std::chrono::seconds bound) {
  constexpr auto kLook = std::chrono::milliseconds(20);  // another thread may make it hold without waking us
  auto const end = std::chrono::steady_clock::now() + bound;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    state_->io.run_one_for(kLook);
  }
  return true;
}

bool Loop::finishes(std::chrono::seconds bound) {
  return until([this] { return state_->tasks.size() == 0; }, bound);
}

void Loop::settle() {
  while (state_->io.poll() != 0) {
  }
}

std::vector<std::string> const& Loop::faults() const noexcept { return state_->faults; }

}  // namespace kb::test
