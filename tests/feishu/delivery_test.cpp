// Replies on their way to the simulated platform, whatever it answers, over crashes.
#include "adapters/feishu/delivery.hpp"

#include <set>

#include "adapters/feishu/ladder.hpp"
#include "tests/feishu/platform_bench.hpp"
#include "tests/support/memory_store.hpp"

using namespace kb;
using namespace kb::feishu;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

constexpr char kPerson[] = "ou_a11ce000000000000000000000000001";

struct DeliveryBench : test::PlatformBench {
  explicit DeliveryBench(std::chrono::milliseconds slow = 60'000ms, std::size_t most = 100) : slow_(slow), most_(most) {
    start();
  }
  ~DeliveryBench() { crash(); }

  void start() {
    DeliveryLimits limits;
    limits.first_pause = 1ms;
    limits.longest_pause = 3ms;
    limits.slow = slow_;
    limits.most_waiting = most_;
    Delivery::Hooks hooks;
    hooks.chat_gone = [this](ChatId const& chat, std::string const&) { gone.push_back(chat.str()); };
    hooks.room = [this] {
      for (adapters::Reply const& one : owed) delivery->deliver(one);
    };
    delivery.emplace(loop.executor(), *api, store, clock, limits, std::move(hooks));
  }
  /// Cuts what is under way and forgets everything but the store.
  void crash() {
    if (!delivery) return;
    drain(0ms);
    delivery.reset();
  }
  void restart() {
    crash();
    start();
  }
  void drain(std::chrono::milliseconds grace) {
    bool over = false;
    loop.spawn(drained(grace, over));
    CHECK(loop.until([&] { return over; }));
  }

  [[nodiscard]] bool ends(std::string const& key) {
    return loop.until([&] { return store.ended.contains(key); });
  }
  /// Why it was given up; "delivered"; "open".
  [[nodiscard]] std::string how(std::string const& key) const {
    auto const at = store.ended.find(key);
    if (at == store.ended.end()) return "open";
    return at->second.empty() ? "delivered" : at->second;
  }
  /// "part form[!]" of each try, the mark for refused, "+" for arrived.
  [[nodiscard]] std::string tries() const {
    std::string out;
    for (auto const& one : store.tries) {
      out += std::to_string(one.part) + ' ' + one.form +
             (one.refused               ? "!"
              : one.platform_id.empty() ? "?"
                                        : "+") +
             ' ';
    }
    return out;
  }

  test::MemoryStore store;
  std::vector<std::string> gone;
  std::vector<adapters::Reply> owed;  ///< in the store, while there was no room
  std::optional<Delivery> delivery;

 private:
  aio::Task<> drained(std::chrono::milliseconds grace, bool& over) {
    co_await delivery->drain(grace);
    over = true;
  }
  std::chrono::milliseconds slow_;
  std::size_t most_;
};

/// A reply to a group question that ask() has made.
adapters::Reply reply(std::string const& number, std::string chat = "oc_1", std::string thread = {}) {
  adapters::Reply r;
  r.to.principal = {"feishu", "cli_a1b2c3d4e5f60718", UserId(kPerson)};
  r.to.chat_type = scope::ChatType::group;
  r.to.chat = ChatId(std::move(chat));
  r.to.message_id = "om_q" + number;
  r.to.thread = std::move(thread);
  r.key = "key " + number;
  r.query_id = "01QUERY" + number;
  r.outcome = "answered";
  r.text = "年假按入职年限计算 " + number;
  r.sources_json = "[]";
  return r;
}

std::set<std::string> uuids(DeliveryBench const& bench, std::string const& kind) {
  std::set<std::string> out;
  for (auto const& call : bench.those("requests", "kind", kind))
    out.insert(json::parse(call["body"].get<std::string>())["uuid"]);
  return out;
}

}  // namespace

