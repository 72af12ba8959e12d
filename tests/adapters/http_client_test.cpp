#include "adapters/aio/http_client.hpp"

#include <doctest/doctest.h>

#include "adapters/aio/url.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/scripted_server.hpp"

using namespace std::chrono_literals;
using namespace kb;

namespace {

struct Bench {
  test::Loop loop;
  test::ScriptedServer server{loop};
  aio::HttpClient client;

  explicit Bench(aio::HttpClient::Limits limits = {}) : client(loop.executor(), nullptr, limits) {}
  ~Bench() {
    client.close_idle();
    server.stop();
    CHECK(loop.finishes());
    CHECK(loop.faults().empty());
  }

  [[nodiscard]] aio::HttpCall call(std::string const& path = "/") const {
    aio::HttpCall made;
    made.url = server.url(path);
    made.repeatable = true;
    made.limit = 4s;
    return made;
  }
  Result<aio::HttpResponse> send(aio::HttpCall made) { return loop.get(client.send(std::move(made))); }
};

std::string ok(std::string const& body, std::string const& more = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + more + "\r\n" + body;
}

aio::Task<> keep(aio::HttpClient& client, aio::HttpCall call, std::vector<Result<aio::HttpResponse>>& into) {
  into.push_back(co_await client.send(std::move(call)));
}

}  // namespace

TEST_CASE("a request goes out as it was given, and the response comes back") {
  Bench b;
  b.server.answers = {"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nX-One: a\r\nx-one: b\r\n\r\nno"};
  aio::HttpCall call = b.call("/open-apis/x?type=chat_id");
  call.method = "POST";
  call.headers = {{"Authorization", "Bearer t"}};
  call.body = "hello!";
  auto const response = b.send(call);
  REQUIRE(response.has_value());
  CHECK_EQ(response->status, 404);
  CHECK_EQ(response->body, "no");
  CHECK_EQ(response->headers.at("x-one"), "a, b");
  REQUIRE_EQ(b.server.requests.size(), 1);
  std::string const& request = b.server.requests[0];
  CHECK(request.starts_with("POST /open-apis/x?type=chat_id HTTP/1.1\r\n"));
  CHECK(request.find("\r\nHost: 127.0.0.1:") != std::string::npos);
  CHECK(request.find("\r\nAuthorization: Bearer t\r\n") != std::string::npos);
  CHECK(request.find("\r\nContent-Length: 6\r\n") != std::string::npos);
  CHECK(request.ends_with("\r\n\r\nhello!"));
}

