#include <doctest/doctest.h>
#include <stdexcept>

#include "adapters/aio/outbox.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/aio/watchdog.hpp"
#include "tests/support/loop.hpp"

using namespace std::chrono_literals;
using namespace kb;

namespace {

aio::Task<> wait_once(aio::Signal& signal, int& woken, int& cancelled) {
  bool const go_on = co_await signal.wait();
  ++(go_on ? woken : cancelled);
}

aio::Task<> wait_twice(aio::Signal& signal, std::vector<bool>& answers) {
  for (int i = 0; i < 2; ++i) answers.push_back(co_await signal.wait());
}

aio::Task<> fail(std::string what) {
  throw std::runtime_error(what);
  co_return;
}

aio::Task<> tidy_up(aio::Signal& go, aio::Signal& more, bool& tidied) {
  bool const went_on = co_await go.wait();
  if (went_on) co_return;
  co_await more.wait_through();
  tidied = true;
}

aio::Task<> join(aio::TaskGroup& group, bool& joined) {
  co_await group.join();
  joined = true;
}

aio::Task<> take_all(aio::Outbox& outbox, std::vector<std::string>& got, bool& ended) {
  for (;;) {
    std::optional<aio::Outgoing> next = co_await outbox.take();
    if (!next) break;
    got.push_back(std::move(next->text));
  }
  ended = true;
}

aio::Task<> note_sleep(aio::Executor ex, std::chrono::milliseconds time, std::optional<bool>& over) {
  over = co_await aio::sleep_for(ex, time);
}

aio::Outgoing text(std::string value) { return aio::Outgoing(std::move(value), ""); }

}  // namespace

TEST_CASE("a signal wakes all who wait") {
  test::Loop loop;
  aio::Signal signal(loop.executor());
  int woken = 0;
  int cancelled = 0;
  for (int i = 0; i < 3; ++i) loop.spawn(wait_once(signal, woken, cancelled));
  loop.settle();
  CHECK_EQ(woken, 0);
  signal.notify();
  REQUIRE(loop.finishes());
  CHECK_EQ(woken, 3);
  CHECK_EQ(cancelled, 0);
}

TEST_CASE("a cancelled wait says false, and so does every later one") {
  test::Loop loop;
  aio::Signal signal(loop.executor());
  std::vector<bool> answers;
  loop.spawn(wait_twice(signal, answers));
  loop.settle();
  loop.cancel();
  REQUIRE(loop.finishes());
  CHECK_EQ(answers, std::vector<bool>{false, false});
}

TEST_CASE("a cancellation that meets a notification is not lost") {
  test::Loop loop;
  aio::Signal signal(loop.executor());
  std::vector<bool> answers;
  loop.spawn(wait_twice(signal, answers));
  loop.settle();
  signal.notify();
  loop.cancel();
  REQUIRE(loop.finishes());
  CHECK_EQ(answers, std::vector<bool>{true, false});
}

TEST_CASE("a watchdog bites once, after its limit") {
  test::Loop loop;
  int bites = 0;
  aio::Watchdog dog(loop.executor(), 1ms, [&] { ++bites; });
  REQUIRE(loop.until([&] { return dog.bitten(); }));
  dog.feed();
  loop.settle();
  CHECK_EQ(bites, 1);
}

TEST_CASE("a watchdog that is gone does not bite, not even when its time is over") {
  test::Loop loop;
  int bites = 0;
  {
    aio::Watchdog dog(loop.executor(), 0ms, [&] { ++bites; });
  }
  loop.settle();
  CHECK_EQ(bites, 0);
}

