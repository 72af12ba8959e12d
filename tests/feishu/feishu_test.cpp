// An app as a whole between the simulated platform and a daemon that says what the test wants.
#include "adapters/feishu/feishu.hpp"

#include "tests/feishu/platform_bench.hpp"
#include "tests/support/memory_store.hpp"

using namespace kb;
using namespace kb::feishu;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

struct AppBench : test::PlatformBench {
  AppBench() {
    FeishuOptions options;
    options.app = {sim.base(), without_limits().app_id, without_limits().app_secret};
    options.connection.first_pause = 1ms;
    options.delivery.first_pause = 1ms;
    options.delivery.longest_pause = 3ms;
    Feishu::Hooks hooks;
    hooks.receive = [this](scope::InboundMessage message) { return receive(std::move(message)); };
    hooks.withdraw = [](std::string const&, std::string const&) {};
    app.emplace(loop.executor(), std::move(options), store, clock, std::move(hooks));
    loop.spawn(run());
  }
  ~AppBench() {
    CHECK(leaves());
    loop.spawn(drain());
    CHECK(loop.until([this] { return drained; }));
  }

  /// Stops, and says whether it ended.
  bool leaves() {
    app->stop();
    return loop.until([this] { return ended; });
  }
  [[nodiscard]] bool connects() {
    return loop.until([this] { return sim.count("live") == 1; });
  }
  /// Somebody types a question in a group, and all of its deliveries are acknowledged.
  [[nodiscard]] bool hears(std::string const& message_id) {
    std::size_t const before = sim.count("settled");
    // In words of its own: the same words of the same millisecond are one question sent twice.
    act("say", {{"text", message_id + "?"},
                {"message_id", message_id},
                {"chat_id", "oc_1"},
                {"chat_type", "group"},
                {"mention", true}});
    return loop.until([&] { return sim.count("settled") > before; });
  }

  std::string text = "so";  ///< of the answer that is there at once
  bool over = false;        ///< that answer is
  std::size_t received = 0;
  bool ended = false, drained = false;
  test::MemoryStore store;
  std::optional<Feishu> app;

 private:
  aio::Task<> run() {
    co_await app->run();
    ended = true;
  }
  aio::Task<> drain() {
    co_await app->drain(1'000ms);
    drained = true;
  }
  aio::Task<Result<adapters::Accepted>> receive(scope::InboundMessage message) {
    ++received;
    adapters::Reply reply;
    reply.key = "key " + message.message_id;
    reply.query_id = "01QUERY";
    reply.outcome = "answered";
    reply.text = text;
    reply.sources_json = "[]";
    reply.to = std::move(message);
    adapters::Accepted accepted;
    accepted.reply = std::move(reply);
    accepted.over = over;
    co_return accepted;
  }
};

}  // namespace

TEST_CASE("an answer that is there at once goes out, one that is over does not") {
  AppBench bench;
  REQUIRE(bench.connects());
  bench.over = true;
  REQUIRE(bench.hears("om_q1"));
  bench.over = false;
  REQUIRE(bench.hears("om_q2"));
  REQUIRE(bench.loop.until([&] { return bench.store.ended.contains("key om_q2"); }));
  CHECK_EQ(bench.received, 2);
  auto const messages = bench.read("messages");
  REQUIRE_EQ(messages.size(), 1);
  CHECK_EQ(messages[0]["parent_id"], "om_q2");
}

TEST_CASE("an answer without words is closed, not said: its question was taken back while it waited") {
  AppBench bench;
  REQUIRE(bench.connects());
  bench.text.clear();
  REQUIRE(bench.hears("om_q1"));
  REQUIRE(bench.loop.until([&] { return bench.store.ended.contains("key om_q1"); }));
  CHECK_EQ(bench.store.ended["key om_q1"], "recalled");
  CHECK(bench.read("messages").empty());
  CHECK_EQ(bench.calls("reply"), 0);
}

TEST_CASE("who we are is asked for until the platform says it, and what is wrong shows meanwhile") {
  AppBench bench;
  bench.act("fail", {{"route", "bot_info"}, {"status", 502}, {"times", 3}});
  REQUIRE(bench.loop.until([&] { return bench.calls("bot_info") > 0 && bench.app->state().fault != "starting"; }));
  CHECK_NE(bench.app->state().fault.find("502"), std::string::npos);
  REQUIRE(bench.connects());
  CHECK_EQ(bench.calls("bot_info"), 4);
  CHECK(bench.loop.until([&] { return bench.app->state().fault.empty(); }));
  CHECK_EQ(bench.app->state().bot, "KnowledgeBot");
}

TEST_CASE("leaving does not wait for a platform that never says who we are") {
  AppBench bench;
  bench.act("fail", {{"route", "bot_info"}, {"hang", true}});
  REQUIRE(bench.loop.until([&] { return bench.calls("bot_info") == 1; }));
  CHECK(bench.leaves());
}
