// How a connection ends, what the log tells of its life, and TLS.
#include "tests/feishu/connection_bench.hpp"

using namespace std::chrono_literals;
using namespace kb;
using Bench = test::ConnectionBench;
using feishu::ConnectionLimits;
using test::Captured;
using test::data_frame;
using test::fast;
using test::response;
using Phase = feishu::ConnectionState::Phase;

TEST_CASE("stop ends every state within a second") {
  ConnectionLimits limits = fast();
  Captured const quiet;
  SUBCASE("before it runs") {
    Bench b(limits);
    b.connection.stop();
    b.start();
    CHECK(b.stops());
  }
  SUBCASE("while discovering") {
    Bench b(limits);
    b.platform.hang = true;
    b.start();
    REQUIRE(b.loop.until([&] { return b.platform.discoveries == 1; }));
    CHECK(b.stops());
  }
  SUBCASE("while shaking hands") {
    Bench b(limits);
    b.line.dead = true;
    b.platform.ws_port = b.line.port();
    b.start();
    REQUIRE(b.loop.until([&] { return b.line.accepted == 1; }));
    CHECK(b.stops());
  }
  SUBCASE("while open: the link closes with 1000") {
    Bench b(limits);
    b.open();
    CHECK(b.stops());
    REQUIRE(b.loop.until([&] { return b.platform.ended.size() == 1; }));
    CHECK(b.platform.ended[0].find("1000") != std::string::npos);
  }
  SUBCASE("while open, on a line that is dead") {
    Bench b(limits);
    b.platform.ws_port = b.line.port();
    b.open();
    b.line.dead = true;
    CHECK(b.stops());
  }
  SUBCASE("while open, with an event that does not end") {
    Bench b(limits);
    b.open();
    REQUIRE(b.platform.send(data_frame({}, "hold")));
    REQUIRE(b.loop.until([&] { return b.held == 1; }));
    CHECK(b.stops());
    CHECK_EQ(b.held, 0);
  }
  SUBCASE("while waiting") {
    limits.refused_retry = 60s;
    Bench b(limits);
    b.platform.no = response(200, R"({"code":403,"msg":"forbidden"})");
    b.start();
    REQUIRE(b.loop.until([&] { return b.state().phase == Phase::waiting; }));
    CHECK(b.stops());
  }
}

TEST_CASE("stop lets events in hand be acknowledged, and takes no more") {
  Bench b;
  b.open();
  REQUIRE(b.platform.send(data_frame({}, "hold")));
  REQUIRE(b.loop.until([&] { return b.held == 1; }));
  b.connection.stop();
  REQUIRE(b.platform.send(data_frame({}, "late")));
  b.loop.settle();
  b.release.notify();
  REQUIRE(b.loop.until([&] { return b.platform.ended.size() == 1; }));
  CHECK_EQ(b.platform.acks(), std::vector<std::string>{R"({"code":200})"});
  CHECK_EQ(b.events.size(), 1);
}

TEST_CASE("a cancelled run ends") {
  Bench b;
  b.open();
  b.loop.cancel();
  CHECK(b.loop.until([&] { return b.ran_out; }));
}

TEST_CASE("the log tells a connection, a loss and a refusal once each, and no secret") {
  Captured const captured;
  {
    Bench b;
    b.open();
    b.platform.no = response(502, "");
    b.platform.cut();
    REQUIRE(b.loop.until([&] { return b.platform.discoveries >= 4; }));
    b.platform.no = response(200, std::string(R"({"code":514,"msg":"wrong )") + test::kSecret + R"("})");
    REQUIRE(b.loop.until([&] { return b.platform.discoveries >= 7; }));
    b.platform.no.reset();
    b.platform.no_upgrade = response(400, "", {{"Handshake-Msg", test::kTicket}});
    REQUIRE(b.loop.until([&] { return b.platform.handshakes >= 3; }));
    b.platform.no_upgrade.reset();
    REQUIRE(b.loop.until([&] { return b.state().phase == Phase::open; }));
    REQUIRE(b.platform.send(data_frame({}, "throw")));
    REQUIRE(b.acked(1));
  }
  CHECK_EQ(captured.count("info", "feishu.connected"), 2);
  CHECK_EQ(captured.count("warn", "feishu.lost"), 1);
  CHECK_EQ(captured.count("error", "feishu.refused"), 1);
  CHECK_EQ(captured.count("error", "feishu.event_failed"), 1);
  for (char const* secret : {test::kSecret, test::kTicket, test::kAccessKey, "access_key", "ticket="}) {
    CAPTURE(secret);
    CHECK_EQ(captured.text().find(secret), std::string::npos);
  }
}

TEST_CASE("all of it works over TLS, and a plain link is not accepted for an encrypted domain") {
  test::Authority authority;
  auto const files = authority.issue("localhost");
  auto const trust = aio::TlsContext::client(authority.file()).value();
  Bench b(fast(), aio::TlsContext::server(files.chain, files.key).value(), trust);
  b.open();
  REQUIRE(b.platform.send(data_frame({}, std::string(100'000, 'x'))));
  REQUIRE(b.acked(1));
  b.platform.no = response(200, R"({"code":0,"data":{"URL":"ws://localhost:1/ws"}})");
  b.platform.cut();
  REQUIRE(b.loop.until([&] { return b.platform.discoveries >= 3; }));
  CHECK_EQ(b.state().fault, "discovery: the WebSocket URL is not encrypted");
}
