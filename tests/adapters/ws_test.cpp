#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "adapters/aio/http.hpp"
#include "adapters/bridge/server.hpp"
#include "logging/service_log.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/raw_peer.hpp"

using namespace std::chrono_literals;
using namespace kb;
using nlohmann::json;

namespace {

using LinkPtr = std::unique_ptr<aio::Link>;

constexpr char const* kPing = R"({"type":"ping"})";

/// The bridge behind a real server on loopback; each message is answered with its own text, or as `answer` says.
struct Bench {
  test::Loop loop;
  bridge::Bridge bridge;
  aio::HttpServer server;
  std::uint16_t port = 0;
  std::string answer;  ///< empty: the text of the question
  std::vector<std::string> delivered;

  explicit Bench(aio::ServerLimits limits = {}, bridge::BridgeLimits bridge_limits = {})
      : bridge(
            loop.executor(), bridge_limits, [this](scope::InboundMessage m) { return on_message(std::move(m)); },
            [](bridge::FeedbackFrame) { return on_feedback(); },
            [this](std::string key) { delivered.push_back(std::move(key)); }),
        server(
            loop.executor(), limits, [](aio::HttpRequest) { return on_request(); },
            [](aio::HttpRequest const& r) { return judge(r); },
            [this](LinkPtr link, aio::HttpRequest) { return bridge.serve(std::move(link), "local"); }) {
    kb::log::set_level(kb::log::Level::error);
    Result<std::uint16_t> const got = server.listen("127.0.0.1", 0);
    REQUIRE(got);
    port = *got;
    loop.spawn(server.run());
    loop.settle();
  }

  ~Bench() {
    server.stop();
    bridge.drain();
    CHECK(loop.finishes());
    CHECK_EQ(server.connections(), 0);
    CHECK_EQ(bridge.connections(), 0);
    CHECK(loop.faults().empty());
  }

  aio::Task<Result<bridge::Accepted>> on_message(scope::InboundMessage m) {
    adapters::Reply reply;
    reply.key = m.message_id;
    reply.outcome = "answered";
    reply.text = answer.empty() ? m.text : answer;
    reply.to = std::move(m);
    CHECK(bridge.say(reply));
    co_return bridge::Accepted();
  }

  static aio::Task<Result<void>> on_feedback() { co_return Result<void>(); }
  static aio::Task<aio::HttpResponse> on_request() { co_return aio::HttpResponse(); }

  static std::optional<aio::HttpResponse> judge(aio::HttpRequest const& request) {
    aio::HttpResponse no;
    no.status = 403;
    if (!bridge::origin_allowed(request.header("origin"), request.header("host"))) return no;
    no.status = 401;
    if (!bridge::token_matches(request.header("authorization"), "s3cret")) return no;
    return std::nullopt;
  }

  [[nodiscard]] std::string url() const { return "ws://127.0.0.1:" + std::to_string(port) + "/ws"; }

  aio::Task<Result<LinkPtr>> join() { return aio::connect_ws(loop.executor(), url(), "s3cret", aio::ServerLimits()); }