TEST_CASE("a fed watchdog starts its limit anew") {
  test::Loop loop;
  bool short_bit = false;
  aio::Watchdog fed(loop.executor(), 60'000ms, [] {});
  aio::Watchdog other(loop.executor(), 5ms, [&] { short_bit = true; });
  fed.feed();
  REQUIRE(loop.until([&] { return short_bit; }));
  CHECK_FALSE(fed.bitten());
}

TEST_CASE("a bite may destroy its watchdog") {
  test::Loop loop;
  std::optional<aio::Watchdog> dog;
  bool bitten = false;
  dog.emplace(loop.executor(), 0ms, [&] {
    dog.reset();
    bitten = true;
  });
  CHECK(loop.until([&] { return bitten; }));
}

TEST_CASE("a group reports each child's fault by name and goes on") {
  test::Loop loop;
  std::vector<std::string> faults;
  aio::TaskGroup group(loop.executor(), [&](std::string const& name, std::exception_ptr) { faults.push_back(name); });
  bool joined = false;
  group.spawn("first", fail("one"));
  group.spawn("second", fail("two"));
  CHECK_EQ(group.size(), 2);
  loop.spawn(join(group, joined));
  REQUIRE(loop.finishes());
  CHECK(joined);
  CHECK_EQ(faults, std::vector<std::string>{"first", "second"});
}

TEST_CASE("a cancelled child can still await its clean-up, and join waits for it") {
  test::Loop loop;
  aio::Signal go(loop.executor());
  aio::Signal more(loop.executor());
  aio::TaskGroup group(loop.executor(), aio::log_faults());
  bool tidied = false;
  bool joined = false;
  group.spawn("tidy", tidy_up(go, more, tidied));
  loop.spawn(join(group, joined));
  loop.settle();
  group.cancel();
  loop.settle();
  CHECK_FALSE(joined);
  more.notify();
  REQUIRE(loop.finishes());
  CHECK(tidied);
  CHECK(joined);
}

TEST_CASE("whoever joins a group and is cancelled takes the children along") {
  test::Loop loop;
  aio::Signal go(loop.executor());
  aio::Signal more(loop.executor());
  aio::TaskGroup group(loop.executor(), aio::log_faults());
  bool tidied = false;
  bool joined = false;
  group.spawn("tidy", tidy_up(go, more, tidied));
  loop.spawn(join(group, joined));
  loop.settle();
  loop.cancel();
  loop.settle();
  CHECK_FALSE(joined);
  more.notify();
  REQUIRE(loop.finishes());
  CHECK(tidied);
}

TEST_CASE("a closed outbox gives what it holds, then ends") {
  test::Loop loop;
  aio::Outbox outbox(loop.executor(), 2);
  CHECK(outbox.offer(text("a")));
  CHECK(outbox.offer(text("b")));
  CHECK_FALSE(outbox.offer(text("over the limit")));
  outbox.close();
  CHECK_FALSE(outbox.offer(text("too late")));
  std::vector<std::string> got;
  bool ended = false;
  loop.spawn(take_all(outbox, got, ended));
  REQUIRE(loop.finishes());
  CHECK(ended);
  CHECK_EQ(got, std::vector<std::string>{"a", "b"});
}

TEST_CASE("who waits for an outbox hears of an offer, of the close and of its own cancellation") {
  test::Loop loop;
  aio::Outbox outbox(loop.executor(), 2);
  std::vector<std::string> got;
  bool ended = false;
  loop.spawn(take_all(outbox, got, ended));
  loop.settle();
  CHECK(outbox.offer(text("a")));
  loop.settle();
  CHECK_EQ(got, std::vector<std::string>{"a"});
  SUBCASE("close") { outbox.close(); }
  SUBCASE("cancellation") { loop.cancel(); }
  REQUIRE(loop.finishes());
  CHECK(ended);
}

TEST_CASE("a sleep says whether it was slept out") {
  test::Loop loop;
  std::optional<bool> over;
  SUBCASE("out") {
    loop.spawn(note_sleep(loop.executor(), 1ms, over));
    REQUIRE(loop.finishes());
    CHECK_EQ(over, std::optional<bool>(true));
  }
  SUBCASE("cancelled") {
    loop.spawn(note_sleep(loop.executor(), 60'000ms, over));
    loop.settle();
    loop.cancel();
    REQUIRE(loop.finishes());
    CHECK_EQ(over, std::optional<bool>(false));
  }
}