TEST_CASE("a reply arrives once, as a card below its question, and that is noted") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.delivery->deliver(reply("1"));
  bench.delivery->deliver(reply("1"));
  CHECK_EQ(bench.delivery->stats().waiting, 1);
  REQUIRE(bench.ends("key 1"));
  bench.delivery->deliver(reply("1"));  // offered again by an event that comes again
  bench.loop.settle();
  CHECK_EQ(bench.how("key 1"), "delivered");
  auto const messages = bench.read("messages");
  REQUIRE_EQ(messages.size(), 1);
  CHECK_EQ(messages[0]["msg_type"], "interactive");
  CHECK_EQ(messages[0]["parent_id"], "om_q1");
  REQUIRE_EQ(bench.store.tries.size(), 1);
  CHECK_EQ(bench.store.tries[0].platform_id, messages[0]["message_id"]);
  CHECK_EQ(bench.delivery->stats().delivered, 1);
  CHECK_EQ(bench.delivery->stats().waiting, 0);
}

TEST_CASE("more replies than may wait are left in the store, and go out in order when there is room") {
  DeliveryBench bench(60'000ms, 2);
  for (auto const* number : {"1", "2", "3", "4", "5"}) {
    bench.ask(std::string("om_q") + number, "oc_1");
    bench.owed.push_back(reply(number));
    bench.delivery->deliver(reply(number));
  }
  CHECK_EQ(bench.delivery->stats().waiting, 2);
  REQUIRE(bench.ends("key 5"));
  std::string order;
  for (json const& message : bench.read("messages")) order += message["parent_id"].get<std::string>() + ' ';
  CHECK_EQ(order, "om_q1 om_q2 om_q3 om_q4 om_q5 ");
  CHECK_EQ(bench.delivery->stats().waiting, 0);
}

TEST_CASE("what each answer of the platform leads to") {  // reports 33, 36, 39
  struct Row {
    int status;
    long long code;
    int times;
    char const* thread;
    char const* how;    ///< begins so
    char const* tries;  ///< see DeliveryBench::tries
    char const* why;
  };
  static constexpr Row rows[] = {
      {400, 230020, 3, "", "delivered", "0 card+ ", "too fast for the chat: waits"},
      {429, 99991400, 2, "", "delivered", "0 card+ ", "too fast for the app: waits"},
      {400, 230049, 2, "", "delivered", "0 card+ ", "being sent: waits"},
      {400, 11232, 2, "", "delivered", "0 card+ ", "pressure: waits"},
      {502, 0, 2, "", "delivered", "0 card+ ", "gateway: waits"},
      {400, 99991403, 2, "", "delivered", "0 card+ ", "quota: kept"},
      {400, 99991672, 2, "", "delivered", "0 card+ ", "permission missing: kept"},
      {400, 99991663, 5, "", "delivered", "0 card+ ", "fresh tokens refused: kept"},
      {400, 200770, 1, "", "delivered", "0 card+ ", "the platform has it"},
      {400, 230099, 1, "", "delivered", "0 card! 0 post+ ", "card refused"},
      {400, 230099, 2, "", "delivered", "0 card! 0 post! 0 text+ ", "post refused too"},
      {400, 230099, 3, "", "refused with code 230099", "0 card! 0 post! 0 text? ", "text refused too"},
      {400, 230025, 1, "", "delivered", "0 card! 0 post+ ", "too long"},
      {400, 230022, 1, "", "delivered", "0 card! 0 neutral+ ", "content check"},
      {400, 230022, 2, "", "refused with code 230022", "0 card! 0 neutral? ", "the fixed sentence too"},
      {400, 230011, 1, "", "delivered", "0 card! 0 card@chat+ ", "question gone: to the chat"},
      {400, 230011, 1, "omt_1", "refused with code 230011", "0 card? ", "question of a thread gone"},
      {400, 230013, 1, "", "refused with code 230013", "0 card? ", "never to arrive"},
      {200, 230013, 1, "", "refused with code 230013", "0 card? ", "the same with status 200"},
      {400, 99992402, 1, "", "refused with code 99992402", "0 card? ", "a fault of ours is not repeated"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    DeliveryBench bench;
    bench.ask("om_q1", "oc_1", row.thread);
    bench.act("fail", {{"route", "reply"}, {"status", row.status}, {"code", row.code}, {"times", row.times}});
    bench.delivery->deliver(reply("1", "oc_1", row.thread));
    REQUIRE(bench.ends("key 1"));
    CHECK(bench.how("key 1").starts_with(row.how));
    CHECK_EQ(bench.tries(), row.tries);
    bool const delivered = bench.how("key 1") == "delivered" && row.code != 200770;
    CHECK_EQ(bench.read("messages").size(), delivered ? 1 : 0);
    CHECK_EQ(bench.delivery->stats().delivered + bench.delivery->stats().given_up, 1);
    CHECK_EQ(bench.delivery->stats().fault, "");
    CHECK(bench.gone.empty());
  }
}

TEST_CASE("a repeated try has the uuid of the first, another form one of its own") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"code", 230020}, {"times", 2}});
  bench.act("fail", {{"route", "reply"}, {"code", 230099}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.calls("reply"), 4);
  CHECK(uuids(bench, "reply") ==
        std::set<std::string>{uuid_of("key 1", 0, *parse_step("card")), uuid_of("key 1", 0, *parse_step("post"))});
  CHECK_EQ(bench.delivery->stats().retries, 2);
  CHECK_EQ(bench.delivery->stats().degraded, 1);
}

