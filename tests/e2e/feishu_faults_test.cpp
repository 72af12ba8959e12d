// Feishu with everything going wrong: deliveries, network, tokens, refusals, limits.
#include <doctest/doctest.h>
#include <numeric>

#include "tests/e2e/feishu_tenant.hpp"

namespace kb::test {
namespace {

char const* const kQuestion = "组会什么时候开始？";

std::size_t count(Tenant const& t, std::string const& name, Json const& filter) {
  return t.platform.count(name, filter.dump());
}

}  // namespace

TEST_CASE(
    "Feishu: an event in three fragments is one question in any order, doubled, or with one lost the first time") {
  Tenant t;
  t.start();
  std::size_t expected = 0;
  std::vector<int> order{0, 1, 2};
  do {
    t.say("ou_bob", "oc_nlp", kQuestion, {{"fragments", 3}, {"fragment_order", order}});
    REQUIRE(t.replies(++expected));
  } while (std::next_permutation(order.begin(), order.end()));
  t.say("ou_bob", "oc_nlp", kQuestion, {{"fragments", 3}, {"duplicate_fragments", {1}}});
  REQUIRE(t.replies(++expected));
  t.say("ou_bob", "oc_nlp", kQuestion, {{"fragments", 3}, {"drop_fragments", {1}}});
  REQUIRE(t.comes([&] { return t.platform.count("settled") == expected; }));
  CHECK_EQ(t.platform.count("messages"), expected);
  t.platform.advance(4s);   // no acknowledgement came
  t.platform.advance(16s);  // so the whole is sent anew
  REQUIRE(t.replies(++expected));
  CHECK_EQ(t.platform.count("violations"), 0);
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), expected);
}

TEST_CASE("Feishu: a question delivered again after 15 s, 5 min, 1 h, 6 h and a restart keeps its one reply") {
  Tenant t;
  t.start();
  Json const same{{"set",
                   {{"event.message.message_id", "om_again"},
                    {"header.event_id", "ev_again"},
                    {"event.message.create_time", "1790000000001"}}}};
  t.say("ou_bob", "oc_nlp", kQuestion, same);
  REQUIRE(t.replies(1));
  std::size_t settled = 1;
  for (auto const later : std::initializer_list<std::chrono::milliseconds>{15s, 5min, 1h, 6h}) {
    t.platform.advance(later);
    t.say("ou_bob", "oc_nlp", kQuestion, same);
    ++settled;
    REQUIRE(t.comes([&] { return t.platform.count("settled") == settled; }));
  }
  CHECK_EQ(t.stop(), 0);
  t.start();
  t.say("ou_bob", "oc_nlp", kQuestion, same);
  t.say("ou_bob", "oc_nlp", "组会在哪里开？");
  REQUIRE(t.replies(2));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 2);
  CHECK_EQ(t.w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 2);
}

