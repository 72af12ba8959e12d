// Calls and the token, against the simulated platform.
#include "adapters/feishu/api.hpp"

#include <algorithm>
#include <set>

#include "tests/feishu/platform_bench.hpp"

using namespace kb;
using namespace kb::feishu;
using namespace std::chrono_literals;
using nlohmann::json;
using test::PlatformBench;

namespace {

Part const kHello{"text", R"({"text":"hello"})"};

Outcome reply(PlatformBench& bench, std::string uuid = "u1", std::string message_id = "om_q1") {
  return bench.loop.get(bench.api->reply(std::move(message_id), kHello, std::move(uuid), "oc_1"));
}

aio::Task<> keep(aio::Task<Outcome> call, std::vector<Outcome>& into) {
  Outcome outcome = co_await std::move(call);
  into.push_back(std::move(outcome));
}

std::vector<std::string> bearers(PlatformBench const& bench) {
  std::vector<std::string> out;
  for (auto const& call : bench.those("requests", "kind", "reply")) out.push_back(call["headers"]["authorization"]);
  return out;
}

}  // namespace

TEST_CASE("who we are comes from the platform") {
  PlatformBench bench;
  Result<BotInfo> const info = bench.loop.get(bench.api->bot_info());
  REQUIRE(info.has_value());
  CHECK_EQ(info->open_id, "ou_b0700000000000000000000000000b07");
  CHECK_EQ(info->name, "KnowledgeBot");
  CHECK_EQ(info->activate_status, 2);
}

TEST_CASE("a reply goes to its question with one token for many calls") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  for (auto const* uuid : {"u1", "u2", "u3"}) CHECK(reply(bench, uuid).ok());
  CHECK_EQ(bench.calls("token"), 1);
  auto const calls = bench.those("requests", "kind", "reply");
  REQUIRE_EQ(calls.size(), 3);
  for (auto const& call : calls) {
    CHECK_EQ(call["headers"]["content-type"], "application/json; charset=utf-8");
    CHECK(call["headers"]["authorization"].get<std::string>().starts_with("Bearer t-"));
  }
  auto const messages = bench.read("messages");
  REQUIRE_EQ(messages.size(), 3);
  CHECK_EQ(messages[0]["parent_id"], "om_q1");
  CHECK_EQ(messages[0]["content"]["text"], "hello");
}

TEST_CASE("a message of its own goes to a chat or a person") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("say", {{"text", "?"}, {"open_id", "ou_a"}});
  CHECK(bench.loop.get(bench.api->send("chat_id", "oc_1", kHello, "u1", "oc_1")).ok());
  CHECK(bench.loop.get(bench.api->send("open_id", "ou_a", kHello, "u2", "ou_a")).ok());
  CHECK_EQ(bench.those("messages", "chat_id", "oc_1").size(), 1);
  CHECK_EQ(bench.those("messages", "chat_id", "oc_a").size(), 1);
}

TEST_CASE("calls that come together wait for one token") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  std::vector<Outcome> outcomes;
  for (auto const* uuid : {"u1", "u2", "u3", "u4"}) {
    bench.loop.spawn(keep(bench.api->reply("om_q1", kHello, uuid, "oc_1"), outcomes));
  }
  REQUIRE(bench.loop.until([&] { return outcomes.size() == 4; }));
  for (Outcome const& outcome : outcomes) CHECK(outcome.ok());
  CHECK_EQ(bench.calls("token"), 1);
}

TEST_CASE("all who wait for a token hear of its failure, after one request") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "token"}, {"status", 500}, {"text", "trouble"}});
  std::vector<Outcome> outcomes;
  for (auto const* uuid : {"u1", "u2", "u3"}) {
    bench.loop.spawn(keep(bench.api->reply("om_q1", kHello, uuid, "oc_1"), outcomes));
  }
  REQUIRE(bench.loop.until([&] { return outcomes.size() == 3; }));
  for (Outcome const& outcome : outcomes) {
    CHECK(outcome.remedy == Remedy::wait);
    CHECK_FALSE(outcome.unknown);  // nothing of the reply was sent
  }
  CHECK_EQ(bench.calls("token"), 1);
  CHECK(reply(bench).ok());
}

TEST_CASE("a revoked token is replaced once, and the call repeated with the same uuid") {  // report 34
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  REQUIRE(reply(bench, "u1").ok());
  for (long long const code : {99991661LL, 99991663LL, 99991664LL, 99991668LL, 99991671LL, 99991677LL}) {
    CAPTURE(code);
    std::size_t const tokens = bench.calls("token"), replies = bench.calls("reply");
    bench.act("fail", {{"route", "reply"}, {"code", code}});
    CHECK(reply(bench, "u" + std::to_string(code)).ok());
    CHECK_EQ(bench.calls("token"), tokens + 1);
    CHECK_EQ(bench.calls("reply"), replies + 2);
    auto const calls = bench.those("requests", "kind", "reply");
    CHECK_EQ(calls[replies]["body"], calls[replies + 1]["body"]);
  }
  bench.act("token", {{"action", "revoke"}});
  std::size_t const tokens = bench.calls("token");
  std::vector<Outcome> outcomes;
  for (auto const* uuid : {"v1", "v2", "v3"}) {
    bench.loop.spawn(keep(bench.api->reply("om_q1", kHello, uuid, "oc_1"), outcomes));
  }
  REQUIRE(bench.loop.until([&] { return outcomes.size() == 3; }));
  for (Outcome const& outcome : outcomes) CHECK(outcome.ok());
  CHECK_EQ(bench.calls("token"), tokens + 1);
}