TEST_CASE("an answer that got lost is not said twice") {  // report 8
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"close", true}, {"after_effect", true}, {"times", 3}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "delivered");
  CHECK_GE(bench.calls("reply"), 3);
  CHECK_EQ(uuids(bench, "reply").size(), 1);
  CHECK_EQ(bench.read("messages").size(), 1);
}

TEST_CASE("an answer that got lost is not said twice after a crash either") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"hang", true}, {"after_effect", true}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.read("messages").size() == 1; }));
  bench.restart();
  CHECK_EQ(bench.tries(), "0 card? ");
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "delivered");
  CHECK_EQ(uuids(bench, "reply").size(), 1);
  CHECK_EQ(bench.read("messages").size(), 1);
}

TEST_CASE("a try that may have arrived is not repeated once the platform has forgotten its uuid") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"hang", true}, {"after_effect", true}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.read("messages").size() == 1; }));
  bench.crash();
  bench.clock.advance(56min);
  bench.sim.advance(61min);
  bench.start();
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "the outcome of a try at 2026-01-01T00:00:00Z is unknown");
  CHECK_EQ(bench.calls("reply"), 1);
}

TEST_CASE("a try that may have arrived is not said again outside its question") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"status", 502}, {"after_effect", true}});
  bench.act("fail", {{"route", "reply"}, {"code", 230011}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK(bench.how("key 1").starts_with("refused with code 230011"));
  CHECK_EQ(bench.calls("send"), 0);
  CHECK_EQ(bench.read("messages").size(), 1);
}

TEST_CASE("a try that was refused for certain may be repeated however late") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"code", 99991672}, {"times", -1}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return !bench.delivery->stats().fault.empty(); }));
  CHECK(bench.delivery->stats().fault.find("99991672") != std::string::npos);
  bench.crash();
  CHECK_EQ(bench.tries(), "0 card! ");
  bench.act("fail", {{"clear", true}});
  bench.clock.advance(48h);
  bench.start();
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "delivered");
}

TEST_CASE("a crash between the forms goes on with the last one tried") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"code", 230099}});
  bench.act("fail", {{"route", "reply"}, {"code", 230020}, {"times", -1}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.calls("reply") >= 2; }));
  bench.restart();
  bench.act("fail", {{"clear", true}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.tries(), "0 card! 0 post+ ");
  CHECK_EQ(bench.read("messages")[0]["msg_type"], "post");
}

