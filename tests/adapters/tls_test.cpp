#include "adapters/aio/tls.hpp"

#include <doctest/doctest.h>
#include <optional>

#include "adapters/aio/http.hpp"
#include "adapters/aio/http_client.hpp"
#include "logging/service_log.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/raw_peer.hpp"

using namespace std::chrono_literals;
using namespace kb;

namespace {

using LinkPtr = std::unique_ptr<aio::Link>;
using TlsPtr = std::shared_ptr<aio::TlsContext>;

TlsPtr trusting(test::Authority const& authority) {
  Result<TlsPtr> context = aio::TlsContext::client(authority.file());
  if (!context) throw std::runtime_error(context.error().what);
  return *context;
}

TlsPtr showing(test::Authority::Files const& files) {
  Result<TlsPtr> context = aio::TlsContext::server(files.chain, files.key);
  if (!context) throw std::runtime_error(context.error().what);
  return *context;
}

/// A server with a certificate. Requests are answered with their body; a link echoes messages as they came, and
/// /refused says no.
struct Bench {
  test::Loop loop;
  aio::HttpServer server;
  std::uint16_t port = 0;
  std::map<std::string, std::string> upgrade_headers;

  explicit Bench(TlsPtr context, aio::ServerLimits limits = {})
      : server(
            loop.executor(), limits, [](aio::HttpRequest r) { return answer(std::move(r)); },
            [this](aio::HttpRequest const& r) { return judge(r); },
            [](LinkPtr link, aio::HttpRequest) { return echo(std::move(link)); }) {
    log::set_level(log::Level::error);
    server.use_tls(std::move(context));
    Result<std::uint16_t> const got = server.listen("127.0.0.1", 0);
    REQUIRE(got);
    port = *got;
    loop.spawn(server.run());
    loop.settle();
  }

  ~Bench() {
    server.stop();
    server.abort();
    CHECK(loop.finishes());
    CHECK(loop.faults().empty());
  }

  static aio::Task<aio::HttpResponse> answer(aio::HttpRequest request) {
    aio::HttpResponse response;
    response.body = std::move(request.body);
    co_return response;
  }

  std::optional<aio::HttpResponse> judge(aio::HttpRequest const& request) {
    upgrade_headers = request.headers;
    if (request.path() != "/refused") return std::nullopt;
    aio::HttpResponse no;
    no.status = 400;
    no.headers = {{"Handshake-Status", "514"}, {"Handshake-Msg", "no"}};
    return no;
  }

  static aio::Task<> echo(LinkPtr link) {
    for (;;) {
      Result<std::string> message = co_await link->read();
      if (!message) break;
      link->send_binary(link->got_binary());
      Result<void> const sent = co_await link->write(std::move(*message));
      if (!sent) break;
    }
  }

  Result<aio::HttpResponse> call(TlsPtr trust, std::string const& host, std::string body = {}) {
    aio::HttpClient client(loop.executor(), std::move(trust), {});
    aio::HttpCall call;
    call.method = "POST";
    call.url = "https://" + host + ":" + std::to_string(port) + "/x?secret=1";
    call.body = std::move(body);
    return loop.get(client.send(std::move(call)));
  }

  aio::WsAnswer open(TlsPtr trust, std::string const& path) {
    aio::WsCall call;
    call.url = "wss://localhost:" + std::to_string(port) + path;
    call.headers = {{"X-Extra", "yes"}};
    call.tls = std::move(trust);
    return loop.get(aio::open_ws(loop.executor(), std::move(call)));
  }
};

struct Heard {
  std::string text;
  bool binary = false;
};

aio::Task<Heard> say(aio::Link& link, std::string message, bool binary) {
  link.send_binary(binary);
  (void)co_await link.write(std::move(message));
  Result<std::string> answer = co_await link.read();
  Heard heard;
  heard.text = answer ? *answer : answer.error().what;
  heard.binary = link.got_binary();
  co_return heard;
}

aio::Task<bool> close_and_drain(aio::Link& link) {
  co_await link.close();
  co_return true;
}

}  // namespace

TEST_CASE("a call over TLS arrives whole, whatever its size") {
  test::Authority authority;
  Bench b(showing(authority.issue("localhost")));
  for (std::size_t const size : {0, 1, 16'000, 16'384, 16'385, 900'000}) {
    CAPTURE(size);
    std::string const body(size, 'x');
    auto const response = b.call(trusting(authority), "localhost", body);
    REQUIRE(response.has_value());
    CHECK_EQ(response->status, 200);
    CHECK(response->body == body);
  }
}

TEST_CASE("a certificate is checked: its authority, its host and its time") {
  test::Authority authority;
  test::Authority other;
  struct Row {
    char const* certified;
    char const* called;
    int hours;
    bool known;
    Errc want;
    char const* says;
  };
  static constexpr Row rows[] = {
      {"open.example", "localhost", 1, true, Errc::denied, "another host's"},
      {"*.example", "localhost", 1, true, Errc::denied, "another host's"},
      {"127.0.0.2", "127.0.0.1", 1, true, Errc::denied, "another host's"},
      {"localhost", "127.0.0.1", 1, true, Errc::denied, "another host's"},
      {"localhost", "localhost", 1, false, Errc::denied, "not trusted: unable to get local issuer certificate"},
      {"localhost", "localhost", -1, true, Errc::denied, "not trusted: certificate has expired"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.certified);
    CAPTURE(row.called);
    Bench b(showing(authority.issue(row.certified, std::chrono::hours(row.hours))));
    auto const response = b.call(trusting(row.known ? authority : other), row.called);
    REQUIRE_FALSE(response.has_value());
    CHECK(response.error().code == row.want);
    CAPTURE(response.error().what);
    CHECK(response.error().what.find(row.says) != std::string::npos);
    CHECK(response.error().what.find(row.called) != std::string::npos);
    CHECK(response.error().what.find("secret") == std::string::npos);
  }
}