TEST_CASE("a platform that refuses fresh tokens too is asked twice, not for ever") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"code", 99991663}, {"times", -1}});
  Outcome const outcome = reply(bench);
  CHECK(outcome.remedy == Remedy::new_token);
  CHECK_EQ(bench.calls("reply"), 2);
  CHECK_EQ(bench.calls("token"), 2);
}

TEST_CASE("a token is replaced five minutes before its end, and serves on when that fails") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  REQUIRE(reply(bench, "u1").ok());
  auto const pass = [&](std::chrono::seconds time) {
    bench.clock.advance(time);
    bench.sim.advance(time);
  };
  pass(6890s);
  CHECK(reply(bench, "u2").ok());
  CHECK_EQ(bench.calls("token"), 1);
  pass(20s);
  bench.act("fail", {{"route", "token"}, {"status", 500}, {"text", "trouble"}});
  CHECK(reply(bench, "u3").ok());
  CHECK_EQ(bench.calls("token"), 2);
  CHECK(reply(bench, "u4").ok());
  CHECK_EQ(bench.calls("token"), 2);  // not tried with every call
  pass(30s);
  CHECK(reply(bench, "u5").ok());
  CHECK_EQ(bench.calls("token"), 3);
  auto const used = bearers(bench);
  CHECK_EQ(std::set<std::string>(used.begin(), used.end()).size(), 2);
  CHECK_NE(used.front(), used.back());
}

TEST_CASE("a token of four kilobytes is carried whole") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  std::string const token = "t-" + std::string(4096, 'x');
  bench.act(
      "fail",
      {{"route", "token"}, {"status", 200}, {"body", {{"code", 0}, {"tenant_access_token", token}, {"expire", 7200}}}});
  CHECK(reply(bench).ok());  // the simulator does not know it, so the call is repeated with one it knows
  auto const used = bearers(bench);
  REQUIRE_EQ(used.size(), 2);
  CHECK_EQ(used[0], "Bearer " + token);
}

TEST_CASE("a wrong secret is for the operator, and in no error") {
  PlatformBench bench("wrong-secret-words");
  Result<BotInfo> const info = bench.loop.get(bench.api->bot_info());
  REQUIRE_FALSE(info.has_value());
  CHECK(info.error().code == Errc::denied);
  CHECK(info.error().what.find("10014") != std::string::npos);
  CHECK(info.error().what.find("wrong-secret-words") == std::string::npos);
}

TEST_CASE("nothing is sent before the platform's wait is over") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  json const headers{{"x-ogw-ratelimit-reset", "7"}};
  bench.act("fail", {{"route", "reply"}, {"status", 429}, {"code", 99991400}, {"headers", headers}});
  Outcome const refused = reply(bench, "u1");
  CHECK(refused.remedy == Remedy::wait);
  CHECK_EQ(refused.retry_after.count(), 7000);
  CHECK_FALSE(refused.unknown);
  CHECK(bench.clock.passed.empty());
  CHECK(bench.loop.get(bench.api->add_reaction("om_q1", "Typing")).remedy == Remedy::wait);
  CHECK_EQ(bench.calls("add_reaction"), 0);
  CHECK(bench.loop.get(bench.api->send("chat_id", "oc_1", kHello, "u2", "oc_1")).ok());
  CHECK(bench.clock.passed == std::vector<std::chrono::milliseconds>{7000ms});
}

TEST_CASE("a chat that is too busy holds up nobody else") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  bench.ask("om_q2", "oc_2");
  bench.act("fail", {{"route", "reply"}, {"code", 230020}});
  CHECK(reply(bench, "u1").remedy == Remedy::wait);
  CHECK(bench.loop.get(bench.api->reply("om_q2", kHello, "u2", "oc_2")).ok());
  CHECK(bench.clock.passed.empty());
  CHECK(reply(bench, "u1").ok());
  CHECK(bench.clock.passed == std::vector<std::chrono::milliseconds>{1000ms});
}

TEST_CASE("a response that is lost is an unknown outcome") {
  PlatformBench bench;
  bench.ask("om_q1", "oc_1");
  bench.act("fail", {{"route", "reply"}, {"close", true}, {"after_effect", true}, {"times", 2}});
  Outcome const lost = reply(bench);
  CHECK(lost.remedy == Remedy::wait);
  CHECK(lost.unknown);
  bench.act("fail", {{"clear", true}});
  CHECK(reply(bench).ok());
  CHECK_EQ(bench.read("messages").size(), 1);
}

TEST_CASE("a call that found nobody to connect to has certainly not worked") {
  PlatformBench bench;
  Result<BotInfo> const info = bench.loop.get(bench.api->bot_info());
  REQUIRE(info.has_value());  // there is a token now
  bench.http.close_idle();
  bench.sim.stop();
  Outcome const outcome = reply(bench);
  CHECK_FALSE(outcome.ok());
  CHECK(outcome.remedy == Remedy::wait);
  CHECK_FALSE(outcome.unknown);
}
