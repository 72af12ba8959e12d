#include "tests/feishu_sim/simulator.hpp"

#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/http_client.hpp"
#include "adapters/aio/tls.hpp"
#include "tests/feishu_sim/certificate.hpp"
#include "tests/feishu_sim/frames.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_repo.hpp"

namespace {

using namespace kb;
using namespace std::chrono_literals;
using feishu_sim::Frame;
using feishu_sim::Json;
using feishu_sim::Simulator;
using feishu_sim::SimulatorOptions;

constexpr char const* kGroup = "oc_96000000000000000000000000000001";

/// A platform and the smallest client that can talk to it.
struct Bench {
  test::Loop loop;
  Simulator platform;
  aio::HttpClient http;
  std::string token;
  std::unique_ptr<aio::Link> link;

  explicit Bench(SimulatorOptions options = {})
      : platform(loop.executor(), quiet(std::move(options))),
        http(loop.executor(), nullptr, aio::HttpClient::Limits()) {
    REQUIRE(platform.listen("127.0.0.1", 0).has_value());
    loop.spawn(platform.run());
  }
  ~Bench() {
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

std::string const kText = R"({"text":"a"})";

std::string card(std::string const& elements, std::string const& more = "") {
  return R"({"schema":"2.0",)" + more + R"("body":{"elements":[)" + elements + "]}}";
}

std::string const kVotes = R"({"tag":"button","text":{"tag":"plain_text","content":"有用"},)"
                           R"("behaviors":[{"type":"callback","value":{"vote":"up","n":7}}]},)"
                           R"({"tag":"button","behaviors":[{"type":"callback","value":{"vote":"down"}}]})";

}  // namespace

TEST_CASE("the simulator's URL is good for one connection") {
  Bench b;
  Json const found = b.discover();
  CHECK_EQ(found.at("code"), 0);
  CHECK_EQ(found.at("data").at("ClientConfig").at("PingInterval"), 120);
  std::string const url = found.at("data").at("URL");
  CHECK(url.find("service_id=33554678") != url.npos);
  aio::WsAnswer const first = b.open(url);
  CHECK(first.link != nullptr);
  aio::WsAnswer const second = b.open(url);
  CHECK(second.link == nullptr);
  CHECK_EQ(second.response.headers.at("handshake-status"), "514");
  CHECK_EQ(b.call("POST", "/callback/ws/endpoint", {{"AppID", "x"}, {"AppSecret", "y"}}).at("code"), 1000040345);
}

TEST_CASE("the simulator settles an event by its acknowledgement") {
  Bench b;
  b.connect();
  Json const sent = b.act("event", {{"file", "text_p2p.json"}, {"fresh", true}});
  Frame const frame = b.receive();
  CHECK_EQ(frame.method, feishu_sim::kData);
  CHECK_EQ(frame.header("type"), "event");
  CHECK_EQ(Json::parse(*frame.payload).at("header").at("event_id"), sent.at("event_id"));
  b.acknowledge(frame);
  CHECK(b.comes_to(sent.at("delivery"), "acked"));
  CHECK_EQ(b.platform.count("violations"), 0);
}

TEST_CASE("the simulator cuts events, reorders, repeats and loses the parts") {
  struct Row {
    char const* how;
    std::vector<int> want;
    char const* why;
  };
  Row const rows[] = {
      {R"({"fragments":3})", {0, 1, 2}, "equal parts in order"},
      {R"({"fragments":3,"fragment_order":[2,0,1]})", {2, 0, 1}, "any order"},
      {R"({"fragments":2,"duplicate_fragments":[0]})", {0, 0, 1}, "one twice"},
      {R"({"fragments":3,"drop_fragments":[1]})", {0, 2}, "one lost"},
      {R"({"split":[10,20]})", {0, 1, 2}, "cut at given bytes"},
      {R"({"copies":2})", {0, 0}, "the whole twice"},
      {R"({"fragments":2,"fragment_gap_ms":5})", {0, 1}, "with a pause between"},
  };
  Bench b;
  b.connect();
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Json how = Json::parse(row.how);
    how["event"] = {{"header", {{"event_id", "e"}}}, {"event", {{"text", "一些足够长的文字可以切开"}}}};
    how["expect_ack"] = false;
    b.act("event", how);
    std::vector<int> got;
    std::map<int, std::string> parts;
    for (std::size_t i = 0; i < row.want.size(); ++i) {
      Frame const frame = b.receive();
      got.push_back(std::stoi(*frame.header("seq")));
      parts[got.back()] = *frame.payload;
    }
    CHECK_EQ(got, row.want);
    std::string whole;
    for (auto const& [seq, bytes] : parts) whole += bytes;
    if (!how.contains("drop_fragments")) CHECK_EQ(Json::parse(whole), how["event"]);
  }
}

TEST_CASE("the simulator sends an event again 15 s, 5 min, 1 h and 6 h after the attempt before, then gives up") {
  Bench b;
  b.connect();
  std::string const delivery = b.act("event", {{"file", "text_p2p.json"}}).at("delivery");
  std::string const first = *b.receive().payload;
  for (std::chrono::milliseconds const wait : {15'000ms, 300'000ms, 3'600'000ms, 21'600'000ms}) {
    CAPTURE(wait.count());
    b.platform.advance(wait - 1000ms);
    b.loop.settle();
    std::size_t const attempts = b.read("deliveries").at(0).at("attempts").size();
    b.platform.advance(1000ms);
    CHECK_EQ(b.read("deliveries").at(0).at("attempts").size(), attempts + 1);
    CHECK_EQ(*b.receive().payload, first);
  }
  b.platform.advance(3000ms);
  CHECK_EQ(b.status_of(delivery), "given up");
}

TEST_CASE("the simulator sends again what was refused or lost, and what was raised while nobody was there") {
  Bench b;
  b.connect();
  std::string const refused = b.act("event", {{"file", "text_p2p.json"}, {"redeliver_ms", {0}}}).at("delivery");
  b.acknowledge(b.receive(), R"({"code":500})");
  b.acknowledge(b.receive());
  CHECK(b.comes_to(refused, "acked"));

  std::string const lost = b.act("event", {{"file", "text_p2p.json"}}).at("delivery");
  (void)b.receive();
  b.act("drop");
  CHECK(b.comes_to(lost, "retry in 15000 ms (connection lost)"));
  std::string const early = b.act("event", {{"file", "text_p2p.json"}}).at("delivery");
  CHECK_EQ(b.status_of(early), "waiting for a connection");
  b.connect();
  b.acknowledge(b.receive());
  CHECK(b.comes_to(early, "acked"));
  b.platform.advance(15s);
  b.acknowledge(b.receive());
  CHECK(b.comes_to(lost, "acked"));
}

TEST_CASE("the simulator notes what a correct client never sends") {
  struct Row {
    char const* want;
    void (*spoil)(Frame&);
  };
  static constexpr Row rows[] = {
      {"ack_without_biz_rt", [](Frame& f) { f.headers.pop_back(); }},
      {"ack_changed_ids", [](Frame& f) { f.log_id += 1; }},
      {"ack_changed_ids", [](Frame& f) { f.seq_id = 0; }},
      {"ack_changed_service", [](Frame& f) { f.service = 1; }},
      {"ack_dropped_header", [](Frame& f) { std::erase_if(f.headers, [](auto& h) { return h.first == "trace_id"; }); }},
      {"ack_payload_not_json", [](Frame& f) { f.payload = "ok"; }},
      {"ack_code_not_number", [](Frame& f) { f.payload = R"({"code":"200"})"; }},
      {"ack_data_not_string", [](Frame& f) { f.payload = R"({"code":200,"data":{}})"; }},
      {"ack_data_not_base64", [](Frame& f) { f.payload = R"({"code":200,"data":"{}"})"; }},
      {"ack_for_unknown_message",
       [](Frame& f) {
         f.headers = {{"message_id", "x"}, {"biz_rt", "1"}};
       }},
      {"unknown_method", [](Frame& f) { f.method = 2; }},
      {"ping_service_mismatch",
       [](Frame& f) {
         f = Frame();
         f.service = 5;
         f.headers = {{"type", "ping"}};
       }},
      {"unexpected_control", [](Frame& f) { f.method = 0; }},
  };
  Bench b;
  b.connect();
  for (Row const& row : rows) {
    CAPTURE(row.want);
    std::size_t const before = b.platform.count("violations");
    b.act("pong", {{"enabled", false}});
    b.act("event", {{"file", "text_p2p.json"}, {"expect_ack", false}});
    Frame frame = b.receive();
    frame.headers.emplace_back("biz_rt", "1");
    frame.payload = R"({"code":200})";
    row.spoil(frame);
    b.write(frame);
    CHECK(b.loop.until([&] { return b.platform.count("violations") == before + 1; }));
    CHECK_EQ(b.read("violations").back().at("kind"), row.want);
  }
  REQUIRE(b.loop.get(b.link->write("\x08")).has_value());
  CHECK(b.loop.until([&] { return b.platform.count("violations", R"({"kind":"undecodable_frame"})") == 1; }));
  b.link->send_binary(false);
  REQUIRE(b.loop.get(b.link->write("hello")).has_value());
  CHECK(b.loop.until([&] { return b.platform.count("violations", R"({"kind":"text_frame"})") == 1; }));
}

TEST_CASE("the simulator answers a ping with the configuration it was told to give") {
  Bench b;
  b.connect();
  Frame ping;
  ping.service = 33554678;
  ping.headers = {{"type", "ping"}};
  b.write(ping);
  CHECK_EQ(Json::parse(*b.receive().payload).at("PingInterval"), 120);
  b.act("pong", {{"config", {{"PingInterval", 7}}}});
  b.write(ping);
  CHECK_EQ(*b.receive().payload, R"({"PingInterval":7})");
  b.act("pong", {{"with_config", false}, {"send_now", true}});
  CHECK_FALSE(b.receive().payload.has_value());
  CHECK_EQ(b.platform.count("pings"), 2);
}

TEST_CASE("the simulator gives the same token while half an hour remains, then another beside it") {
  Bench b;
  b.log_in();
  std::string const first = b.token;
  b.platform.advance(80min);
  b.log_in();
  CHECK_EQ(b.token, first);
  b.platform.advance(20min);
  b.log_in();
  CHECK_NE(b.token, first);
  std::string const info = "/open-apis/bot/v3/info";
  CHECK_EQ(b.call("GET", info).at("bot").at("open_id"), "ou_b0700000000000000000000000000b07");
  std::string const second = std::exchange(b.token, first);
  CHECK_EQ(b.call("GET", info).at("code"), 0);
  b.platform.advance(25min);
  CHECK_EQ(b.call("GET", info).at("code"), 99991663);  // its own two hours are over
  b.token = second;
  CHECK_EQ(b.call("GET", info).at("code"), 0);
  b.act("token", {{"action", "revoke"}});
  CHECK_EQ(b.call("GET", info).at("code"), 99991663);
  CHECK_EQ(b.call("GET", info).at("http"), 400);
  b.token = "nonsense";
  CHECK_EQ(b.call("GET", info).at("code"), 99991671);
  b.token.clear();
  CHECK_EQ(b.call("GET", info).at("code"), 99991661);
}

TEST_CASE("the simulator puts a reply where its question is") {
  Bench b;
  b.log_in();
  Json const plain = b.reply(b.question(), "text", kText).at("data");
  CHECK_EQ(plain.at("root_id"), plain.at("parent_id"));
  CHECK_FALSE(plain.contains("thread_id"));

  std::string const threaded =
      b.question({{"text", "q"}, {"chat_id", kGroup}, {"thread_id", "omt_1"}, {"root_id", "om_root"}});
  Json const inside = b.reply(threaded, "text", kText).at("data");
  CHECK_EQ(inside.at("thread_id"), "omt_1");
  CHECK_EQ(inside.at("root_id"), "om_root");
  CHECK_EQ(inside.at("parent_id"), threaded);

  Json const opened =
      b.reply(b.question({{"text", "q"}, {"chat_id", kGroup}}), "text", kText, {{"reply_in_thread", true}});
  CHECK(opened.at("data").at("thread_id").get<std::string>().starts_with("omt_"));
  CHECK_EQ(b.platform.count("messages"), 3);
}

TEST_CASE("the simulator makes one message of one uuid within an hour") {
  Bench b;
  b.log_in();
  std::string const question = b.question();
  Json const uuid{{"uuid", "k1"}};
  Json const first = b.reply(question, "text", kText, uuid);
  b.platform.advance(59min);
  CHECK_EQ(b.reply(question, "text", kText, uuid).at("data").at("message_id"), first.at("data").at("message_id"));
  CHECK_EQ(b.platform.count("messages"), 1);
  b.platform.advance(1min);
  CHECK_NE(b.reply(question, "text", kText, uuid).at("data").at("message_id"), first.at("data").at("message_id"));
  CHECK_EQ(b.reply(question, "text", kText, {{"uuid", std::string(51, 'u')}}).at("code"), 99992402);
}

TEST_CASE("the simulator refuses content the platform refuses") {
  std::string const table = R"(| a | b |\n| --- | --- |\n| 1 | 2 |\n\n)";
  auto const markdown = [](std::string const& text) { return R"({"tag":"markdown","content":")" + text + R"("})"; };
  auto const times = [](int n, std::string const& text) {
    std::string all;
    for (int i = 0; i < n; ++i) all += text;
    return all;
  };
  struct Row {
    char const* type;
    std::string content;
    int code, inner;
    char const* why;
  };
  Row const rows[] = {
      {"text", kText, 0, 0, "plain"},
      {"text", R"({"txt":"a"})", 230001, 0, "no text"},
      {"text", "a", 230001, 0, "not JSON"},
      {"text", R"({"text":")" + std::string(150 * 1024, 'a') + "\"}", 230025, 0, "over 150 KB"},
      {"smoke", kText, 230001, 0, "no such type"},
      {"post", R"({"zh_cn":{"content":[[{"tag":"md","text":"**a**"}]]}})", 0, 0, "md alone"},
      {"post", R"({"zh_cn":{"content":[[{"tag":"md","text":"a"},{"tag":"text","text":"b"}]]}})", 230001, 0,
       "md with company"},
      {"post", R"({"zh_cn":{"content":[[{"tag":"a","href":"ftp://x","text":"x"}]]}})", 230001, 0,
       "a link of another kind"},
      {"post", R"({"content":[]})", 230001, 0, "no language"},
      {"interactive", card(markdown("a")), 0, 0, "a card"},
      {"interactive", R"({"elements":[{"tag":"note","elements":[]}]})", 0, 0, "note was fine in 1.0"},
      {"interactive", card(R"({"tag":"note","elements":[]})"), 230099, 200861, "note in 2.0"},
      {"interactive", card(R"({"tag":"action","actions":[]})"), 230099, 200861, "action in 2.0"},
      {"interactive", card(markdown("a"), R"("elements":[],)"), 230099, 200861, "a member of 1.0"},
      {"interactive", "{", 230099, 200621, "broken JSON"},
      {"interactive", R"({"schema":"2.0"})", 230099, 200621, "no body"},
      {"interactive", card(R"({"tag":"hr","element_id":"a"},{"tag":"hr","element_id":"a"})"), 230099, 300301,
       "an id twice"},
      {"interactive", card(R"({"tag":"hr","element_id":"1a"})"), 230099, 200621, "an id that starts with a digit"},
      {"interactive", card(markdown(times(5, table))), 0, 0, "five tables"},
      {"interactive", card(markdown(times(3, table)) + "," + markdown(times(3, table))), 230099, 11310, "six tables"},
      {"interactive", card(markdown(R"(```\n)" + times(9, table) + "```")), 0, 0, "tables in a code block"},
      {"interactive", card(markdown(std::string(30 * 1024, 'a'))), 230025, 0, "over 30 KB"},
      {"interactive", R"({"type":"card","data":{"card_id":"7"}})", 230099, 11310, "no such entity"},
  };
  Bench b;
  b.act("config", {{"rateLimits", false}});
  b.log_in();
  std::string const question = b.question();
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Json const answer = b.reply(question, row.type, row.content);
    CAPTURE(answer.dump());
    CHECK_EQ(answer.at("code"), row.code);
    CHECK_EQ(answer.at("http"), row.code == 0 ? 200 : 400);
    std::string const inner = "ErrCode: " + std::to_string(row.inner) + ";";
    if (row.inner != 0) CHECK(answer.at("msg").get<std::string>().find(inner) != std::string::npos);
  }
}

