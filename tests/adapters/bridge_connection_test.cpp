#include <doctest/doctest.h>
#include <stdexcept>

#include "adapters/bridge/connection.hpp"
#include "tests/support/fake_link.hpp"
#include "tests/support/loop.hpp"

using namespace std::chrono_literals;
using namespace kb;
using bridge::Connection;
using bridge::ConnectionLimits;

namespace {

constexpr ConnectionLimits kPatient{64, 60'000ms, 60'000ms};

/// A connection, its peer and a loop; what was handled and what went out.
struct Bench {
  test::Loop loop;
  test::FakeLink* peer = nullptr;
  std::vector<std::string> handled, sent;
  bool hold = false;  ///< handle() waits for `room`
  aio::Signal room{loop.executor()};
  std::optional<Connection> connection;

  explicit Bench(ConnectionLimits limits = kPatient) {
    auto link = std::make_unique<test::FakeLink>(loop.executor());
    peer = link.get();
    Connection::Hooks hooks{[this](std::string m) { return handle(std::move(m)); },
                            [this](std::string const& tag) { sent.push_back(tag); }, [this] { room.notify(); }};
    connection.emplace(loop.executor(), std::move(link), hooks, limits);
    loop.spawn(connection->run());
    loop.settle();
  }

  aio::Task<> handle(std::string message) {
    if (message == "fault") throw std::runtime_error("handler broke");
    while (hold && !connection->leaving()) {
      bool const go_on = co_await room.wait();
      if (!go_on) co_return;
    }
    handled.push_back(std::move(message));
  }

  bool say(std::string text, std::string tag = {}) {
    return connection->say(aio::Outgoing(std::move(text), std::move(tag)));
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("messages are handled in order, and the end of the peer ends the connection") {
  Bench b;
  b.peer->peer_says("one");
  b.peer->peer_says("two");
  b.peer->peer_leaves();
  REQUIRE(b.loop.finishes());
  CHECK_EQ(b.handled, Texts{"one", "two"});
  CHECK_FALSE(b.say("too late"));
}

TEST_CASE("stop sends what is queued, then a close frame with its reason") {
  Bench b;
  REQUIRE(b.say("one"));
  REQUIRE(b.say("two"));
  b.connection->stop(1001, "going away");
  b.connection->stop(1008, "a second reason");
  REQUIRE(b.loop.finishes());
  CHECK_EQ(b.peer->got, Texts{"one", "two"});
  CHECK(b.peer->closed);
  CHECK_EQ(b.peer->close_code, 1001);
}

TEST_CASE("what comes after stop is read, so that the close is seen, and not handled") {
  Bench b;
  b.peer->peer_answers_close = false;
  b.connection->stop(1001, "going away");
  b.peer->peer_says("late");
  b.loop.settle();
  CHECK_EQ(b.peer->unread(), 0);
  b.peer->peer_leaves();
  REQUIRE(b.loop.finishes());
  CHECK_EQ(b.handled, Texts{});
}

TEST_CASE("a tag is heard of once its message is written, not before") {
  Bench b;
  b.peer->peer_reads = false;
  REQUIRE(b.say("answer", "key-1"));
  REQUIRE(b.say("untagged"));
  b.loop.settle();
  CHECK_EQ(b.sent, Texts{});
  b.peer->peer_reads_again();
  b.loop.settle();
  CHECK_EQ(b.sent, Texts{"key-1"});
  b.peer->peer_leaves();
  REQUIRE(b.loop.finishes());
}

TEST_CASE("a peer that never answers the close is cut off after the grace time") {
  Bench b({64, 60'000ms, 5ms});
  b.peer->peer_answers_close = false;
  b.connection->stop(1000, "");
  REQUIRE(b.loop.finishes());
  CHECK(b.peer->aborted);
}

TEST_CASE("a peer that does not read is cut off after the write time") {
  Bench b({64, 5ms, 60'000ms});
  b.peer->peer_reads = false;
  REQUIRE(b.say("stuck", "key"));
  REQUIRE(b.loop.finishes());
  CHECK(b.peer->aborted);
  CHECK_EQ(b.sent, Texts{});
}

TEST_CASE("a peer that lets its outbox overflow is closed with 1008, and what was queued is not sent") {
  Bench b({2, 60'000ms, 60'000ms});
  b.peer->peer_reads = false;
  REQUIRE(b.say("being written"));
  b.loop.settle();
  REQUIRE(b.say("queued"));
  REQUIRE(b.say("queued"));
  CHECK_FALSE(b.say("over"));
  b.peer->peer_reads_again();
  REQUIRE(b.loop.finishes());
  CHECK_EQ(b.peer->got, Texts{"being written"});
  CHECK(b.peer->closed);
  CHECK_EQ(b.peer->close_code, 1008);
}

TEST_CASE("nothing is read while a message is being handled") {
  Bench b;
  b.hold = true;
  b.peer->peer_says("one");
  b.peer->peer_says("two");
  b.loop.settle();
  CHECK_EQ(b.peer->unread(), 1);
  SUBCASE("the handler goes on") {
    b.hold = false;
    b.room.notify();
    b.loop.settle();
    CHECK_EQ(b.handled, Texts{"one", "two"});
    b.peer->peer_leaves();
  }
  SUBCASE("the connection stops") { b.connection->stop(1001, "going away"); }
  SUBCASE("the task is cancelled") { b.loop.cancel(); }
  REQUIRE(b.loop.finishes());
}

TEST_CASE("a handler's fault ends the connection and reaches its owner") {
  Bench b;
  b.peer->peer_says("fault");
  REQUIRE(b.loop.finishes());
  CHECK(b.peer->aborted);
  CHECK_EQ(b.loop.faults(), Texts{"handler broke"});
}

TEST_CASE("a cancelled connection closes in order") {
  Bench b;
  b.loop.cancel();
  REQUIRE(b.loop.finishes());
  CHECK(b.peer->closed);
}