TEST_CASE("Feishu: a reply whose answer was lost is repeated with its key, also by the next process") {
  Tenant t;
  t.start();
  t.act("fail", {{"route", "reply"}, {"times", 1}, {"close", true}, {"after_effect", true}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.comes([&] { return count(t, "requests", {{"kind", "reply"}}) == 2; }));
  CHECK_EQ(t.platform.count("messages"), 1);

  t.act("fail", {{"route", "reply"}, {"times", -1}, {"close", true}, {"after_effect", true}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(2));
  t.kill();
  t.act("fail", {{"clear", true}});
  t.start();
  REQUIRE(t.comes([&] { return count(t, "requests", {{"kind", "reply"}}) >= 4; }));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 2);
}

TEST_CASE("Feishu: a revoked token costs one new one, not an answer") {
  Tenant t;
  t.start();
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(1));
  std::size_t const tokens = count(t, "requests", {{"kind", "token"}});
  t.act("token", {{"action", "revoke"}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(2));
  CHECK_EQ(count(t, "requests", {{"kind", "token"}}), tokens + 1);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE(
    "Feishu: dropped, reset, sent away and refused, the connection comes back and the next question is answered") {
  Tenant t;
  t.start();
  std::size_t expected = 0;
  std::vector<std::pair<std::string, Json>> const troubles{
      {"drop", {{"connection", "all"}, {"mode", "terminate"}}},
      {"drop", {{"connection", "all"}, {"mode", "close"}, {"code", 1011}}},
      {"drop", {{"connection", "all"}, {"mode", "rst"}}},
      {"goaway", {{"down_ms", 300}}},
  };
  for (auto const& [what, how] : troubles) {
    CAPTURE(what);
    CAPTURE(how.dump());
    std::size_t const before = t.platform.count("connections");
    t.act(what, how);
    REQUIRE(t.comes([&] { return t.platform.count("connections") > before && t.platform.count("live") == 1; }, 30s));
    t.say("ou_bob", "oc_nlp", kQuestion);
    REQUIRE(t.replies(++expected));
  }
  t.act("endpoint", {{"code", 1000040345}, {"msg", "system busy"}, {"times", 2}});
  t.act("handshake", {{"status", 500}, {"times", 1}});
  t.act("drop", {{"connection", "all"}, {"mode", "terminate"}});
  t.say("ou_bob", "oc_nlp", kQuestion);  // while nobody is there
  REQUIRE(t.comes([&] { return t.platform.count("messages") == expected + 1; }, 60s));
  CHECK_EQ(t.platform.count("violations"), 0);
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE(
    "Feishu: thirty questions in three seconds, some delivered twice, are thirty answers to their own questions") {
  feishu_sim::SimulatorOptions options = Tenant::quiet();
  Tenant t(options);
  t.w.configure([](Json& config) {
    config["limits"]["questions_per_user_per_minute"] = 0;
    config["limits"]["chat_queue"] = 100;
  });
  t.start();
  std::vector<std::string> ids;
  for (int i = 0; i < 30; ++i)
    ids.push_back(t.say("ou_bob", i % 3 == 0 ? "oc_nlp" : "oc_new", kQuestion, {{"copies", 1 + i % 2}}));
  REQUIRE(t.replies(30));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 30);
  for (std::string const& id : ids) {
    CAPTURE(id);
    CHECK_EQ(count(t, "messages", {{"parent_id", id}}), 1);
  }
  CHECK_EQ(t.platform.count("violations"), 0);
}

TEST_CASE("Feishu: an answer that a card cannot carry arrives as rich text or plain text, whole") {
  Tenant t;
  t.start();
  t.act("fail", {{"route", "reply"},
                 {"times", 1},
                 {"status", 400},
                 {"code", 230099},
                 {"msg", "Failed to create card content, ext=ErrCode: 11310"}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(1));
  CHECK_EQ(t.read("messages")[0]["msg_type"], "post");
  t.act("fail", {{"route", "reply"},
                 {"times", 2},
                 {"status", 400},
                 {"code", 230099},
                 {"msg", "Failed to create card content, ext=ErrCode: 200621"}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  REQUIRE(t.replies(2));
  CHECK_EQ(t.read("messages")[1]["msg_type"], "text");
  CHECK_EQ(t.stop(), 0);
}

TEST_CASE("Feishu: what can never be delivered is closed with its reason, and doctor tells") {
  Tenant t;
  t.start();
  t.act("fail", {{"route", "reply"},
                 {"times", 1},
                 {"status", 400},
                 {"code", 230013},
                 {"msg", "Bot has NO availability to this user."}});
  t.say("ou_bob", "", kQuestion);
  auto const closed = [&] { return t.daemon->process().errors().find("feishu.given_up") != std::string::npos; };
  REQUIRE(t.comes(closed));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 0);
  CHECK_EQ(count(t, "requests", {{"kind", "reply"}}), 1);
}

TEST_CASE("Feishu: what was given up is not tried again when its event comes again after a restart") {
  Tenant t;
  t.start();
  t.act("fail", {{"route", "reply"}, {"times", 1}, {"status", 400}, {"code", 230013}});
  Json const same{{"set", {{"event.message.message_id", "om_given_up"}, {"header.event_id", "ev_given_up"}}}};
  t.say("ou_bob", "oc_nlp", kQuestion, same);
  auto const closed = [&] { return t.daemon->process().errors().find("feishu.given_up") != std::string::npos; };
  REQUIRE(t.comes(closed));
  CHECK_EQ(t.stop(), 0);
  t.start();
  t.say("ou_bob", "oc_nlp", kQuestion, same);
  t.say("ou_bob", "oc_nlp", "组会在哪里开？");
  REQUIRE(t.replies(1));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 1);
  CHECK_EQ(count(t, "messages", {{"parent_id", "om_given_up"}}), 0);
  CHECK_EQ(count(t, "requests", {{"kind", "reply"}}), 2);
}

TEST_CASE("Feishu: replies that were held up go out by the app that a reload puts in the place of theirs") {
  Tenant t;
  t.start();
  t.act("fail", {{"route", "reply"}, {"times", -1}, {"status", 400}, {"code", 99991672}});
  t.say("ou_bob", "oc_nlp", kQuestion);
  auto const held_up = [&] { return http_get(t.daemon->port(), "/readyz").body.find("99991672") != std::string::npos; };
  REQUIRE(t.comes(held_up));
  t.act("fail", {{"clear", true}});
  t.w.configure([](Json& config) { config["adapters"]["feishu"]["greet"] = false; });
  CHECK(t.replies(1));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("messages"), 1);
}

TEST_CASE("Feishu: leaving is prompt while the platform is unreachable") {
  Tenant t;
  t.start();
  t.act("endpoint", {{"http_status", 502}, {"times", -1}});
  t.act("drop", {{"connection", "all"}, {"mode", "terminate"}});
  REQUIRE(t.comes([&] { return t.platform.count("live") == 0; }));
  auto const before = std::chrono::steady_clock::now();
  CHECK_EQ(t.stop(), 0);
  CHECK(std::chrono::steady_clock::now() - before < 5s);
}

TEST_CASE("Feishu: two apps in one program decide each on its own about the same message") {
  Tenant t;
  feishu_sim::SimulatorOptions second = Tenant::quiet();
  second.app_id = "cli_00000000000000b2";
  second.bot_open_id = "ou_b0700000000000000000000000000b07";
  feishu_sim::Simulator other(t.loop.executor(), second);
  struct Leaving {
    Tenant& tenant;
    feishu_sim::Simulator& second;
    ~Leaving() {
      tenant.daemon.reset();
      tenant.platform.stop();
      second.stop();
      (void)tenant.loop.finishes();  // what it runs ends before it does
    }
  } const leaving{t, other};
  REQUIRE(other.listen("127.0.0.1", 0).has_value());
  t.loop.spawn(other.run());
  t.w.configure([&](Json& config) {
    Json const first = config["adapters"]["feishu"];
    config["adapters"]["feishu"] = Json::array(
        {first, {{"app_id", second.app_id}, {"app_secret_file", "feishu-secret"}, {"domain", other.base()}}});
  });
  t.start();
  REQUIRE(t.comes([&] { return other.count("live") == 1; }));
  Json const set{{"event.sender.sender_id.open_id", "ou_bob"}, {"event.message.chat_id", "oc_nlp"}};
  Json how{{"file", "text_group_at_bot.json"}, {"set", set}};
  t.act("event", how);
  how["set"]["header.app_id"] = second.app_id;
  REQUIRE(other.act("event", how.dump()).has_value());
  CHECK(t.comes([&] { return t.platform.count("messages") == 1 && other.count("messages") == 1; }));
  CHECK_EQ(t.stop(), 0);
  CHECK_EQ(t.platform.count("violations"), 0);
  CHECK_EQ(other.count("violations"), 0);
}

}  // namespace kb::test