TEST_CASE("an address can be certified too") {
  test::Authority authority;
  Bench b(showing(authority.issue("127.0.0.1")));
  auto const response = b.call(trusting(authority), "127.0.0.1", "hello");
  REQUIRE(response.has_value());
  CHECK_EQ(response->body, "hello");
}

TEST_CASE("a wss link carries binary and text both ways") {
  test::Authority authority;
  Bench b(showing(authority.issue("localhost")));
  aio::WsAnswer answer = b.open(trusting(authority), "/ws?ticket=t");
  REQUIRE(answer.link);
  CHECK_EQ(b.upgrade_headers["x-extra"], "yes");
  for (std::size_t const size : {0, 1, 300, 60'000}) {
    CAPTURE(size);
    std::string bytes(size, '\xFF');  // no UTF-8
    Heard const heard = b.loop.get(say(*answer.link, bytes, true));
    CHECK(heard.text == bytes);
    CHECK(heard.binary);
  }
  Heard const heard = b.loop.get(say(*answer.link, "文字", false));
  CHECK_EQ(heard.text, "文字");
  CHECK_FALSE(heard.binary);
  answer.link->abort();
}

TEST_CASE("a refused upgrade tells its status and headers, and no text holds the query") {
  test::Authority authority;
  Bench b(showing(authority.issue("localhost")));
  aio::WsAnswer const refused = b.open(trusting(authority), "/refused?ticket=t0ken");
  REQUIRE_FALSE(refused.link);
  CHECK_EQ(refused.response.status, 400);
  CHECK_EQ(refused.response.headers.at("handshake-status"), "514");
  CHECK_EQ(refused.response.headers.at("handshake-msg"), "no");
  CHECK(refused.error.what.ends_with("/refused: refused with 400"));

  test::Authority const stranger;
  aio::WsAnswer const distrusted = b.open(trusting(stranger), "/ws?ticket=t0ken");
  REQUIRE_FALSE(distrusted.link);
  CHECK(distrusted.error.code == Errc::denied);
  CHECK_EQ(distrusted.response.status, 0);
  CHECK(distrusted.error.what.find("t0ken") == std::string::npos);
}

TEST_CASE("a wss link closes in order") {
  test::Authority authority;
  Bench b(showing(authority.issue("localhost")));
  aio::WsAnswer answer = b.open(trusting(authority), "/ws");
  REQUIRE(answer.link);
  CHECK(b.loop.get(close_and_drain(*answer.link)));
  CHECK(b.loop.until([&] { return b.server.connections() == 0; }));
}

TEST_CASE("a peer that does not shake hands is given up, on either side") {
  test::Authority authority;
  SUBCASE("a client that says nothing") {
    aio::ServerLimits limits;
    limits.handshake = 30ms;
    Bench b(showing(authority.issue("localhost")), limits);
    test::RawPeer mute(b.loop.executor());
    auto connect = [](test::RawPeer& peer, std::uint16_t port) -> aio::Task<bool> {
      co_await peer.connect(port);
      co_return true;
    };
    REQUIRE(b.loop.get(connect(mute, b.port)));
    CHECK_EQ(b.loop.get(mute.rest()), "");
    CHECK(b.loop.until([&] { return b.server.connections() == 0; }));
  }
  SUBCASE("a client that speaks no TLS") {
    Bench b(showing(authority.issue("localhost")));
    test::RawPeer plain(b.loop.executor());
    auto ask = [](test::RawPeer& peer, std::uint16_t port) -> aio::Task<bool> {
      co_await peer.connect(port);
      co_await peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      co_return true;
    };
    REQUIRE(b.loop.get(ask(plain, b.port)));
    CHECK_EQ(b.loop.get(plain.rest()).find("HTTP/1.1"), std::string::npos);
    CHECK(b.loop.until([&] { return b.server.connections() == 0; }));
  }
}

TEST_CASE("a file that holds no certificate is named") {
  test::Authority authority;
  test::TempDir dir;
  auto const files = authority.issue("localhost");
  auto const other = authority.issue("localhost");
  auto const junk = dir.write("junk.pem", "no certificate");
  struct Row {
    Result<TlsPtr> got;
    std::string named;
  };
  Row const rows[] = {
      {aio::TlsContext::client(junk), "junk.pem"},
      {aio::TlsContext::client(dir.path() / "absent.pem"), "absent.pem"},
      {aio::TlsContext::server(junk, files.key), "junk.pem"},
      {aio::TlsContext::server(files.chain, junk), "junk.pem"},
      {aio::TlsContext::server(files.chain, other.key), other.key.filename().string()},
  };
  for (auto const& row : rows) {
    CAPTURE(row.named);
    REQUIRE_FALSE(row.got.has_value());
    CHECK(row.got.error().code == Errc::invalid_input);
    CHECK(row.got.error().what.find(row.named) != std::string::npos);
  }
  CHECK(aio::TlsContext::client().has_value());  // the system's own
}
