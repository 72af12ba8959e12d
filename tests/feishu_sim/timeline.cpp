#include "tests/feishu_sim/timeline.hpp"

#include <algorithm>
#include <utility>

#include "adapters/aio/watchdog.hpp"

namespace kb::feishu_sim {

Timeline::Timeline(aio::Executor ex) : ex_(std::move(ex)), changed_(ex_) {}

Millis Timeline::now() const {
  auto const machine = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Millis>(machine) + ahead_;
}

std::uint64_t Timeline::in(Millis after, std::function<void()> what) {
  timers_.emplace(++last_, Timer{now() + after, std::move(what)});
  changed_.notify();
  return last_;
}

void Timeline::forget(std::uint64_t timer) { timers_.erase(timer); }

void Timeline::advance(Millis by) {
  ahead_ += by;
  settle();
  changed_.notify();
}

std::map<std::uint64_t, Timeline::Timer>::iterator Timeline::first() {
  return std::min_element(timers_.begin(), timers_.end(),
                          [](auto const& a, auto const& b) { return a.second.due < b.second.due; });
}

void Timeline::settle() {
  for (auto next = first(); next != timers_.end() && next->second.due <= now(); next = first()) {
    auto const what = std::move(next->second.what);
    timers_.erase(next);  // first: what happens may start timers of its own
    what();
  }
}

aio::Task<> Timeline::run() {
  while (!stopped_) {
    settle();
    auto const next = first();
    bool go_on = true;
    if (next == timers_.end()) {
      go_on = co_await changed_.wait();
    } else {
      aio::Watchdog alarm(ex_, std::max(Millis(0), next->second.due - now()), [this] { changed_.notify(); });
      go_on = co_await changed_.wait();
    }
    if (!go_on) co_return;
  }
}

void Timeline::stop() {
  stopped_ = true;
  timers_.clear();
  changed_.notify();
}

}  // namespace kb::feishu_sim