TEST_CASE("the simulator refuses a message that has nowhere to go") {
  Bench b;
  b.log_in();
  std::string const withdrawn = b.question();
  b.act("recall", {{"message_id", withdrawn}});
  CHECK_EQ(b.reply(withdrawn, "text", kText).at("code"), 230011);
  CHECK_EQ(b.reply("om_unknown", "text", kText).at("code"), 231003);
  CHECK_EQ(b.reply("omt_1", "text", kText).at("code"), 99992354);
  std::string const asked = b.question({{"text", "q"}, {"chat_id", kGroup}});
  b.act("chat", {{"chat_id", kGroup}, {"bot_in", false}});
  CHECK_EQ(b.reply(asked, "text", kText).at("code"), 230002);
  CHECK_FALSE(b.call("GET", std::string("/open-apis/im/v1/chats/") + kGroup).at("data").contains("chat_mode"));
  b.act("chat", {{"chat_id", kGroup}, {"bot_in", true}, {"status", "dissolved"}});
  CHECK_EQ(b.reply(asked, "text", kText).at("code"), 232009);
  CHECK_EQ(b.send_to(kGroup, kText).at("code"), 232009);
  CHECK_EQ(b.send_to("oc_nobody", kText).at("code"), 230002);
}

TEST_CASE("the simulator counts messages of a chat and calls of an API") {
  Bench b;
  b.log_in();
  for (int i = 0; i < 5; ++i) CHECK_EQ(b.send_to(kGroup, kText).at("code"), 0);
  CHECK_EQ(b.send_to(kGroup, kText).at("code"), 230020);
  b.platform.advance(1s);
  CHECK_EQ(b.send_to(kGroup, kText).at("code"), 0);

  b.act("config", {{"apiPerSecond", 2}});
  b.platform.advance(1s);
  std::string const info = "/open-apis/bot/v3/info";
  CHECK_EQ(b.call("GET", info).at("code"), 0);
  CHECK_EQ(b.call("GET", info).at("code"), 0);
  Result<aio::HttpResponse> const many = b.send("GET", info, "");
  REQUIRE(many.has_value());
  CHECK_EQ(many->status, 429);
  CHECK_EQ(Json::parse(many->body).at("code"), 99991400);
  CHECK_EQ(many->headers.at("x-ogw-ratelimit-reset"), "1");
}

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

