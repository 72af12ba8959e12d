// Links that are lost, refused or hang, and how the connection comes back.
#include "tests/feishu/connection_bench.hpp"

using namespace std::chrono_literals;
using namespace kb;
using Bench = test::ConnectionBench;
using feishu::ConnectionLimits;
using std::chrono::steady_clock;
using test::Captured;
using test::data_frame;
using test::fast;
using test::response;
using Phase = feishu::ConnectionState::Phase;

TEST_CASE("a lost link comes back, with a discovery of its own each time") {
  Bench b;
  b.open();
  for (std::size_t n = 2; n < 6; ++n) {
    b.platform.cut();
    REQUIRE(b.loop.until([&] { return b.state().connects == n && b.platform.links() == 1; }));
    CHECK_EQ(b.platform.discoveries, n);
    CHECK_EQ(b.platform.handshakes, n);
  }
  REQUIRE(b.platform.send(data_frame({}, "fine")));
  CHECK(b.acked(1));
}

TEST_CASE("an event of a lost link is finished; its acknowledgement goes nowhere") {
  Bench b;
  b.open();
  REQUIRE(b.platform.send(data_frame({}, "hold")));
  REQUIRE(b.loop.until([&] { return b.held == 1; }));
  b.platform.cut();
  REQUIRE(b.loop.until([&] { return b.state().connects == 2 && b.platform.links() == 1; }));
  b.release.notify();
  REQUIRE(b.platform.send(data_frame({}, "fine")));
  REQUIRE(b.acked(1));
  CHECK_EQ(b.held, 0);
}

TEST_CASE("a dead line is noticed") {
  ConnectionLimits limits = fast();
  SUBCASE("by WebSocket pings that nobody answers") { limits.websocket_ping = 200ms; }
  SUBCASE("by silence") {
    limits.least_silence = 400ms;
    limits.longest_ping = 100ms;
  }
  Bench b(limits);
  b.platform.ws_port = b.line.port();
  b.open();
  auto const later = steady_clock::now() + 900ms;
  REQUIRE(b.loop.until([&] { return steady_clock::now() > later; }));
  CHECK_EQ(b.state().connects, 1);  // alive so far
  b.line.dead = true;
  b.platform.ws_port = b.platform.port;
  CHECK(b.loop.until([&] { return b.state().connects == 2; }));
}

TEST_CASE("a server that answers no application pings is left after a time of silence") {
  ConnectionLimits limits = fast();
  limits.least_silence = 80ms;
  limits.longest_ping = 40ms;
  Bench b(limits);
  b.platform.answer_pings = false;
  b.open();
  CHECK(b.loop.until([&] { return b.state().connects == 3; }));
}

