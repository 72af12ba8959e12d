// What the simulator's REST calls answer: tokens, messages, content, limits.
#include "tests/feishu/simulator_bench.hpp"

using namespace kb;
using namespace std::chrono_literals;
using Bench = test::SimulatorBench;
using feishu_sim::Json;
using test::card;
using test::kGroup;
using test::kText;

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
