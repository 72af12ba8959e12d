// What comes over an open link: events, acknowledgements, fragments, pings.
#include <algorithm>
#include <array>

#include "tests/feishu/connection_bench.hpp"

using namespace std::chrono_literals;
using namespace kb;
using Bench = test::ConnectionBench;
using feishu::ConnectionLimits;
using feishu::Frame;
using std::chrono::steady_clock;
using test::data_frame;
using test::fast;
using test::part;

TEST_CASE("discovery asks with the app's secret, and its URL is used untouched") {
  Bench b;
  b.open();
  CHECK_EQ(b.platform.last_discovery.method, "POST");
  CHECK_EQ(b.platform.last_discovery.target, "/callback/ws/endpoint");
  CHECK_EQ(b.platform.last_discovery.header("locale"), "zh");
  CHECK_EQ(nlohmann::json::parse(b.platform.last_discovery.body),
           nlohmann::json{{"AppID", "cli_a1b2c3d4e5f60718"}, {"AppSecret", test::kSecret}});
  CHECK_EQ(b.platform.last_target, test::Platform::target());
  CHECK_EQ(b.state().device_id, "7600123456789012345");
  CHECK_EQ(b.state().connects, 1);
  CHECK_EQ(b.state().fault, "");
}

TEST_CASE("a ping goes out at once") {
  Bench b;
  b.open();
  REQUIRE(b.loop.until([&] { return !b.platform.pings.empty(); }));
  CHECK(b.platform.pings[0] == test::golden_bytes("ping"));
}

TEST_CASE("an event is handled and acknowledged with its own frame") {
  Bench b;
  b.open();
  std::string const event = test::golden_bytes("event_all_optional_fields");
  REQUIRE(b.platform.send(event));
  REQUIRE(b.acked(1));
  REQUIRE_EQ(b.events.size(), 1);
  CHECK_EQ(b.events[0].first, "event");
  CHECK(b.events[0].second == Frame::decode(event)->payload());
  Result<Frame> const ack = Frame::decode(b.platform.got[0]);
  auto const took = std::chrono::milliseconds(std::stol(std::string(ack->header("biz_rt"))));
  CHECK(b.platform.got[0] == Frame::decode(event)->ack(200, "", took).encode());
  CHECK_EQ(b.state().events, 1);
}

TEST_CASE("ids of full 64 bits come back exactly") {
  Bench b;
  b.open();
  REQUIRE(b.platform.send(test::golden_bytes("event_max_uint64_ids")));
  REQUIRE(b.acked(1));
  Result<Frame> const ack = Frame::decode(b.platform.got[0]);
  CHECK_EQ(ack->sequence_id(), 18446744073709551615U);
  CHECK_EQ(ack->log_id(), 9223372036854775809U);
}

TEST_CASE("a card's click is answered with data, in either type of frame") {
  Bench b;
  b.open();
  for (char const* name : {"card_action_in_event_frame", "card_action_in_card_frame"}) {
    std::string const frame = test::golden_bytes(name);
    b.answers[std::string(Frame::decode(frame)->payload())].data = R"({"toast":{}})";
    REQUIRE(b.platform.send(frame));
  }
  REQUIRE(b.acked(2));
  CHECK_EQ(b.events[0].first, "event");
  CHECK_EQ(b.events[1].first, "card");
  for (auto const& payload : b.platform.acks()) CHECK_EQ(payload, R"({"code":200,"data":"eyJ0b2FzdCI6e319"})");
}

TEST_CASE("a handler that throws, and one that says so, make the server send again") {
  Bench b;
  log::set_level(log::Level::error);
  b.open();
  b.answers["not now"].code = 500;
  for (char const* payload : {"throw", "not now", "fine"}) REQUIRE(b.platform.send(data_frame({}, payload)));
  REQUIRE(b.acked(3));
  std::vector<std::string> acks = b.platform.acks();
  std::sort(acks.begin(), acks.end());
  CHECK_EQ(acks, std::vector<std::string>{R"({"code":200})", R"({"code":500})", R"({"code":500})"});
}

TEST_CASE("a slow event does not hold up the others") {
  Bench b;
  b.open();
  REQUIRE(b.platform.send(data_frame({}, "hold", 1)));
  REQUIRE(b.loop.until([&] { return b.held == 1; }));
  for (std::uint64_t id = 2; id < 12; ++id) REQUIRE(b.platform.send(data_frame({}, "quick", id)));
  REQUIRE(b.acked(10));
  b.release.notify();
  REQUIRE(b.acked(11));
  CHECK_EQ(Frame::decode(b.platform.got.back())->sequence_id(), 1);
}