TEST_CASE("a refused discovery is judged by its code and tried again for ever") {
  struct Row {
    unsigned status;
    char const* body;
    bool refused;
    char const* says;
  };
  static constexpr Row rows[] = {
      {200, R"({"code":403,"msg":"forbidden"})", true, "code 403: forbidden"},
      {200, R"({"code":514,"msg":"auth"})", true, "code 514: auth"},
      {200, R"({"code":1000040350,"msg":"exceed"})", true, "code 1000040350: exceed"},
      {200, R"({"code":1000040345,"msg":"app_id or app_secret is invalid"})", true, "app_secret is invalid"},
      {200, R"({"code":1000040345,"msg":"System Busy"})", false, "System Busy"},
      {200, R"({"code":1,"msg":"busy"})", false, "code 1: busy"},
      {200, R"({"code":1000040343,"msg":"internal"})", false, "code 1000040343"},
      {400, R"({"code":514,"msg":"auth"})", true, "code 514"},
      {502, "<html>", false, "HTTP status 502"},
      {200, "<html>", false, "no WebSocket URL"},
      {200, R"({"code":0})", false, "no WebSocket URL"},
      {200, R"({"code":0,"data":{"URL":""}})", false, "no WebSocket URL"},
      {200, R"({"code":0,"data":{"URL":"https://x/?ticket=t1cketOfTheUrl"}})", false, "no WebSocket URL"},
      {200, R"({"code":514,"msg":"bad secret s3cr3tOfTheApp"})", true, "bad secret ***"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.body);
    log::set_level(log::Level::error);
    Captured const quiet;
    Bench b;
    b.platform.no = response(row.status, row.body);
    b.start();
    REQUIRE(b.loop.until([&] { return b.platform.discoveries >= 3; }));
    CHECK_EQ(b.state().refused, row.refused);
    CAPTURE(b.state().fault);
    CHECK(b.state().fault.find(row.says) != std::string::npos);
    CHECK(b.state().fault.find("t1cket") == std::string::npos);
    b.platform.no.reset();
    REQUIRE(b.loop.until([&] { return b.state().phase == Phase::open; }));
    CHECK_FALSE(b.state().refused);
    CHECK_EQ(b.state().fault, "");
  }
}

TEST_CASE("a server that names a time to wait is given it") {
  Bench b;
  b.platform.no = response(429, "", {{"x-ogw-ratelimit-reset", "60"}});
  b.start();
  REQUIRE(b.loop.until([&] { return b.state().phase == Phase::waiting; }));
  auto const later = steady_clock::now() + 100ms;
  REQUIRE(b.loop.until([&] { return steady_clock::now() > later; }));
  CHECK_EQ(b.platform.discoveries, 1);
}

TEST_CASE("a refusal that waiting does not mend is tried slowly") {
  ConnectionLimits limits = fast();
  limits.refused_retry = 60s;
  Captured const quiet;
  Bench b(limits);
  b.platform.no = response(200, R"({"code":403,"msg":"forbidden"})");
  b.start();
  REQUIRE(b.loop.until([&] { return b.state().phase == Phase::waiting; }));
  auto const later = steady_clock::now() + 100ms;
  REQUIRE(b.loop.until([&] { return steady_clock::now() > later; }));
  CHECK_EQ(b.platform.discoveries, 1);
}

TEST_CASE("a refused handshake is judged by its headers, and discovers anew") {
  struct Row {
    std::map<std::string, std::string> headers;
    bool refused;
    char const* says;
  };
  Row const rows[] = {
      {{{"Handshake-Status", "514"}, {"Handshake-Msg", "no"}}, false, "Handshake-Status 514: no"},
      {{{"Handshake-Status", "514"}, {"Handshake-Autherrcode", "1000040350"}}, true, "1000040350"},
      {{{"handshake-status", "403"}, {"handshake-msg", "ticket t1cketOfTheUrl"}}, true, "403: ticket ***"},
      {{{"Handshake-Status", "500"}}, false, "Handshake-Status 500"},
      {{}, false, "refused with 400"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.says);
    Captured const quiet;
    Bench b;
    b.platform.no_upgrade = response(400, "", row.headers);
    b.start();
    REQUIRE(b.loop.until([&] { return b.platform.handshakes >= 3; }));
    CHECK_EQ(b.state().refused, row.refused);
    CAPTURE(b.state().fault);
    CHECK(b.state().fault.find(row.says) != std::string::npos);
    CHECK_EQ(b.platform.discoveries, b.platform.handshakes);
    b.platform.no_upgrade.reset();
    REQUIRE(b.loop.until([&] { return b.state().phase == Phase::open; }));
  }
}

TEST_CASE("what hangs is given up after its time") {
  ConnectionLimits limits = fast();
  limits.discovery = limits.handshake = 40ms;
  Bench b(limits);
  SUBCASE("discovery") {
    b.platform.hang = true;
    b.start();
    REQUIRE(b.loop.until([&] { return b.platform.discoveries >= 3; }));
    CHECK(b.state().fault.find("discovery: ") == 0);
  }
  SUBCASE("the handshake") {
    b.line.dead = true;
    b.platform.ws_port = b.line.port();
    b.start();
    REQUIRE(b.loop.until([&] { return b.line.accepted >= 3; }));
    CHECK(b.state().fault.find("WebSocket handshake: no answer in time") != std::string::npos);
  }
}
