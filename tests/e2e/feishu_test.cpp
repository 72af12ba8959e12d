// Feishu, end to end: the built program against the platform's simulator.
#include <doctest/doctest.h>

#include "tests/e2e/feishu_tenant.hpp"

namespace kb::test {
namespace {

char const* const kQuestion = "组会什么时候开始？";

/// How many of a read's entries match.
std::size_t count(Tenant const& t, std::string const& name, Json const& filter) {
  return t.platform.count(name, filter.dump());
}

}  // namespace

TEST_CASE("Feishu: a mention in a bound group gets one card in reply, with its sources, and one record") {
  Tenant t;
  t.start();
  std::string const id = t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(1));
  Json const reply = t.read("messages")[0];
  CHECK_EQ(reply["parent_id"], id);
  CHECK_EQ(reply["msg_type"], "interactive");
  CHECK_NE(t.shown().find("来源"), std::string::npos);
  CHECK_NE(t.shown().find("https://git.example/nlp/nlp-team-kb"), std::string::npos);
  CHECK_EQ(t.platform.count("violations"), 0);
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 1);
  CHECK_EQ(t.w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 1);
}

TEST_CASE("Feishu: scope is the group's: unbound, personal words and other people's notes are refused") {
  Tenant t;
  t.start();
  t.say("ou_bob", "oc_new", kQuestion);
  REQUIRE(t.replies(1));
  CHECK_NE(t.shown().find("本群还没有绑定团队"), std::string::npos);
  t.say("ou_bob", "oc_nlp", "我的航班是哪天的？");
  REQUIRE(t.replies(2));
  CHECK_NE(t.shown().find("群聊中不能查询个人知识库"), std::string::npos);
  t.say("ou_alice", "", "我的航班是哪天的？");
  REQUIRE(t.replies(3));
  CHECK_NE(t.read("messages")[2]["content"].dump().find("NH964"), std::string::npos);
  t.say("ou_bob", "", "我的航班是哪天的？");
  REQUIRE(t.replies(4));
  CHECK_EQ(t.read("messages")[3]["content"].dump().find("NH964"), std::string::npos);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: an admin binds a group from the group, and a removed bot unbinds it, with history") {
  Tenant t;
  t.start();
  t.say("ou_alice", "oc_new", "/bind NLP");
  REQUIRE(t.replies(1));
  std::string const asked = t.shown();
  auto const at = asked.find("BIND-");
  REQUIRE_NE(at, std::string::npos);
  t.say("ou_alice", "oc_new", "/confirm " + asked.substr(at, 9));
  REQUIRE(t.replies(2));
  CHECK_NE(t.shown().find("已绑定"), std::string::npos);
  t.say("ou_bob", "oc_new", kQuestion);
  REQUIRE(t.replies(3));
  CHECK_NE(t.shown().find("https://git.example/nlp/nlp-team-kb"), std::string::npos);

  t.act("event", {{"file", "bot_removed_from_group.json"}, {"set", {{"event.chat_id", "oc_new"}}}});
  REQUIRE(t.comes([&] { return t.w.read_json("chat_bindings.json")["oc_new"].value("enabled", true) == false; }));
  Json const history = Json::parse(t.w.run(KB_PROGRAM, {"bindings", "--history"}).out, nullptr, false);
  CHECK_NE(history.dump().find("\"disable\""), std::string::npos);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: the bot greets a group it is added to, once") {
  Tenant t;
  t.start();
  Json const added{{"file", "bot_added_to_group.json"}, {"copies", 2}};
  t.act("event", added);
  REQUIRE(t.replies(1));
  CHECK_NE(t.shown().find("/bind"), std::string::npos);
  CHECK_EQ(t.stop(), 0);
  t.start();
  t.act("event", added);
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(2));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 2);
}

