// Cards in the simulator: clicks, patches, streaming; and reactions.
#include "tests/feishu/simulator_bench.hpp"

using namespace kb;
using namespace std::chrono_literals;
using Bench = test::SimulatorBench;
using feishu_sim::Frame;
using feishu_sim::Json;
using test::card;
using test::kVotes;

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
