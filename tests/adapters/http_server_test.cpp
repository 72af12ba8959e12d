#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/signal.hpp"
#include "logging/service_log.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/raw_peer.hpp"

using namespace std::chrono_literals;
using namespace kb;

namespace {

/// A server on a free port. /echo answers with the body, /held when the test lets it, /throws not at all.
struct Bench {
  test::Loop loop;
  aio::Signal release{loop.executor()};
  std::vector<aio::HttpRequest> seen;
  int held = 0;
  bool ran_out = false;
  aio::HttpServer server;
  std::uint16_t port = 0;

  explicit Bench(aio::ServerLimits limits = {})
      : server(
            loop.executor(), limits, [this](aio::HttpRequest r) { return answer(std::move(r)); },
            [](aio::HttpRequest const& r) { return judge(r); },
            [](std::unique_ptr<aio::Link> link, aio::HttpRequest) { return close(std::move(link)); }) {
    kb::log::set_level(kb::log::Level::error);
    Result<std::uint16_t> const got = server.listen("127.0.0.1", 0);
    REQUIRE(got);
    port = *got;
    loop.spawn(run());
    loop.settle();
  }

  ~Bench() {
    server.stop();
    release.notify();
    CHECK(loop.finishes());
    CHECK_EQ(server.connections(), 0);
    CHECK(loop.faults().empty());
  }

  aio::Task<> run() {
    co_await server.run();
    ran_out = true;
  }

  aio::Task<aio::HttpResponse> answer(aio::HttpRequest request) {
    seen.push_back(request);
    if (request.path() == "/throws") throw std::runtime_error("handler broke");
    if (request.path() == "/held") {
      ++held;
      (void)co_await release.wait();
    }
    aio::HttpResponse response;
    response.content_type = "text/plain";
    response.body = request.method + " " + request.body;
    response.headers["x-extra"] = "1";
    co_return response;
  }

  static std::optional<aio::HttpResponse> judge(aio::HttpRequest const& request) {
    if (request.header("authorization") == "Bearer good") return std::nullopt;
    aio::HttpResponse no;
    no.status = 401;
    no.body = "{}";
    no.headers["www-authenticate"] = "Bearer";
    return no;
  }

  static aio::Task<> close(std::unique_ptr<aio::Link> link) { (void)co_await link->read(); }

  aio::Task<std::string> talk(std::string bytes, std::string mark) {
    test::RawPeer peer(loop.executor());
    co_await peer.connect(port);
    co_await peer.send(std::move(bytes));
    std::string got = co_await peer.until(std::move(mark));
    co_return got;
  }