TEST_CASE("the simulator clicks a button and shows what the answer makes of the card") {
  struct Row {
    std::string answer;
    bool applied;
    int shown;
    char const* why;
  };
  Row const rows[] = {
      {R"({"toast":{"type":"success","content":"好"}})", false, 0, "a toast"},
      {"", false, 0, "no answer body"},
      {R"({"toast":{"type":"shout"}})", false, 200672, "no such toast"},
      {R"({"card":{"type":"raw","data":{"schema":"2.0","body":{"elements":[]}}}})", true, 0, "another card"},
      {R"({"card":{"type":"raw","data":{"schema":"2.0"}}})", false, 200673, "an illegal card"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Bench b;
    b.log_in();
    REQUIRE_EQ(b.reply(b.question(), "interactive", card(kVotes)).at("code"), 0);
    b.connect();
    (void)b.receive();  // the question
    b.act("click", {{"vote", "down"}});
    (void)b.receive();
    b.act("click", {{"vote", "up"}});
    Frame const frame = b.receive();
    Json const event = Json::parse(*frame.payload);
    CHECK_EQ(event.at("header").at("event_type"), "card.action.trigger");
    CHECK_EQ(event.at("event").at("action").at("value"), Json::parse(R"({"vote":"up","n":7})"));
    std::string const data = row.answer.empty() ? "" : R"(,"data":")" + feishu_sim::to_base64(row.answer) + "\"";
    b.acknowledge(frame, R"({"code":200)" + data + "}");
    CHECK(b.loop.until([&] { return b.platform.count("clicks", R"({"answered":true})") == 1; }));
    Json const click = b.read("clicks").back();
    CHECK_EQ(click.at("card_applied"), row.applied);
    CHECK_EQ(click.at("shown_error"), row.shown);
    CHECK_EQ(b.read("messages").at(0).at("patches").size(), row.applied ? 1 : 0);
    b.platform.advance(3s);
    CHECK_EQ(b.read("clicks").front().at("shown_error"), 200340);  // the first was never answered
  }
}

