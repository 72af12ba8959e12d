/// The simulated platform and the smallest client that can talk to it.
#pragma once

#include <doctest/doctest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "adapters/aio/http.hpp"
#include "adapters/aio/http_client.hpp"
#include "tests/feishu_sim/frames.hpp"
#include "tests/feishu_sim/simulator.hpp"
#include "tests/support/loop.hpp"

namespace kb::test {

using namespace std::chrono_literals;
using feishu_sim::Frame;
using feishu_sim::Json;
using feishu_sim::Simulator;
using feishu_sim::SimulatorOptions;

inline constexpr char const* kGroup = "oc_96000000000000000000000000000001";

/// A platform and the smallest client that can talk to it.
struct SimulatorBench {
  Loop loop;
  Simulator platform;
  aio::HttpClient http;
  std::string token;
  std::unique_ptr<aio::Link> link;

  explicit SimulatorBench(SimulatorOptions options = {})
      : platform(loop.executor(), quiet(std::move(options))),
        http(loop.executor(), nullptr, aio::HttpClient::Limits()) {
    REQUIRE(platform.listen("127.0.0.1", 0).has_value());
    loop.spawn(platform.run());
  }
  ~SimulatorBench() {
    platform.stop();
    http.close_idle();
    link.reset();
    CHECK(loop.finishes());
  }
  static SimulatorOptions quiet(SimulatorOptions options) {
    options.events_dir = KB_SOURCE_DIR "/tests/feishu/events";
    return options;
  }

  Json act(std::string const& name, Json const& how = Json::object()) {
    Result<std::string> const done = platform.act(name, how.dump());
    REQUIRE_MESSAGE(done.has_value(), done.error().what);
    return Json::parse(*done);
  }
  Json read(std::string const& name) { return Json::parse(*platform.read(name)); }

  Result<aio::HttpResponse> send(std::string method, std::string const& path, std::string body) {
    aio::HttpCall call;
    call.method = std::move(method);
    call.url = platform.base() + path;
    call.body = std::move(body);
    call.limit = 3s;
    if (!token.empty()) call.headers["Authorization"] = "Bearer " + token;
    return loop.get(http.send(std::move(call)));
  }
  Json call(std::string method, std::string const& path, Json const& body = Json::object()) {
    Result<aio::HttpResponse> const response = send(std::move(method), path, body.dump());
    REQUIRE_MESSAGE(response.has_value(), response.error().what);
    Json json = Json::parse(response->body);
    json["http"] = response->status;
    return json;
  }
  void log_in() {
    token.clear();
    Json const app{{"app_id", "cli_a1b2c3d4e5f60718"}, {"app_secret", "sim-app-secret"}};
    token = call("POST", "/open-apis/auth/v3/tenant_access_token/internal", app).at("tenant_access_token");
  }
  Json discover() {
    return call("POST", "/callback/ws/endpoint", {{"AppID", "cli_a1b2c3d4e5f60718"}, {"AppSecret", "sim-app-secret"}});
  }
  aio::WsAnswer open(std::string const& url) {
    aio::WsCall to;
    to.url = url;
    to.limits.handshake = 400ms;
    to.limits.idle = 60s;
    return loop.get(aio::open_ws(loop.executor(), std::move(to)));
  }
  void connect() {
    aio::WsAnswer answer = open(discover().at("data").at("URL"));
    REQUIRE_MESSAGE(answer.link != nullptr, answer.error.what);
    link = std::move(answer.link);
    link->send_binary(true);
  }
  Frame receive() {
    Result<std::string> const message = loop.get(link->read());
    REQUIRE_MESSAGE(message.has_value(), message.error().what);
    CHECK(link->got_binary());
    return *feishu_sim::decode(*message);
  }
  void write(Frame const& frame) { REQUIRE(loop.get(link->write(feishu_sim::encode(frame))).has_value()); }
  void acknowledge(Frame frame, std::string payload = R"({"code":200})") {
    frame.headers.emplace_back("biz_rt", "1");
    frame.payload = std::move(payload);
    write(frame);
  }
  std::string status_of(std::string const& delivery) {
    for (Json const& known : read("deliveries")) {
      if (known.at("id") == delivery) return known.at("status");
    }
    return "unknown";
  }
  bool comes_to(std::string const& delivery, std::string const& status) {
    return loop.until([&] { return status_of(delivery) == status; });
  }
  /// A question that is known to the platform, and its id.
  std::string question(Json how = {{"text", "q"}}) {
    how["expect_ack"] = false;
    return act("say", how).at("message_id");
  }
  Json reply(std::string const& to, std::string const& type, std::string const& content, Json extra = Json::object()) {
    extra["msg_type"] = type;
    extra["content"] = content;
    return call("POST", "/open-apis/im/v1/messages/" + to + "/reply", extra);
  }
  Json send_to(std::string const& chat, std::string const& content, std::string const& type = "text") {
    return call("POST", "/open-apis/im/v1/messages?receive_id_type=chat_id",
                {{"receive_id", chat}, {"msg_type", type}, {"content", content}});
  }
};

inline std::string const kText = R"({"text":"a"})";

inline std::string card(std::string const& elements, std::string const& more = "") {
  return R"({"schema":"2.0",)" + more + R"("body":{"elements":[)" + elements + "]}}";
}

inline std::string const kVotes = R"({"tag":"button","text":{"tag":"plain_text","content":"有用"},)"
                                  R"("behaviors":[{"type":"callback","value":{"vote":"up","n":7}}]},)"
                                  R"({"tag":"button","behaviors":[{"type":"callback","value":{"vote":"down"}}]})";

}  // namespace kb::test