  /// Says `bytes` on a connection of its own; what came back until the server closed.
  std::string exchange(std::string bytes) { return loop.get(talk(std::move(bytes), "\n\n\n never")); }
};

std::string get(std::string path, std::string more = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: kb\r\n" + more + "\r\n";
}
std::string post(std::string path, std::string body) {
  return "POST " + path + " HTTP/1.1\r\nHost: kb\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
constexpr char const* kClose = "Connection: close\r\n";

bool has(std::string const& text, std::string_view part) { return text.find(part) != text.npos; }

std::string status(std::string const& response) { return response.substr(0, 12); }

aio::Task<bool> two_in_turn(aio::Executor ex, std::uint16_t port) {
  test::RawPeer peer(ex);
  co_await peer.connect(port);
  co_await peer.send(post("/echo", "one"));
  std::string const first = co_await peer.until("POST one");
  co_await peer.send(post("/echo", "two"));
  std::string const second = co_await peer.until("POST two");
  co_return has(first, "200 OK") && has(second, "200 OK") && !peer.ended();
}

aio::Task<std::string> wait_for_end(test::RawPeer& peer) {
  std::string got = co_await peer.rest();
  co_return got;
}

aio::Task<bool> open(test::RawPeer& peer, std::uint16_t port, std::string bytes) {
  co_await peer.connect(port);
  co_await peer.send(std::move(bytes));
  co_return true;
}

}  // namespace

TEST_CASE("a request reaches the handler whole and its response comes back") {
  Bench b;
  std::string const got = b.exchange(
      "POST /echo?x=1 HTTP/1.1\r\nHost: kb\r\nX-Two: a\r\nx-two: b\r\nConnection: close\r\n"
      "Content-Length: 5\r\n\r\nhello");
  CHECK_EQ(status(got), "HTTP/1.1 200");
  CHECK(has(got, "Content-Type: text/plain\r\n"));
  CHECK(has(got, "x-extra: 1\r\n"));
  CHECK(has(got, "\r\n\r\nPOST hello"));
  REQUIRE_EQ(b.seen.size(), 1);
  CHECK_EQ(b.seen[0].target, "/echo?x=1");
  CHECK_EQ(b.seen[0].path(), "/echo");
  CHECK_EQ(b.seen[0].header("x-two"), "a, b");
  CHECK_EQ(b.seen[0].header("absent"), "");
  CHECK_EQ(b.seen[0].peer, "127.0.0.1");
}

TEST_CASE("a connection carries one request after the other") {
  Bench b;
  CHECK(b.loop.get(two_in_turn(b.loop.executor(), b.port)));
  CHECK_EQ(b.seen.size(), 2);
}

TEST_CASE("requests sent in one go are answered in order") {
  Bench b;
  std::string const got = b.exchange(post("/echo", "one") + post("/echo", "two") + get("/echo", kClose));
  CHECK_LT(got.find("POST one"), got.find("POST two"));
  CHECK_LT(got.find("POST two"), got.find("GET "));
}

TEST_CASE("forms of requests") {
  struct Row {
    std::string request;
    char const* want;  ///< in the response
    char const* why;
  };
  std::vector<Row> const rows = {
      {"POST /echo HTTP/1.1\r\nHost: k\r\nConnection: close\r\nTransfer-Encoding: "
       "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
       "POST abcde", "chunked"},
      {"GET /echo HTTP/1.0\r\n\r\n", "GET ", "HTTP/1.0 closes by itself"},
      {"HEAD /echo HTTP/1.1\r\nHost: k\r\nConnection: close\r\n\r\n", "Content-Length: 5\r\n", "HEAD tells the length"},
      {"POST /echo HTTP/1.1\r\nHost: k\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200", "a peer that asks before it sends"},
      {"GET /echo HTTP/1.1\r\nHost: k\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n", "200 OK",
       "an upgrade to something else is a plain request"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Bench b;
    CHECK(has(b.exchange(row.request), row.want));
  }
  Bench b;
  CHECK_FALSE(has(b.exchange("HEAD /echo HTTP/1.1\r\nHost: k\r\nConnection: close\r\n\r\n"), "HEAD "));
}

TEST_CASE("what cannot be served is refused as a problem, and the connection closed") {
  aio::ServerLimits limits;
  limits.max_request_bytes = 1000;
  struct Row {
    std::string request;
    char const* want;
    char const* why;
  };
  std::vector<Row> const rows = {
      {"GARBAGE\r\n\r\n", "HTTP/1.1 400", "no request line"},
      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", "HTTP/1.1 400", "no header"},
      {"GET / HTTP/3.7\r\n\r\n", "HTTP/1.1 400", "no such version"},
      {"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 400", "a length that is none"},
      {get("/" + std::string(20'000, 'a')), "HTTP/1.1 431", "a long target"},
      {get("/", "X: " + std::string(100'000, 'a') + "\r\n"), "HTTP/1.1 431", "a long header"},
      {post("/echo", std::string(1001, 'a')), "HTTP/1.1 413", "a long body"},
      {post("/echo", std::string(2'000'000, 'a')), "HTTP/1.1 413", "a very long body, still being sent"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n" + std::string(1001, 'a') + "\r\n0\r\n\r\n",
       "HTTP/1.1 413", "a long body in chunks"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Bench b(limits);
    std::string const got = b.exchange(row.request);
    CHECK_EQ(status(got), row.want);
    CHECK(has(got, "Content-Type: application/problem+json\r\n"));
    CHECK(has(got, "Connection: close\r\n"));
    CHECK(has(got, R"("type":"about:blank")"));
    CHECK(b.seen.empty());
  }
  Bench b(limits);
  CHECK(has(
      b.exchange("POST /echo HTTP/1.1\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'a')),
      "200 OK"));
}

TEST_CASE("a head or a body that does not come in time is refused, silence is closed") {
  aio::ServerLimits limits;
  limits.handshake = 20ms;
  limits.request = 20ms;
  struct Row {
    char const* said;
    char const* want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"GET / HTTP/1.1\r\nX: sl", "HTTP/1.1 408", "half a head"},
      {"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nha", "HTTP/1.1 408", "half a body"},
      {"", "", "not a word"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Bench b(limits);
    CHECK_EQ(status(b.exchange(row.said)), row.want);
  }
}

TEST_CASE("a fault of the handler is a 500 and the connection goes on") {
  Bench b;
  std::string const got = b.exchange(get("/throws") + get("/echo", kClose));
  CHECK_EQ(status(got), "HTTP/1.1 500");
  CHECK_FALSE(has(got, "handler broke"));
  CHECK(has(got, "200 OK"));
}

TEST_CASE("a handler that takes too long loses its connection, not the server") {
  aio::ServerLimits limits;
  limits.request = 20ms;
  Bench b(limits);
  CHECK_EQ(b.exchange(get("/held")), "");
  CHECK(has(b.exchange(get("/echo", kClose)), "200 OK"));
}

TEST_CASE("connections over the limit hear 503; when one ends, the next is served") {
  aio::ServerLimits limits;
  limits.connections = 1;
  Bench b(limits);
  test::RawPeer first(b.loop.executor());
  REQUIRE(b.loop.get(open(first, b.port, "")));
  REQUIRE(b.loop.until([&] { return b.server.connections() == 1; }));
  CHECK_EQ(status(b.exchange(get("/echo"))), "HTTP/1.1 503");
  first.close();
  REQUIRE(b.loop.until([&] { return b.server.connections() == 0; }));
  CHECK_EQ(status(b.exchange(get("/echo", kClose))), "HTTP/1.1 200");
}

TEST_CASE("an upgrade is judged before it is accepted") {
  std::string const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  Bench b;
  std::string const no = b.exchange(get("/ws", upgrade));
  CHECK_EQ(status(no), "HTTP/1.1 401");
  CHECK(has(no, "www-authenticate: Bearer\r\n"));
  std::string const good = upgrade + "Authorization: Bearer good\r\n";
  std::string const yes = b.loop.get(b.talk(get("/ws", good), "\r\n\r\n"));
  CHECK_EQ(status(yes), "HTTP/1.1 101");
  CHECK(has(yes, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));  // RFC 6455 §1.3
  CHECK_EQ(status(b.exchange(get("/ws", good) + "early")), "HTTP/1.1 400");
  CHECK_EQ(
      status(b.exchange(get("/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer good\r\n"))),
      "HTTP/1.1 400");
}

TEST_CASE("stop lets a request in progress finish, cuts who rests, and run returns") {
  Bench b;
  test::RawPeer busy(b.loop.executor());
  test::RawPeer resting(b.loop.executor());
  REQUIRE(b.loop.get(open(busy, b.port, get("/held"))));
  REQUIRE(b.loop.get(open(resting, b.port, "")));
  REQUIRE(b.loop.until([&] { return b.held == 1 && b.server.connections() == 2; }));
  b.server.stop();
  CHECK_EQ(b.loop.get(wait_for_end(resting)), "");
  CHECK_FALSE(b.ran_out);
  b.release.notify();
  std::string const got = b.loop.get(wait_for_end(busy));
  CHECK(has(got, "200 OK"));
  CHECK(has(got, "Connection: close\r\n"));
  CHECK(b.loop.until([&] { return b.ran_out; }));
}

TEST_CASE("abort cuts what is left") {
  Bench b;
  test::RawPeer busy(b.loop.executor());
  REQUIRE(b.loop.get(open(busy, b.port, get("/held"))));
  REQUIRE(b.loop.until([&] { return b.held == 1; }));
  b.server.stop();
  b.server.abort();
  CHECK_EQ(b.loop.get(wait_for_end(busy)), "");
}

TEST_CASE("a cancelled server ends its connections") {
  Bench b;
  test::RawPeer resting(b.loop.executor());
  REQUIRE(b.loop.get(open(resting, b.port, "")));
  REQUIRE(b.loop.until([&] { return b.server.connections() == 1; }));
  b.loop.cancel();
  CHECK(b.loop.until([&] { return b.ran_out; }));
}

TEST_CASE("an address that cannot be listened on is named") {
  Bench b;
  auto refuse = [](aio::HttpRequest) -> aio::Task<aio::HttpResponse> { co_return aio::HttpResponse(); };
  aio::HttpServer other(b.loop.executor(), {}, refuse, {}, {});
  Result<std::uint16_t> const taken = other.listen("127.0.0.1", b.port);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == Errc::unavailable);
  CHECK(has(taken.error().what, "127.0.0.1 port " + std::to_string(b.port)));
  Result<std::uint16_t> const name = other.listen("kb.example", 0);
  REQUIRE_FALSE(name);
  CHECK(name.error().code == Errc::invalid_input);
}

TEST_CASE("a server out of descriptors goes on when there are some again") {
  Bench b;
  kb::log::set_level(kb::log::Level::error);
  rlimit before{};
  REQUIRE_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 128;
  REQUIRE_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  test::RawPeer peer(b.loop.executor());
  std::vector<int> filler;
  for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) filler.push_back(fd);
  ::close(filler.back());  // one for the peer, none for the server
  filler.pop_back();
  CHECK(b.loop.get(open(peer, b.port, get("/echo", kClose))));
  b.loop.settle();
  CHECK_EQ(b.server.connections(), 0);
  for (int const fd : filler) ::close(fd);
  REQUIRE_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  CHECK(has(b.loop.get(wait_for_end(peer)), "200 OK"));
}