  LinkPtr connect(aio::ServerLimits limits = {}) {
    Result<LinkPtr> link = loop.get(aio::connect_ws(loop.executor(), url(), "s3cret", limits));
    if (!link) throw std::runtime_error(link.error().what);
    return std::move(*link);
  }
};

std::string ask(std::string id, std::string text) {
  return json{{"type", "message"}, {"id", id}, {"SenderId", "ou_1"}, {"ChatType", "p2p"}, {"text", text}}.dump();
}

/// Sends one frame and gives the next `answers` that come.
aio::Task<std::vector<json>> talk(aio::Link& link, std::string frame, std::size_t answers) {
  std::vector<json> got;
  (void)co_await link.write(std::move(frame));
  while (got.size() < answers) {
    Result<std::string> next = co_await link.read();
    if (!next) break;
    got.push_back(json::parse(*next));
  }
  co_return got;
}

/// Reads to the end; how it ended.
aio::Task<std::string> ending(aio::Link& link) {
  for (;;) {
    Result<std::string> next = co_await link.read();
    if (!next) co_return next.error().what;
  }
}

aio::Task<std::string> ending_after(aio::Link& link, std::string frame) {
  (void)co_await link.write(std::move(frame));
  std::string how = co_await ending(link);
  co_return how;
}

bool alive(Bench& b, aio::Link& link) {
  auto const got = b.loop.get(talk(link, kPing, 1));
  return got.size() == 1 && got[0]["type"] == "pong";
}

aio::Task<> client(Bench& b, int number, int& served) {
  std::string const id = std::to_string(number);
  Result<LinkPtr> link = co_await b.join();
  if (!link) co_return;
  for (int round = 0; round < 3; ++round) {
    std::vector<json> const got = co_await talk(**link, ask(id + "." + std::to_string(round), "text " + id), 2);
    if (got.size() != 2 || got[0]["type"] != "ack" || got[1]["text"] != "text " + id) co_return;
  }
  ++served;
  (*link)->abort();
}

aio::Task<> malformed(Bench& b, int frames, int& errors, int& alive_at_end) {
  Result<LinkPtr> link = co_await b.join();
  if (!link) co_return;
  for (int i = 1; i <= frames; ++i) {
    std::string frame =
        i % 2 == 0 ? "{\"type\":" + std::to_string(i) : "[" + std::string(static_cast<std::size_t>(i), '{');
    std::vector<json> const got = co_await talk(**link, std::move(frame), 1);
    if (got.size() != 1 || got[0]["error"] != "bad_request") co_return;
    ++errors;
    if (i % 19 != 0) continue;
    std::vector<json> const pong = co_await talk(**link, kPing, 1);
    if (pong.size() != 1) co_return;
  }
  ++alive_at_end;
  (*link)->abort();
}

std::string upgrade(std::string more) {
  return "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         more + "\r\n";
}

aio::Task<std::string> open_raw(test::RawPeer& peer, std::uint16_t port, std::string more, std::string mark) {
  co_await peer.connect(port);
  co_await peer.send(upgrade(std::move(more)));
  std::string got = co_await peer.until(std::move(mark));
  co_return got;
}

aio::Task<bool> send_raw(test::RawPeer& peer, std::string bytes) {
  co_await peer.send(std::move(bytes));
  co_return true;
}

constexpr char const* kToken = "Authorization: Bearer s3cret\r\n";

/// A masked frame with an all-zero mask: the payload is itself.
std::string raw_frame(char first, std::string const& payload) {
  return std::string{first, static_cast<char>(0x80U | payload.size())} + std::string(4, '\0') + payload;
}

}  // namespace

TEST_CASE("a question over a WebSocket is acked and answered") {
  Bench b;
  LinkPtr const link = b.connect();
  auto const got = b.loop.get(talk(*link, ask("m1", "上周定了什么"), 2));
  REQUIRE_EQ(got.size(), 2);
  CHECK_EQ(got[0], json{{"type", "ack"}, {"id", "m1"}});
  CHECK_EQ(got[1]["text"], "上周定了什么");
  CHECK_EQ(b.delivered, std::vector<std::string>{"m1"});
}