TEST_CASE("the simulator keeps reactions and patches") {
  Bench b;
  b.log_in();
  std::string const question = b.question();
  std::string const at = "/open-apis/im/v1/messages/" + question + "/reactions";
  Json const made = b.call("POST", at, {{"reaction_type", {{"emoji_type", "Typing"}}}});
  std::string const id = made.at("data").at("reaction_id");
  CHECK_EQ(b.platform.count("reactions", R"({"deleted":false})"), 1);
  CHECK_EQ(b.call("DELETE", at + "/" + id).at("code"), 0);
  CHECK_EQ(b.call("DELETE", at + "/" + id).at("code"), 231011);
  CHECK_EQ(b.call("POST", at, {{"reaction_type", {{"emoji_type", "NOT_AN_EMOJI"}}}}).at("code"), 231001);

  std::string const message = b.reply(question, "interactive", card(kVotes)).at("data").at("message_id");
  std::string const path = "/open-apis/im/v1/messages/" + message;
  CHECK_EQ(b.call("PATCH", path, {{"content", card("")}}).at("code"), 0);
  CHECK_EQ(b.read("messages").at(0).at("content"), Json::parse(card("")));
  std::string const old = b.reply(question, "interactive", R"({"elements":[]})").at("data").at("message_id");
  CHECK_EQ(b.call("PATCH", "/open-apis/im/v1/messages/" + old, {{"content", card("")}}).at("code"), 230001);
}

TEST_CASE("the simulator streams a card entity in strict sequence for ten minutes") {
  Bench b;
  b.log_in();
  std::string const json =
      card(R"({"tag":"markdown","element_id":"answer","content":""})", R"("config":{"streaming_mode":true},)");
  std::string const id =
      b.call("POST", "/open-apis/cardkit/v1/cards", {{"type", "card_json"}, {"data", json}}).at("data").at("card_id");
  std::string const path = "/open-apis/cardkit/v1/cards/" + id + "/elements/answer/content";
  CHECK_EQ(b.call("PUT", path, {{"content", "年"}, {"sequence", 1}}).at("code"), 0);
  CHECK_EQ(b.call("PUT", path, {{"content", "年假"}, {"sequence", 1}}).at("code"), 300317);
  CHECK_EQ(b.read("cards").at(0).at("card").at("body").at("elements").at(0).at("content"), "年");
  b.platform.advance(11min);
  CHECK_EQ(b.call("PUT", path, {{"content", "x"}, {"sequence", 2}}).at("code"), 200850);
  CHECK_EQ(b.call("PUT", path, {{"content", "x"}, {"sequence", 3}}).at("code"), 300309);
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
