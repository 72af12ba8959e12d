// The simulator breaks what it is told to; its control API and TLS.
#include <optional>

#include "adapters/aio/tls.hpp"
#include "tests/feishu/simulator_bench.hpp"
#include "tests/feishu_sim/certificate.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb;
using namespace std::chrono_literals;
using Bench = test::SimulatorBench;
using feishu_sim::Frame;
using feishu_sim::Json;
using feishu_sim::Simulator;
using feishu_sim::SimulatorOptions;
using test::kText;

TEST_CASE("the simulator fails calls as it is told") {
  Bench b;
  b.log_in();
  std::string const question = b.question();
  b.act("fail", {{"route", "reply"}, {"status", 503}, {"code", 11232}, {"headers", {{"x-a", "b"}}}, {"times", 2}});
  CHECK_EQ(b.reply(question, "text", kText).at("http"), 503);
  CHECK_EQ(b.reply(question, "text", kText).at("code"), 11232);
  CHECK_EQ(b.reply(question, "text", kText).at("code"), 0);

  std::string const path = "/open-apis/im/v1/messages/" + question + "/reply";
  std::string const body = Json{{"msg_type", "text"}, {"content", kText}, {"uuid", "u"}}.dump();
  b.act("fail", {{"route", "reply"}, {"close", true}, {"after_effect", true}});
  CHECK_FALSE(b.send("POST", path, body).has_value());
  CHECK_EQ(b.platform.count("messages", R"({"uuid":"u"})"), 1);
  Result<aio::HttpResponse> const again = b.send("POST", path, body);
  REQUIRE(again.has_value());
  CHECK_EQ(Json::parse(again->body).at("code"), 0);
  CHECK_EQ(b.platform.count("messages", R"({"uuid":"u"})"), 1);

  b.act("fail", {{"route", "bot_info"}, {"delay_ms", 60'000}, {"code", 7}});
  std::optional<Json> late;
  auto const ask = [](Bench& bench, std::optional<Json>& into) -> aio::Task<> {
    aio::HttpCall call;
    call.url = bench.platform.base() + "/open-apis/bot/v3/info";
    Result<aio::HttpResponse> const response = co_await bench.http.send(std::move(call));
    if (response) into = Json::parse(response->body);
  };
  b.loop.spawn(ask(b, late));
  CHECK(b.loop.until([&] { return b.read("state").at("faults").empty(); }));
  CHECK_FALSE(late.has_value());
  b.platform.advance(60s);
  CHECK(b.loop.until([&] { return late.has_value(); }));
  CHECK_EQ(late->at("code"), 7);
}

TEST_CASE("the simulator hangs a call without a word") {
  Bench b;
  b.act("fail", {{"route", "ws_endpoint"}, {"hang", true}});
  aio::HttpCall call;
  call.method = "POST";
  call.url = b.platform.base() + "/callback/ws/endpoint";
  call.limit = 100ms;
  CHECK_FALSE(b.loop.get(b.http.send(std::move(call))).has_value());
  CHECK_EQ(b.platform.count("requests", R"({"kind":"ws_endpoint"})"), 1);
  CHECK_EQ(b.discover().at("code"), 0);
}

TEST_CASE("the simulator drops connections in each way") {
  Bench b;
  b.connect();
  b.act("drop", {{"mode", "close"}, {"code", 1013}, {"reason", "later"}});
  Result<std::string> const closed = b.loop.get(b.link->read());
  REQUIRE_FALSE(closed.has_value());
  CHECK_EQ(closed.error().what, "closed by the peer: 1013 later");
  for (char const* const mode : {"terminate", "rst"}) {
    CAPTURE(mode);
    b.connect();
    b.act("drop", {{"mode", mode}});
    CHECK_FALSE(b.loop.get(b.link->read()).has_value());
    CHECK(b.loop.until([&] { return b.platform.count("live") == 0; }));
  }
}

TEST_CASE("the simulator's half-open link passes nothing until it thaws") {
  Bench b;
  b.connect();
  b.act("drop", {{"mode", "halfopen"}});
  Frame ping;
  ping.service = 33554678;
  ping.headers = {{"type", "ping"}};
  b.write(ping);
  // What is written after the ping on another way has arrived: the ping would have, too.
  b.log_in();
  CHECK_EQ(b.platform.count("pings"), 0);
  b.act("drop", {{"mode", "thaw"}});
  CHECK(b.loop.until([&] { return b.platform.count("pings") == 1; }));
  CHECK_EQ(b.receive().header("type"), "pong");

  b.act("drop", {{"mode", "halfopen"}});
  b.link->abort();
  CHECK(b.loop.until([&] { return b.platform.count("live") == 0; }));
}

TEST_CASE("the simulator refuses and hangs handshakes and discovery") {
  Bench b;
  b.act("handshake", {{"status", 403}, {"msg", "forbidden"}, {"http_status", 403}});
  std::string url = b.discover().at("data").at("URL");
  aio::WsAnswer const refused = b.open(url);
  CHECK(refused.link == nullptr);
  CHECK_EQ(refused.response.status, 403);
  CHECK_EQ(refused.response.headers.at("handshake-status"), "403");
  CHECK_EQ(refused.response.headers.at("handshake-msg"), "forbidden");
  for (char const* const how : {"hang", "reset"}) {
    CAPTURE(how);
    b.act("handshake", {{how, true}});
    url = b.discover().at("data").at("URL");
    aio::WsAnswer const none = b.open(url);
    CHECK(none.link == nullptr);
    CHECK_EQ(none.response.status, 0);
  }
  b.act("endpoint", {{"code", 514}, {"msg", "no"}, {"times", 1}});
  CHECK_EQ(b.discover().at("code"), 514);
  b.connect();
  b.act("goaway", {{"down_ms", 60'000}});
  CHECK_FALSE(b.loop.get(b.link->read()).has_value());
  CHECK_EQ(b.discover().at("code"), 1);
  b.platform.advance(60s);
  CHECK_EQ(b.discover().at("code"), 0);
}

TEST_CASE("the simulator refuses a connection too many") {
  SimulatorOptions options;
  options.connections = 1;
  Bench b(options);
  b.connect();
  std::string const url = b.discover().at("data").at("URL");
  aio::WsAnswer const second = b.open(url);
  CHECK(second.link == nullptr);
  CHECK_EQ(second.response.headers.at("handshake-autherrcode"), "1000040350");
}

TEST_CASE("the simulator's control API is there over HTTP, too") {
  Bench b;
  CHECK_EQ(b.call("POST", "/_sim/say", {{"text", "hi"}}).at("status"), "waiting for a connection");
  CHECK_EQ(b.call("POST", "/_sim/wait", {{"for", "all_messages"}}).at("http"), 200);
  Json const late = b.call("POST", "/_sim/wait", {{"for", "messages"}, {"timeout_ms", 1}});
  CHECK_EQ(late.at("http"), 408);
  CHECK_EQ(late.at("ok"), false);
  CHECK_EQ(b.call("GET", "/_sim/health").at("live"), 0);
  CHECK_EQ(b.call("GET", "/_sim/smoke").at("http"), 404);
  CHECK_EQ(b.call("POST", "/_sim/smoke").at("http"), 404);
  CHECK_EQ(b.call("POST", "/_sim/event", {{"file", "../x.json"}}).at("http"), 400);
  CHECK_EQ(b.call("POST", "/_sim/event", {{"file", "text_p2p.json"}, {"split", "x"}, {"fragments", "y"}}).at("http"),
           200);
  CHECK_EQ(b.call("POST", "/_sim/event", {{"file", "text_p2p.json"}, {"split", {"x"}}}).at("http"), 400);
  CHECK_EQ(b.call("POST", "/_sim/reset").at("ok"), true);
  CHECK_EQ(b.platform.count("deliveries"), 0);
}

TEST_CASE("the simulator speaks TLS with the certificate it makes") {
  test::TempDir const directory;
  auto const chain = directory.path() / "ca.pem";
  auto const key = directory.path() / "key.pem";
  REQUIRE(feishu_sim::write_certificate(chain, key).has_value());
  auto const server = aio::TlsContext::server(chain, key);
  auto const client = aio::TlsContext::client(chain);
  REQUIRE(server.has_value());
  REQUIRE(client.has_value());
  test::Loop loop;
  Simulator platform(loop.executor(), SimulatorOptions());
  platform.use_tls(*server);
  REQUIRE(platform.listen("127.0.0.1", 0).has_value());
  loop.spawn(platform.run());
  aio::HttpClient http(loop.executor(), *client, aio::HttpClient::Limits());
  aio::HttpCall call;
  call.method = "POST";
  call.url = platform.base() + "/callback/ws/endpoint";
  call.body = R"({"AppID":"cli_a1b2c3d4e5f60718","AppSecret":"sim-app-secret"})";
  Result<aio::HttpResponse> const response = loop.get(http.send(std::move(call)));
  REQUIRE_MESSAGE(response.has_value(), response.error().what);
  aio::WsCall to;
  to.url = Json::parse(response->body).at("data").at("URL");
  to.tls = *client;
  CHECK(to.url.starts_with("wss://127.0.0.1:"));
  aio::WsAnswer const answer = loop.get(aio::open_ws(loop.executor(), std::move(to)));
  CHECK_MESSAGE(answer.link != nullptr, answer.error.what);
  http.close_idle();
  platform.stop();
  CHECK(loop.finishes());
}