TEST_CASE("parts go out in order, and after a crash only those that are missing") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  adapters::Reply longer = reply("1");
  for (int i = 0; i < 1500; ++i) longer.text += "\n\n第 " + std::to_string(i) + " 段：员工手册里关于年假的规定。";
  std::size_t const parts = render(Form::card, longer).size();
  REQUIRE_GE(parts, 3);
  bench.act("latency", {{"route", "reply"}, {"ms", 0}, {"times", 1}});
  bench.delivery->deliver(longer);
  REQUIRE(bench.loop.until([&] { return bench.read("messages").size() == 1; }));
  bench.act("fail", {{"route", "reply"}, {"code", 230020}, {"times", -1}});
  REQUIRE(bench.loop.until([&] { return bench.delivery->stats().retries > 0; }));
  bench.restart();
  bench.act("fail", {{"clear", true}});
  std::size_t const before = bench.read("messages").size();
  REQUIRE_LT(before, parts);
  bench.delivery->deliver(longer);
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "delivered");
  auto const messages = bench.read("messages");
  REQUIRE_EQ(messages.size(), parts);
  for (std::size_t n = 0; n < parts; ++n) {
    CHECK_EQ(messages[n]["uuid"], uuid_of("key 1", static_cast<int>(n), Step()));
  }
}

TEST_CASE("replies of one chat keep their order while another chat goes on") {  // report 32
  DeliveryBench bench;
  for (auto const* id : {"om_q1", "om_q2", "om_q3"}) bench.ask(id, "oc_1");
  bench.ask("om_q4", "oc_2");
  bench.store.held.insert("key 1");
  for (auto const* number : {"1", "2", "3"}) bench.delivery->deliver(reply(number));
  bench.delivery->deliver(reply("4", "oc_2"));
  REQUIRE(bench.ends("key 4"));
  CHECK_EQ(bench.how("key 1"), "open");
  CHECK_EQ(bench.read("messages").size(), 1);
  bench.store.held.clear();
  REQUIRE(bench.ends("key 3"));
  auto const messages = bench.those("messages", "chat_id", "oc_1");
  REQUIRE_EQ(messages.size(), 3);
  for (std::size_t n = 0; n < 3; ++n) CHECK_EQ(messages[n]["parent_id"], "om_q" + std::to_string(n + 1));
}

TEST_CASE("a chat that is gone closes all that waits for it, and nothing else") {
  DeliveryBench bench;
  for (auto const* id : {"om_q1", "om_q2", "om_q3"}) bench.ask(id, "oc_1");
  bench.ask("om_q4", "oc_2");
  bench.act("chat", {{"chat_id", "oc_1"}, {"bot_in", false}});
  for (auto const* number : {"1", "2", "3"}) bench.delivery->deliver(reply(number));
  bench.delivery->deliver(reply("4", "oc_2"));
  for (auto const* key : {"key 1", "key 2", "key 3", "key 4"}) REQUIRE(bench.ends(key));
  for (auto const* key : {"key 1", "key 2", "key 3"}) CHECK(bench.how(key).starts_with("refused with code 230002"));
  CHECK_EQ(bench.how("key 4"), "delivered");
  REQUIRE(bench.loop.until([&] { return !bench.gone.empty(); }));
  CHECK(bench.gone == std::vector<std::string>{"oc_1"});
  CHECK_EQ(bench.calls("reply"), 2);
  bench.act("chat", {{"chat_id", "oc_1"}, {"bot_in", true}});
  bench.ask("om_q5", "oc_1");
  bench.delivery->deliver(reply("5"));
  REQUIRE(bench.ends("key 5"));
  CHECK_EQ(bench.how("key 5"), "delivered");
}

TEST_CASE("a question that was withdrawn is answered in the group, one of a thread is not") {  // report 39
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.ask("om_q2", "oc_1", "omt_1");
  for (auto const* id : {"om_q1", "om_q2"}) bench.act("recall", {{"message_id", id}});
  bench.delivery->deliver(reply("1"));
  bench.delivery->deliver(reply("2", "oc_1", "omt_1"));
  REQUIRE(bench.ends("key 2"));
  CHECK_EQ(bench.how("key 1"), "delivered");
  CHECK(bench.how("key 2").starts_with("refused with code 230011"));
  auto const messages = bench.read("messages");
  REQUIRE_EQ(messages.size(), 1);
  CHECK_EQ(messages[0].value("parent_id", ""), "");
  CHECK_EQ(messages[0]["chat_id"], "oc_1");
}