TEST_CASE("messages of every size up to the limit arrive whole") {
  aio::ServerLimits limits;
  limits.max_message_bytes = 64 * 1024;
  Bench b(limits);
  aio::ServerLimits more = limits;
  more.max_message_bytes *= 2;  // the answer is a little longer than the question
  LinkPtr const link = b.connect(more);
  std::size_t const around = ask("m", "").size();
  for (std::size_t const size : {0, 1, 125, 126, 511, 512, 513, 1536, 4096, 16'384, 65'000, 65'536}) {
    CAPTURE(size);
    std::string const text(size < around ? size : size - around, 'x');
    auto const got = b.loop.get(talk(*link, ask("m", text), 2));
    REQUIRE_EQ(got.size(), 2);
    CHECK_EQ(got[1]["text"], text);
  }
}

TEST_CASE("a wrong token and a foreign origin are refused before the upgrade") {
  Bench b;
  for (std::string const token : {"", "wrong"}) {
    auto const link = b.loop.get(aio::connect_ws(b.loop.executor(), b.url(), token, {}));
    REQUIRE_FALSE(link);
    CHECK(link.error().code == Errc::denied);
  }
  struct Row {
    char const* origin;
    char const* want;
  };
  static constexpr Row rows[] = {{"Origin: https://evil.example\r\n", "HTTP/1.1 403"},
                                 {"Origin: null\r\n", "HTTP/1.1 403"},
                                 {"Origin: http://localhost\r\n", "HTTP/1.1 101"},
                                 {"", "HTTP/1.1 101"}};
  for (auto const& row : rows) {
    CAPTURE(row.origin);
    test::RawPeer peer(b.loop.executor());
    CHECK_EQ(b.loop.get(open_raw(peer, b.port, std::string(row.origin) + kToken, "\r\n")).substr(0, 12), row.want);
  }
}

TEST_CASE("a client's mistakes about where to connect are named") {
  test::Loop loop;
  struct Row {
    char const* url;
    Errc want;
  };
  static constexpr Row rows[] = {{"wss://127.0.0.1/ws", Errc::invalid_input},
                                 {"http://127.0.0.1/", Errc::invalid_input},
                                 {"ws://", Errc::invalid_input},
                                 {"ws://127.0.0.1:/x", Errc::invalid_input},
                                 {"ws://127.0.0.1:1/ws", Errc::unavailable},
                                 {"ws://[::1]:1/ws", Errc::unavailable}};
  for (auto const& row : rows) {
    CAPTURE(row.url);
    auto const link = loop.get(aio::connect_ws(loop.executor(), row.url, "", {}));
    REQUIRE_FALSE(link);
    CHECK(link.error().code == row.want);
  }
}

TEST_CASE("a frame of a megabyte ends its link with 1009 and nobody else's") {
  Bench b;
  LinkPtr const other = b.connect();
  LinkPtr const link = b.connect();
  CHECK_EQ(b.loop.get(ending_after(*link, std::string(1'000'000, 'x'))).substr(0, 24), "closed by the peer: 1009");
  CHECK(alive(b, *other));
  CHECK(b.loop.until([&] { return b.bridge.connections() == 1; }));
}

TEST_CASE("10,000 malformed frames get 10,000 errors") {
  Bench b;
  int errors = 0;
  int alive_at_end = 0;
  for (int i = 0; i < 20; ++i) b.loop.spawn(malformed(b, 500, errors, alive_at_end));
  CHECK(b.loop.until([&] { return alive_at_end == 20; }, 120s));
  CHECK_EQ(errors, 10'000);
}

TEST_CASE("bytes that are no WebSocket frames end their link only") {
  Bench b;
  LinkPtr const other = b.connect();
  std::vector<std::string> const rubbish = {
      std::string(20, '\xFF'),  // reserved bits, a length beyond all
      raw_frame('\x83', "reserved opcode"),
      std::string("\x81\x05hello", 7),  // unmasked
      raw_frame('\x80', "nothing to continue"),
      raw_frame('\x09', "a fragmented ping"),
      raw_frame('\x81', "\xC3\x28"),  // text that is not UTF-8
  };
  for (auto const& bytes : rubbish) {
    test::RawPeer peer(b.loop.executor());
    REQUIRE_EQ(b.loop.get(open_raw(peer, b.port, kToken, "\r\n\r\n")).substr(0, 12), "HTTP/1.1 101");
    REQUIRE(b.loop.get(send_raw(peer, bytes)));
    std::string const got = b.loop.get(peer.rest());
    REQUIRE_GE(got.size(), 4);
    CHECK_EQ(got[0], '\x88');  // a close frame
  }
  CHECK(alive(b, *other));
  CHECK(b.loop.until([&] { return b.bridge.connections() == 1; }));
}

TEST_CASE("a client that never reads is cut") {
  bridge::BridgeLimits limits;
  limits.write = 50ms;
  limits.grace = 50ms;
  Bench b({}, limits);
  b.answer.assign(8'000'000, 'x');  // more than the kernel keeps for a sender
  test::RawPeer deaf(b.loop.executor(), 4096);
  REQUIRE_EQ(b.loop.get(open_raw(deaf, b.port, kToken, "\r\n\r\n")).substr(0, 12), "HTTP/1.1 101");
  LinkPtr const other = b.connect();
  REQUIRE(b.loop.get(send_raw(deaf, raw_frame('\x81', ask("m1", "?")))));
  CHECK(b.loop.until([&] { return b.bridge.connections() == 1; }));
  CHECK(b.delivered.empty());
  CHECK(alive(b, *other));
}

TEST_CASE("200 clients at once are all served") {
  Bench b;
  int served = 0;
  for (int i = 0; i < 200; ++i) b.loop.spawn(client(b, i, served));
  CHECK(b.loop.until([&] { return served == 200; }, 120s));
  CHECK_EQ(b.delivered.size(), 600);
}

TEST_CASE("draining tells every client 1001") {
  Bench b;
  LinkPtr const one = b.connect();
  LinkPtr const two = b.connect();
  REQUIRE(alive(b, *one));
  b.server.stop();
  b.bridge.drain();
  CHECK_EQ(b.loop.get(ending(*one)), "closed by the peer: 1001 going away");
  CHECK_EQ(b.loop.get(ending(*two)), "closed by the peer: 1001 going away");
  CHECK(b.loop.until([&] { return b.server.connections() == 0; }));
  auto const late = b.loop.get(aio::connect_ws(b.loop.executor(), b.url(), "s3cret", {}));
  CHECK_FALSE(late);
}

TEST_CASE("twenty malformed frames in a row end the link with 1008") {
  Bench b;
  LinkPtr const link = b.connect();
  for (int i = 0; i < 19; ++i) REQUIRE_EQ(b.loop.get(talk(*link, "x", 1)).size(), 1);
  CHECK_EQ(b.loop.get(ending_after(*link, "x")), "closed by the peer: 1008 too many malformed frames");
}

TEST_CASE("a half-open link, whose peer answers no ping, is noticed") {
  aio::ServerLimits limits;
  limits.idle = 60ms;
  Bench b(limits);
  test::RawPeer dead(b.loop.executor());
  REQUIRE_EQ(b.loop.get(open_raw(dead, b.port, kToken, "\r\n\r\n")).substr(0, 12), "HTTP/1.1 101");
  REQUIRE(b.loop.until([&] { return b.bridge.connections() == 1; }));
  CHECK(b.loop.until([&] { return b.bridge.connections() == 0; }));
  CHECK_EQ(b.loop.get(dead.rest())[0], '\x89');  // it had its ping
}

TEST_CASE("a quiet client that answers pings outlives the idle time") {
  aio::ServerLimits limits;
  limits.idle = 600ms;
  Bench b(limits);
  LinkPtr const link = b.connect();
  bool ended = false;
  auto watch = [](aio::Link& l, bool& over) -> aio::Task<> {
    (void)co_await ending(l);
    over = true;
  };
  b.loop.spawn(watch(*link, ended));
  auto const later = std::chrono::steady_clock::now() + 2 * limits.idle;
  REQUIRE(b.loop.until([&] { return ended || std::chrono::steady_clock::now() > later; }));
  CHECK_FALSE(ended);
  link->abort();
}

TEST_CASE("a client can close in order and cut at will") {
  Bench b;
  LinkPtr const polite = b.connect();
  LinkPtr const rude = b.connect();
  auto close = [](aio::Link& link, bool& closed) -> aio::Task<> {
    co_await link.close();
    closed = true;
  };
  bool closed = false;
  b.loop.spawn(close(*polite, closed));
  CHECK(b.loop.until([&] { return closed; }));
  rude->abort();
  CHECK(b.loop.until([&] { return b.server.connections() == 0; }));
}
