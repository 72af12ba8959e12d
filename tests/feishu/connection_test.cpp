#include "adapters/feishu/connection.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <unistd.h>

#include "adapters/aio/wait.hpp"
#include "logging/service_log.hpp"
#include "tests/feishu/platform.hpp"
#include "tests/support/certificates.hpp"

using namespace std::chrono_literals;
using namespace kb;
using feishu::ConnectionLimits;
using feishu::ConnectionState;
using feishu::EventAnswer;
using feishu::Frame;
using Phase = ConnectionState::Phase;
using std::chrono::steady_clock;
using test::data_frame;
using test::part;

namespace {

/// So fast that a test need not wait.
ConnectionLimits fast() {
  ConnectionLimits limits;
  limits.discovery = limits.handshake = 3s;
  limits.shortest_ping = 20ms;
  limits.first_try = limits.first_pause = 2ms;
  limits.longest_pause = 10ms;
  limits.refused_retry = 20ms;
  limits.farewell = limits.close = 200ms;
  limits.seed = 1;
  return limits;
}

struct Bench {
  test::Loop loop;
  test::Platform platform;
  test::Line line{loop, platform.port};  ///< on the way of links that use it
  aio::HttpClient http;
  aio::Signal release{loop.executor()};
  std::vector<std::pair<std::string, std::string>> events;  ///< type and payload
  std::map<std::string, EventAnswer> answers;               ///< by payload; default: 200
  std::size_t held = 0;                                     ///< events with the payload "hold", until release
  bool ran_out = false;
  feishu::Connection connection;

  explicit Bench(ConnectionLimits limits = fast(), std::shared_ptr<aio::TlsContext> certificate = nullptr,
                 std::shared_ptr<aio::TlsContext> trust = nullptr)
      : platform(loop, std::move(certificate)),
        http(loop.executor(), trust, {}),
        connection(
            loop.executor(), http, trust, {platform.domain(), "cli_a1b2c3d4e5f60718", test::kSecret}, limits,
            [this](std::string type, std::string payload) { return on_event(std::move(type), std::move(payload)); }) {}

  ~Bench() {
    CHECK(stops());
    release.notify();
    line.stop();
    platform.stop();
    http.close_idle();
    CHECK(loop.finishes());
    CHECK(loop.faults().empty());
  }

  void start() { loop.spawn(run()); }
  /// Runs until the link is open.
  void open() {
    start();
    REQUIRE(loop.until([&] { return state().phase == Phase::open && platform.links() == 1; }));
  }
  [[nodiscard]] bool stops() {
    if (!started) return true;
    auto const before = steady_clock::now();
    connection.stop();
    bool const ended = loop.until([&] { return ran_out; });
    return ended && steady_clock::now() - before < 1s && state().phase == Phase::idle;
  }
  [[nodiscard]] ConnectionState const& state() const { return connection.state(); }
  [[nodiscard]] bool acked(std::size_t n) {
    return loop.until([&] { return platform.got.size() == n && state().acks == n; });
  }

  aio::Task<> run() {
    started = true;
    co_await connection.run();
    ran_out = true;
  }

  aio::Task<EventAnswer> on_event(std::string type, std::string payload) {
    events.emplace_back(std::move(type), payload);
    if (payload == "throw") throw std::runtime_error("the handler broke");
    if (payload == "hold") {
      ++held;
      (void)co_await release.wait();
      --held;
    }
    co_return answers[payload];
  }

  bool started = false;
};

aio::HttpResponse response(unsigned status, std::string body, std::map<std::string, std::string> headers = {}) {
  aio::HttpResponse made;
  made.status = status;
  made.body = std::move(body);
  made.headers = std::move(headers);
  return made;
}

/// Standard error as a file.
class Captured {
 public:
  Captured() : file_(dir_.path() / "stderr"), kept_(::dup(STDERR_FILENO)) {
    int const to = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE_GE(::dup2(to, STDERR_FILENO), 0);
    ::close(to);
    log::set_level(log::Level::debug);
  }
  ~Captured() {
    log::flush();
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
    log::set_level(log::Level::error);
  }
  Captured(Captured const&) = delete;
  Captured& operator=(Captured const&) = delete;

  [[nodiscard]] std::string text() const {
    log::flush();
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Lines of that level and event.
  [[nodiscard]] std::size_t count(std::string const& level, std::string const& event) const {
    std::string const all = text();
    std::string const mark = R"("level":")" + level + R"(","event":")" + event + '"';
    std::size_t n = 0;
    for (auto at = all.find(mark); at != all.npos; at = all.find(mark, at + 1)) ++n;
    return n;
  }

 private:
  test::TempDir dir_;
  std::filesystem::path file_;
  int kept_;
};

}  // namespace

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