TEST_CASE("a reply that comes after its question was recalled does not go out") {
  DeliveryBench bench;
  for (auto const* id : {"om_q1", "om_q2"}) bench.ask(id, "oc_1");
  bench.delivery->withdraw("om_q1");
  bench.delivery->deliver(reply("1"));
  bench.delivery->deliver(reply("2"));
  REQUIRE(bench.ends("key 2"));
  CHECK_EQ(bench.how("key 1"), "recalled");
  CHECK_EQ(bench.how("key 2"), "delivered");
  CHECK_EQ(bench.read("messages").size(), 1);
}

TEST_CASE("a reply whose question is recalled before it was tried does not go out") {
  DeliveryBench bench;
  for (auto const* id : {"om_q1", "om_q2"}) bench.ask(id, "oc_1");
  bench.store.held.insert("key 1");
  for (auto const* number : {"1", "2"}) bench.delivery->deliver(reply(number));
  for (auto const* id : {"om_q1", "om_q2", "om_nobody"}) bench.delivery->withdraw(id);
  bench.store.held.clear();
  REQUIRE(bench.ends("key 2"));
  CHECK_EQ(bench.how("key 1"), "recalled");
  CHECK_EQ(bench.how("key 2"), "recalled");
  CHECK_EQ(bench.calls("reply"), 0);
}

TEST_CASE("a reply that was refused so far may still be recalled, one that may have arrived is seen to its end") {
  DeliveryBench bench;
  for (auto const* id : {"om_q1", "om_q2"}) bench.ask(id, "oc_1");
  bench.act("fail", {{"route", "reply"}, {"code", 230020}, {"times", -1}});
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.delivery->stats().retries > 0; }));
  bench.delivery->withdraw("om_q1");
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "recalled");

  bench.act("fail", {{"clear", true}});
  bench.act("fail", {{"route", "reply"}, {"status", 502}, {"after_effect", true}, {"times", 2}});
  bench.delivery->deliver(reply("2"));
  REQUIRE(bench.loop.until([&] { return bench.read("messages").size() == 1; }));
  bench.delivery->withdraw("om_q2");
  REQUIRE(bench.ends("key 2"));
  CHECK_EQ(bench.how("key 2"), "delivered");
  CHECK_EQ(bench.read("messages").size(), 1);
}

TEST_CASE("a click in the menu is answered to the person, without a reaction") {
  DeliveryBench bench(1ms);
  bench.act("say", {{"text", "?"}});
  adapters::Reply r = reply("1");
  r.to.chat_type = scope::ChatType::direct;
  r.to.chat = ChatId();
  r.to.message_id = "menu_1";
  bench.delivery->expect(r.to);
  bench.delivery->deliver(r);
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "delivered");
  CHECK_EQ(bench.calls("reply"), 0);
  CHECK_EQ(bench.calls("send"), 1);
  CHECK_EQ(bench.calls("add_reaction"), 0);
  CHECK_EQ(bench.tries(), "0 card@chat+ ");
}

TEST_CASE("a slow question wears a reaction until its answer is out") {
  DeliveryBench bench(1ms);
  bench.ask("om_q1", "oc_1");
  bench.delivery->expect(reply("1").to);
  bench.delivery->expect(reply("1").to);
  REQUIRE(bench.loop.until([&] { return bench.read("reactions").size() == 1; }));
  CHECK_EQ(bench.read("reactions")[0]["reaction_type"]["emoji_type"], "Typing");
  CHECK_EQ(bench.read("reactions")[0]["deleted"], false);
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.read("reactions")[0]["deleted"] == true; }));
  CHECK_EQ(bench.how("key 1"), "delivered");
  CHECK_EQ(bench.calls("add_reaction"), 1);
}

TEST_CASE("a reaction from before a crash goes away with the answer") {
  DeliveryBench bench(1ms);
  bench.ask("om_q1", "oc_1");
  bench.delivery->expect(reply("1").to);
  REQUIRE(bench.loop.until([&] { return !bench.store.claims.empty(); }));
  bench.restart();
  bench.delivery->expect(reply("1").to);
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.read("reactions")[0]["deleted"] == true; }));
  CHECK_EQ(bench.calls("add_reaction"), 1);
}

