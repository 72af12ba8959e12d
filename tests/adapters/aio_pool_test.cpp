#include <array>
#include <atomic>
#include <doctest/doctest.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "adapters/aio/pool.hpp"
#include "adapters/aio/wait.hpp"
#include "tests/support/loop.hpp"

using namespace kb;

namespace {

aio::Task<> where_it_runs(aio::Pool& pool, std::thread::id& before, std::thread::id& during, std::thread::id& after) {
  before = std::this_thread::get_id();
  auto job = [&during] { during = std::this_thread::get_id(); };
  co_await pool.run(job);
  after = std::this_thread::get_id();
}

aio::Task<> add_up(aio::Pool& pool, std::vector<int> numbers, int& sum) {
  int result = 0;
  auto job = [&] {
    for (int const n : numbers) result += n;
  };
  co_await pool.run(job);
  sum += result;  // on the loop: no lock
}

aio::Task<> fails(aio::Pool& pool, std::string& what) {
  auto job = [] { throw std::runtime_error("the job's own words"); };
  try {
    co_await pool.run(job);
  } catch (std::runtime_error const& e) {
    what = e.what();
  }
}

aio::Task<> held(aio::Pool& pool, std::atomic<bool>& release, bool& done) {
  auto job = [&release] { release.wait(false); };
  co_await pool.run(job);
  done = true;
}

aio::Task<> note_readable(aio::Executor ex, int fd, std::optional<bool>& readable) {
  readable = co_await aio::wait_readable(ex, fd);
}

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() { REQUIRE_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
};

}  // namespace

TEST_CASE("a job runs on the pool and its caller goes on where it was") {
  test::Loop loop;
  aio::Pool pool(1);
  std::thread::id before, during, after;
  loop.spawn(where_it_runs(pool, before, during, after));
  REQUIRE(loop.finishes());
  CHECK_EQ(before, after);
  CHECK_NE(before, during);
}

TEST_CASE("many jobs on many threads give each caller its own result") {
  test::Loop loop;
  aio::Pool pool(4);
  int sum = 0;
  for (int i = 1; i <= 200; ++i) loop.spawn(add_up(pool, std::vector<int>{i, -1}, sum));
  REQUIRE(loop.finishes());
  CHECK_EQ(sum, 200 * 201 / 2 - 200);
}

TEST_CASE("what a job throws is thrown where it was awaited") {
  test::Loop loop;
  aio::Pool pool(1);
  std::string what;
  loop.spawn(fails(pool, what));
  REQUIRE(loop.finishes());
  CHECK_EQ(what, "the job's own words");
}

TEST_CASE("a cancelled caller still waits for its job, which uses its frame") {
  test::Loop loop;
  aio::Pool pool(1);
  std::atomic<bool> release{false};
  bool done = false;
  loop.spawn(held(pool, release, done));
  REQUIRE(loop.until([&] { return pool.pending() == 1; }));
  loop.cancel();
  loop.settle();
  CHECK_FALSE(done);
  release = true;
  release.notify_all();
  REQUIRE(loop.finishes());
  CHECK(done);
  CHECK_EQ(pool.pending(), 0);
}

TEST_CASE("join runs what is queued") {
  test::Loop loop;
  int sum = 0;
  aio::Pool pool(1);
  for (int i = 0; i < 20; ++i) loop.spawn(add_up(pool, std::vector<int>{1}, sum));
  loop.settle();
  pool.join();
  REQUIRE(loop.finishes());
  CHECK_EQ(sum, 20);
}

TEST_CASE("a descriptor is waited for, again and again, and stays open") {
  test::Loop loop;
  Pipe pipe;
  for (int round = 0; round < 2; ++round) {
    std::optional<bool> readable;
    loop.spawn(note_readable(loop.executor(), pipe.ends[0], readable));
    loop.settle();
    CHECK_FALSE(readable.has_value());
    REQUIRE_EQ(::write(pipe.ends[1], "x", 1), 1);
    REQUIRE(loop.finishes());
    CHECK_EQ(readable, std::optional<bool>(true));
    char c = 0;
    REQUIRE_EQ(::read(pipe.ends[0], &c, 1), 1);
  }
}

TEST_CASE("waiting for a descriptor ends by cancellation, or at once when there is none") {
  test::Loop loop;
  Pipe pipe;
  std::optional<bool> readable;
  SUBCASE("cancelled") {
    loop.spawn(note_readable(loop.executor(), pipe.ends[0], readable));
    loop.settle();
    loop.cancel();
  }
  SUBCASE("not a descriptor") { loop.spawn(note_readable(loop.executor(), -1, readable)); }
  REQUIRE(loop.finishes());
  CHECK_EQ(readable, std::optional<bool>(false));
}