TEST_CASE("Feishu: a private chat in which a second person speaks is private no more, also after a restart") {
  Tenant t;
  t.start();
  Json const same{{"set", {{"event.message.chat_id", "oc_two"}}}};
  t.say("ou_alice", "", "我的航班是哪天的？", same);
  REQUIRE(t.replies(1));
  CHECK_NE(t.shown().find("NH964"), std::string::npos);
  t.say("ou_bob", "", kQuestion, same);
  REQUIRE(t.replies(2));
  t.say("ou_alice", "", "我的航班是哪天的？", same);
  REQUIRE(t.replies(3));
  CHECK_EQ(t.read("messages")[2]["content"].dump().find("NH964"), std::string::npos);
  CHECK_EQ(t.stop(), 0);
  t.start();
  t.say("ou_alice", "", "我的航班是哪天的？", same);
  REQUIRE(t.replies(4));
  CHECK_EQ(t.read("messages")[3]["content"].dump().find("NH964"), std::string::npos);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: someone of another organisation is refused in a group until its binding lets them") {
  Tenant t;
  t.start();
  Json const outside{{"set", {{"event.sender.tenant_key", "another"}}}};
  t.say("ou_bob", "oc_nlp", kQuestion, outside);
  REQUIRE(t.replies(1));
  CHECK_NE(t.shown().find("不对其他组织的成员开放"), std::string::npos);
  Json bindings = t.w.read_json("chat_bindings.json");
  bindings["oc_nlp"]["allow_external"] = true;
  t.w.write("chat_bindings.json", bindings.dump());
  auto const reloaded = [&] { return t.daemon->process().errors().find("settings.loaded") != std::string::npos; };
  REQUIRE(t.comes(reloaded));
  t.say("ou_bob", "oc_nlp", kQuestion, outside);
  REQUIRE(t.replies(2));
  CHECK_NE(t.shown().find("https://git.example/nlp/nlp-team-kb"), std::string::npos);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: a thumb is kept as feedback, thanked for in time, and shown on the card") {
  Tenant t;
  t.start();
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(1));
  t.act("click", {{"open_id", "ou_bob"}, {"vote", "up"}});
  REQUIRE(t.comes([&] {
    return t.platform.count("clicks") == 1 && t.read("clicks")[0].dump().find("toast") != std::string::npos;
  }));
  CHECK_NE(t.read("clicks")[0].dump().find("success"), std::string::npos);
  CHECK_EQ(t.platform.count("violations"), 0);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: a question recalled while it waits for its turn is not answered") {
  Tenant t;
  t.start();
  // The first one's reply is held up, so the second's is still to come when it is recalled.
  t.act("latency", {{"route", "reply"}, {"ms", 1500}, {"times", 1}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  std::string const second = t.say("ou_bob", "oc_nlp", "组会在哪里开？");
  REQUIRE(t.comes([&] { return t.platform.count("settled") == 2; }));
  t.act("event",
        {{"file", "message_recalled.json"}, {"set", {{"event.message_id", second}, {"event.chat_id", "oc_nlp"}}}});
  REQUIRE(t.replies(1));
  t.say("ou_bob", "oc_nlp", "谁负责组会？");
  REQUIRE(t.replies(2));
  CHECK_EQ(count(t, "messages", {{"parent_id", second}}), 0);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: two connections of one app answer each question once") {
  Tenant t;
  t.w.configure([](Json& config) { config["adapters"]["feishu"]["connections"] = 2; });
  t.start(2);
  for (int i = 0; i < 10; ++i) t.say("ou_bob", "oc_nlp", kQuestion, {{"connection", i % 2 == 0 ? "all" : "random"}});
  REQUIRE(t.replies(10));
  CHECK_EQ(t.platform.count("violations"), 0);
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 10);
}

TEST_CASE("Feishu: an app switched off by a reload lets go of its connections, and on again comes back") {
  Tenant t;
  t.start();
  t.w.configure([](Json& config) { config["adapters"]["feishu"]["enabled"] = false; });
  REQUIRE(t.comes([&] { return t.platform.count("live") == 0; }));
  t.w.configure([](Json& config) { config["adapters"]["feishu"]["enabled"] = true; });
  REQUIRE(t.comes([&] { return t.platform.count("live") == 1; }));
  t.say("ou_bob", "oc_nlp", kQuestion);
  CHECK(t.replies(1));
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: a wrong secret is loud in readyz, and the daemon goes on for others") {
  Tenant t;
  t.w.write("feishu-secret", "not-the-secret");
  t.daemon = std::make_unique<Daemon>(KB_PROGRAM, t.w);
  std::string ready;
  auto const loud = [&] {
    ready = http_get(t.daemon->port(), "/readyz").body;
    return ready.find("10014") != std::string::npos || ready.find("secret") != std::string::npos;
  };
  CHECK(t.comes(loud));
  CAPTURE(ready);
  CHECK_EQ(ready.find("not-the-secret"), std::string::npos);
  t.w.write("feishu-secret", "sim-app-secret");
  t.daemon->process().signal(1);
  CHECK(t.comes([&] { return t.platform.count("live") == 1; }));
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: no secret, token or ticket is ever in the log") {
  Tenant t;
  t.start();
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(1));
  t.act("drop", {{"connection", "all"}, {"mode", "terminate"}});
  REQUIRE(t.comes([&] { return t.platform.count("connections") == 2 && t.platform.count("live") == 1; }));
  t.act("token", {{"action", "revoke"}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(2));
  CHECK_EQ(t.stop(), 0);
  for (std::string const secret : {"sim-app-secret", "access_key", "ticket", "t-g1", "Bearer"}) {
    CAPTURE(secret);
    CHECK_EQ(t.errors.find(secret), std::string::npos);
  }
}

TEST_CASE("doctor finds a whole installation whole, and names what is wrong with another") {
  Tenant t;
  std::filesystem::permissions(t.w.path() / "feishu-secret", std::filesystem::perms(0600));
  // The platform lives on this test's loop, so doctor runs beside it.
  auto const doctor = [&] {
    Child child(KB_PROGRAM, {"doctor", "--config", t.w.config()});
    REQUIRE(t.comes([&] { return !child.running(); }));
    int const code = child.wait();
    return std::pair(code, Json::parse(child.line()));
  };
  auto const [sound, report] = doctor();
  CAPTURE(report.dump());
  CHECK_EQ(sound, 0);
  CHECK_EQ(report.value("faults", -1), 0);
  CHECK_EQ(t.platform.count("messages"), 0);

  std::filesystem::permissions(t.w.path() / "feishu-secret", std::filesystem::perms(0644));
  t.w.write("feishu-secret", "not-the-secret");
  auto const [ill, complaints] = doctor();
  CHECK_EQ(ill, 1);
  CHECK_NE(complaints.dump().find("chmod 600"), std::string::npos);
  CHECK_NE(complaints.dump().find("/baseinfo"), std::string::npos);
  CHECK_EQ(complaints.dump().find("not-the-secret"), std::string::npos);
}

}  // namespace kb::test
