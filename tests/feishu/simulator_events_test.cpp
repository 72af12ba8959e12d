// How the simulator delivers events: links, acknowledgements, fragments, redelivery.
#include <map>
#include <vector>

#include "tests/feishu/simulator_bench.hpp"

using namespace kb;
using namespace std::chrono_literals;
using Bench = test::SimulatorBench;
using feishu_sim::Frame;
using feishu_sim::Json;

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