TEST_CASE("no more events are in hand than allowed, and the rest comes later") {
  ConnectionLimits limits = fast();
  limits.events_at_once = 3;
  Bench b(limits);
  b.open();
  for (int i = 0; i < 8; ++i) REQUIRE(b.platform.send(data_frame({}, "hold")));
  REQUIRE(b.loop.until([&] { return b.held == 3; }));
  b.loop.settle();
  CHECK_EQ(b.events.size(), 3);
  REQUIRE(b.loop.until([&] {
    b.release.notify();
    return b.platform.got.size() == 8;
  }));
}

TEST_CASE("fragments in any order are one event with one acknowledgement") {
  Bench b;
  b.open();
  std::array<std::string, 3> const parts = {test::golden_bytes("event_fragment_0_of_3"),
                                            test::golden_bytes("event_fragment_1_of_3"),
                                            test::golden_bytes("event_fragment_2_of_3")};
  std::string want;
  for (auto const& bytes : parts) want += Frame::decode(bytes)->payload();
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::size_t n = 0;
  do {
    for (std::size_t const i : order) REQUIRE(b.platform.send(parts[i]));
    REQUIRE(b.acked(++n));
    CHECK(b.events.back().second == want);
    // Made from the frame that came last.
    CHECK_EQ(Frame::decode(b.platform.got.back())->header("seq"), std::to_string(order[2]));
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK_EQ(b.events.size(), 6);
}

TEST_CASE("lost, repeated and odd fragments harm nobody") {
  Bench b;
  b.open();
  REQUIRE(b.platform.send(part("lost", 3, 0, "a")));
  REQUIRE(b.platform.send(part("twice", 2, 0, "a")));
  REQUIRE(b.platform.send(part("twice", 2, 0, "a")));
  REQUIRE(b.platform.send(part("odd", 2, 7, "a")));
  REQUIRE(b.platform.send(part("huge", 100'000, 0, "a")));
  REQUIRE(b.platform.send(part("twice", 2, 1, "b")));
  REQUIRE(b.acked(1));
  CHECK_EQ(b.events.back().second, "ab");
  CHECK_EQ(b.state().dropped_frames, 2);
}

TEST_CASE("what is no event is ignored, and the link stays") {
  Bench b;
  b.open();
  REQUIRE(b.platform.send("some text", false));
  REQUIRE(b.platform.send("no frame"));
  REQUIRE(b.platform.send(""));
  REQUIRE(b.platform.send(test::golden_bytes("unknown_method")));
  REQUIRE(b.platform.send(test::golden_bytes("data_frame_without_headers")));
  REQUIRE(b.platform.send(test::frame_bytes(1, {{"type", "other"}}, "{}")));
  REQUIRE(b.platform.send(data_frame({}, "fine")));
  REQUIRE(b.acked(1));
  CHECK_EQ(b.events.size(), 1);
  CHECK_EQ(b.state().dropped_frames, 6);
  CHECK_EQ(b.state().connects, 1);
}

TEST_CASE("pings keep the server's interval, whatever a pong brings") {
  struct Row {
    char const* config;
    bool often;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"", false, "nothing"},
      {R"({"ReconnectCount":3})", false, "another member only"},
      {R"({"PingInterval":)", false, "broken"},
      {R"([1])", false, "no object"},
      {R"({"PingInterval":0})", false, "zero"},
      {R"({"PingInterval":-1})", false, "negative"},
      {R"({"PingInterval":null})", false, "nothing at all"},
      {R"({"PingInterval":"1"})", false, "a string"},
      {R"({"PingInterval":1e300})", false, "endless"},
      {R"({"PingInterval":0.000001})", true, "a storm: our least interval holds"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Bench b;
    b.platform.pong_payload = row.config;
    b.open();
    auto const start = steady_clock::now();
    REQUIRE(b.loop.until([&] { return steady_clock::now() - start > 150ms; }));
    CHECK_EQ(b.platform.pings.size() > 1, row.often);
    CHECK_LE(b.platform.pings.size(), 1 + (steady_clock::now() - start) / 20ms);
    CHECK_EQ(b.state().connects, 1);
  }
}

TEST_CASE("the interval of discovery holds, and a pong with one member keeps the rest") {
  Bench b;
  b.platform.client_config = R"({"PingInterval":0.03})";
  b.platform.pong_payload = R"({"ReconnectNonce":30})";
  b.open();
  CHECK(b.loop.until([&] { return b.platform.pings.size() == 5; }));
}