TEST_CASE("a quick answer costs no call for a reaction") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.delivery->expect(reply("1").to);
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.ends("key 1"));
  bench.loop.settle();
  CHECK_EQ(bench.calls("add_reaction"), 0);
  CHECK_EQ(bench.calls("delete_reaction"), 0);
}

TEST_CASE("a reaction that is refused is not tried again and holds up nothing") {  // report 35
  struct Row {
    int status;
    long long code;
  };
  for (Row const& row : {Row{429, 99991400}, Row{400, 99991403}, Row{400, 231001}, Row{502, 1}}) {
    CAPTURE(row.code);
    DeliveryBench bench(1ms);
    bench.ask("om_q1", "oc_1");
    bench.act("fail", {{"route", "add_reaction"}, {"status", row.status}, {"code", row.code}, {"times", -1}});
    bench.delivery->expect(reply("1").to);
    REQUIRE(bench.loop.until([&] { return bench.calls("add_reaction") == 1; }));
    bench.delivery->expect(reply("1").to);
    bench.delivery->deliver(reply("1"));
    REQUIRE(bench.ends("key 1"));
    bench.loop.settle();
    CHECK_EQ(bench.how("key 1"), "delivered");
    CHECK_EQ(bench.calls("add_reaction"), 1);
    CHECK_EQ(bench.calls("delete_reaction"), 0);
  }
}

TEST_CASE("nothing is sent that is not written down first, and nothing is lost while it cannot be") {
  DeliveryBench bench;
  bench.ask("om_q1", "oc_1");
  bench.store.failing = true;
  bench.delivery->deliver(reply("1"));
  REQUIRE(bench.loop.until([&] { return bench.store.refused_changes > 3; }));
  CHECK_EQ(bench.calls("reply"), 0);
  bench.store.failing = false;
  REQUIRE(bench.ends("key 1"));
  CHECK_EQ(bench.how("key 1"), "delivered");
  CHECK_EQ(bench.calls("reply"), 1);
}

TEST_CASE("an announcement goes out at most once per key, over crashes") {
  DeliveryBench bench;
  bench.act("chat", {{"chat_id", "oc_1"}});
  bench.act("fail", {{"route", "send"}, {"code", 230020}});
  bench.delivery->announce("greeting 1", "oc_1", greeting_text());
  bench.delivery->announce("greeting 1", "oc_1", greeting_text());
  bench.delivery->announce("greeting 2", "", greeting_text());
  REQUIRE(bench.loop.until([&] { return bench.read("messages").size() == 1; }));
  bench.restart();
  bench.delivery->announce("greeting 1", "oc_1", greeting_text());
  bench.delivery->announce("greeting 3", "oc_1", "你好");
  REQUIRE(bench.loop.until([&] { return bench.read("messages").size() == 2; }));
  bench.loop.settle();
  CHECK_EQ(bench.calls("send"), 3);
  CHECK_EQ(bench.read("messages")[1]["content"]["text"], "你好");
}

TEST_CASE("draining finishes what is under way and leaves the rest to the store") {
  DeliveryBench bench;
  for (auto const* id : {"om_q1", "om_q2"}) bench.ask(id, "oc_1");
  bench.ask("om_q3", "oc_2");
  bench.act("fail", {{"route", "reply"}, {"code", 230020}, {"times", -1}});
  bench.delivery->deliver(reply("3", "oc_2"));
  REQUIRE(bench.loop.until([&] { return bench.delivery->stats().retries > 0; }));
  bench.act("fail", {{"clear", true}});
  for (auto const* number : {"1", "2"}) bench.delivery->deliver(reply(number));
  bench.drain(5s);
  bench.delivery->deliver(reply("4"));
  CHECK_EQ(bench.how("key 2"), "open");
  CHECK_LE(bench.read("messages").size(), 2);
  CHECK_EQ(bench.delivery->stats().given_up, 0);
}