TEST_CASE("bodies of every framing are read whole") {
  struct Row {
    char const* answer;
    char const* want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: r\r\n\r\n", "abcde",
       "chunks"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", "empty"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "", "a status without a body"},
      {"HTTP/1.1 200 OK\r\n\r\nto the endclose", "to the end", "until the connection ends"},
      {"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold", "old", "HTTP/1.0"},
      {"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", "interim responses"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Bench b;
    b.server.answers = {row.answer};
    auto const response = b.send(b.call());
    REQUIRE(response.has_value());
    CHECK_EQ(response->body, row.want);
  }
}

TEST_CASE("the answer to HEAD has no body") {
  Bench b;
  b.server.answers = {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"};
  aio::HttpCall call = b.call();
  call.method = "HEAD";
  auto const response = b.send(call);
  REQUIRE(response.has_value());
  CHECK_EQ(response->body, "");
}

TEST_CASE("a connection is kept for the next call") {
  Bench b;
  b.server.answers = {ok("x")};
  for (int i = 0; i < 5; ++i) REQUIRE(b.send(b.call()).has_value());
  CHECK_EQ(b.server.accepted, 1);
  CHECK_EQ(b.server.requests.size(), 5);
  b.client.close_idle();
  REQUIRE(b.send(b.call()).has_value());
  CHECK_EQ(b.server.accepted, 2);
}

TEST_CASE("a connection that the server ends, or that has more to say, is not kept") {
  for (std::string const& answer : {ok("x", "Connection: close\r\n"), ok("x") + "surplus"}) {
    CAPTURE(answer);
    Bench b;
    b.server.answers = {answer};
    for (int i = 0; i < 2; ++i) REQUIRE(b.send(b.call()).has_value());
    CHECK_EQ(b.server.accepted, 2);
  }
}

TEST_CASE("an idle connection ends after its time") {
  aio::HttpClient::Limits limits;
  limits.keep = 20ms;
  Bench b(limits);
  b.server.answers = {ok("x")};
  REQUIRE(b.send(b.call()).has_value());
  auto const later = std::chrono::steady_clock::now() + 100ms;
  REQUIRE(b.loop.until([&] { return std::chrono::steady_clock::now() > later; }));
  REQUIRE(b.send(b.call()).has_value());
  CHECK_EQ(b.server.accepted, 2);
}

TEST_CASE("a call that may be repeated outlives a kept connection that died") {
  Bench b;
  b.server.answers = {ok("x")};
  REQUIRE(b.send(b.call()).has_value());
  b.server.cut();
  REQUIRE(b.send(b.call()).has_value());
  CHECK_EQ(b.server.accepted, 2);

  SUBCASE("also when it dies by the request") {
    b.server.answers = {"close", ok("y")};
    auto const response = b.send(b.call());
    REQUIRE(response.has_value());
    CHECK_EQ(response->body, "y");
  }
  SUBCASE("but is repeated only once") {
    b.server.answers = {"close"};
    CHECK_FALSE(b.send(b.call()).has_value());
    CHECK_EQ(b.server.requests.size(), 4);  // two that went well, and two tries of this one
  }
}

TEST_CASE("a call that may not be repeated never uses a kept connection") {
  Bench b;
  b.server.answers = {ok("x")};
  REQUIRE(b.send(b.call()).has_value());
  aio::HttpCall once = b.call();
  once.repeatable = false;
  REQUIRE(b.send(once).has_value());
  CHECK_EQ(b.server.accepted, 2);
  b.server.answers = {"close"};
  auto const before = b.server.requests.size();
  CHECK_FALSE(b.send(once).has_value());
  CHECK_EQ(b.server.requests.size(), before + 1);
}

TEST_CASE("a response of too many bytes is refused") {
  aio::HttpClient::Limits limits;
  limits.max_response_bytes = 1000;
  Bench b(limits);
  std::string const chunk = "3e8\r\n" + std::string(1000, 'x') + "\r\n";
  for (std::string const& answer :
       {ok(std::string(1001, 'x')), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk,
        "HTTP/1.1 200 OK\r\n\r\n" + std::string(5000, 'x')}) {
    b.server.answers = {answer};
    auto const response = b.send(b.call());
    REQUIRE_FALSE(response.has_value());
    CHECK(response.error().code == Errc::exhausted);
  }
  b.server.answers = {ok(std::string(1000, 'x'))};
  CHECK(b.send(b.call()).has_value());
}

TEST_CASE("a call that fails says at which step, without the query") {
  struct Row {
    char const* answer;
    char const* says;
  };
  static constexpr Row rows[] = {
      {"", "waiting for the response: no answer in time"},
      {"HTTP/1.1 200 OK\r\nContent-Len", "waiting for the response: no answer in time"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "reading the response: no answer in time"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "reading the response: no answer in time"},
      {"HTTP/1.1 100 Continue\r\n\r\n", "waiting for the response: no answer in time"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabclose", "reading the response: "},
      {"close", "waiting for the response: "},
      {"SSH-2.0-server\r\n\r\n", "waiting for the response: bad version"},
      {"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n", "waiting for the response: bad Content-Length"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.answer);
    Bench b;
    if (*row.answer != '\0') b.server.answers = {row.answer};
    aio::HttpCall call = b.call("/path?secret=s3cret");
    call.limit = 300ms;
    auto const response = b.send(call);
    REQUIRE_FALSE(response.has_value());
    CHECK(response.error().code == Errc::unavailable);
    CAPTURE(response.error().what);
    CHECK(response.error().what.find(row.says) != std::string::npos);
    CHECK(response.error().what.starts_with("GET " + b.server.url("/path: ")));
  }
}

TEST_CASE("nobody listening is said") {
  Bench b;
  aio::HttpCall call = b.call("/?secret=s3cret");
  b.server.stop();
  auto const response = b.send(call);
  REQUIRE_FALSE(response.has_value());
  CHECK(response.error().code == Errc::unavailable);
  CHECK(response.error().what.find("connecting to 127.0.0.1 port ") != std::string::npos);
  CHECK(response.error().what.find("s3cret") == std::string::npos);
}

TEST_CASE("no more connections than allowed; further calls wait their turn or their time") {
  aio::HttpClient::Limits limits;
  limits.connections = 2;
  Bench b(limits);
  std::vector<Result<aio::HttpResponse>> done;
  aio::HttpCall slow = b.call();
  slow.limit = 300ms;
  aio::HttpCall waiting = b.call();
  waiting.limit = 30ms;
  for (int i = 0; i < 2; ++i) b.loop.spawn(keep(b.client, slow, done));
  b.loop.spawn(keep(b.client, waiting, done));
  REQUIRE(b.loop.until([&] { return done.size() == 1; }));
  CHECK(done[0].error().what.find("waiting for a connection: none in time") != std::string::npos);
  CHECK_EQ(b.server.accepted, 2);

  b.loop.spawn(keep(b.client, b.call(), done));
  b.loop.settle();
  b.server.answers = {ok("x")};
  REQUIRE(b.loop.until([&] { return done.size() == 4; }));
  CHECK(done[3].has_value());
}

TEST_CASE("a cancelled call ends at once, whatever it waits for") {
  Bench b;
  std::vector<Result<aio::HttpResponse>> done;
  b.loop.spawn(keep(b.client, b.call(), done));
  SUBCASE("before it starts") {}
  SUBCASE("while the server is silent") {
    REQUIRE(b.loop.until([&] { return b.server.requests.size() == 1; }));
  }
  auto const before = std::chrono::steady_clock::now();
  b.loop.cancel();
  REQUIRE(b.loop.until([&] { return done.size() == 1; }));
  CHECK(std::chrono::steady_clock::now() - before < 1s);
  CHECK(done[0].error().code == Errc::cancelled);
}

TEST_CASE("calls that cannot be made are refused") {
  Bench b;
  for (char const* url : {"", "127.0.0.1/x", "ftp://127.0.0.1/", "https://127.0.0.1/", "http://", "http://u:s3cret@h/",
                          "http://h:x/?s3cret", "http://h/a b"}) {
    CAPTURE(url);
    aio::HttpCall call = b.call();
    call.url = url;
    auto const response = b.send(call);
    REQUIRE_FALSE(response.has_value());
    CHECK(response.error().code == Errc::invalid_input);
    CHECK(response.error().what.find("s3cret") == std::string::npos);
  }
  aio::HttpCall split = b.call();
  split.headers = {{"X", "a\r\nInjected: yes"}};
  CHECK(b.send(split).error().code == Errc::invalid_input);
}

TEST_CASE("a URL is taken apart") {
  struct Row {
    char const* url;
    char const* host;
    char const* port;
    char const* target;
    char const* authority;
  };
  static constexpr Row rows[] = {
      {"https://open.feishu.cn/a?b=c", "open.feishu.cn", "443", "/a?b=c", "open.feishu.cn"},
      {"ws://h", "h", "80", "/", "h"},
      {"wss://h:443?x=1", "h", "443", "/?x=1", "h"},
      {"http://[::1]:81/", "::1", "81", "/", "[::1]:81"},
      {"http://h/a#frag", "h", "80", "/a", "h"},
      {"http://h/?u=http://x:y@z/", "h", "80", "/?u=http://x:y@z/", "h"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.url);
    auto const url = aio::parse_url(row.url);
    REQUIRE(url.has_value());
    CHECK_EQ(url->host, row.host);
    CHECK_EQ(url->port, row.port);
    CHECK_EQ(url->target, row.target);
    CHECK_EQ(url->authority(), row.authority);
  }
}
