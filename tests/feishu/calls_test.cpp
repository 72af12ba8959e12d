#include "adapters/feishu/calls.hpp"

#include <doctest/doctest.h>

using namespace kb;
using namespace kb::feishu;
using namespace std::chrono_literals;

namespace {

aio::HttpResponse response(unsigned status, std::string body, std::map<std::string, std::string> headers = {}) {
  aio::HttpResponse r;
  r.status = status;
  r.body = std::move(body);
  r.headers = std::move(headers);
  return r;
}

}  // namespace

TEST_CASE("success is a status and a code, and what failed on the way may have worked") {
  struct Row {
    unsigned status;
    char const* body;
    bool ok, unknown;
    char const* why;
  };
  static constexpr Row rows[] = {
      {200, R"({"code":0,"data":{"message_id":"om_1"}})", true, false, "arrived"},
      {200, R"({"code":230002,"msg":"out"})", false, false, "refused with a status that looks well"},
      {500, R"({"code":0})", false, true, "a status that does not"},
      {400, R"({"code":230001,"msg":"bad"})", false, false, "refused"},
      {200, "<html>", false, true, "no envelope: a proxy in between"},
      {200, R"({"code":"0"})", false, true, "a code that is no number"},
      {200, "[]", false, true, "no object"},
      {502, "", false, true, "the gateway does not know"},
      {500, R"({"code":230101,"msg":"trouble"})", false, true, "trouble on the way"},
      {400, R"({"code":230049,"msg":"being sent"})", false, true, "it is under way"},
      {429, R"({"code":99991400,"msg":"slow"})", false, false, "too fast is a no"},
      {400, R"({"code":200770,"msg":"uuid used"})", true, false, "the platform has it"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Outcome const outcome = outcome_of(response(row.status, row.body));
    CHECK_EQ(outcome.ok(), row.ok);
    CHECK_EQ(outcome.unknown, row.unknown);
  }
  CHECK_EQ(outcome_of(response(200, rows[0].body)).id, "om_1");
  CHECK_EQ(outcome_of(response(200, R"({"code":0,"data":{"reaction_id":"Z"}})")).id, "Z");
}

TEST_CASE("a call that got no answer may have worked, but not when it was never sent") {
  CHECK(outcome_of(Error(Errc::unavailable, "reading: closed")).unknown);
  CHECK(outcome_of(Error(Errc::exhausted, "too large")).unknown);
  CHECK_FALSE(outcome_of(Error(Errc::denied, "certificate")).unknown);
  Outcome const outcome = outcome_of(Error(Errc::unavailable, "reading: closed"));
  CHECK(outcome.remedy == Remedy::wait);
  CHECK_EQ(outcome.what, "reading: closed");
}

TEST_CASE("the platform's waits are taken from either header, and bounded") {
  struct Row {
    char const *name, *value;
    std::chrono::milliseconds want;
  };
  static constexpr Row rows[] = {
      {"x-ogw-ratelimit-reset", "7", 7s},        {"retry-after", "3", 3s},
      {"x-ogw-ratelimit-reset", "", 0s},         {"x-ogw-ratelimit-reset", "x", 0s},
      {"x-ogw-ratelimit-reset", "1.5", 0s},      {"x-ogw-ratelimit-reset", "-1", 0s},
      {"x-ogw-ratelimit-reset", "999999", 600s},
  };
  for (Row const& row : rows) {
    CAPTURE(row.value);
    auto const outcome = outcome_of(response(429, "{}", {{row.name, row.value}, {"x-tt-logid", "L1"}}));
    CHECK_EQ(outcome.retry_after.count(), row.want.count());
    CHECK_EQ(outcome.log_id, "L1");
  }
}

TEST_CASE("what the platform quotes of a message is not kept") {
  auto const quoting = outcome_of(response(400, R"({"code":230001,"msg":"Your request is bad, ext=secret words"})"));
  CHECK_EQ(quoting.what, "Your request is bad");
  std::string longer;
  for (int i = 0; i < 100; ++i) longer += "知";
  auto const cut = outcome_of(response(400, R"({"code":1,"msg":")" + longer + R"("})"));
  CHECK_EQ(cut.what, longer.substr(0, 198));
}

TEST_CASE("bodies are strings of JSON within JSON, whatever bytes the words have") {
  Part const part{"text", R"({"text":"say \"hi\""})"};
  CHECK_EQ(message_request(part, "u1"), R"({"content":"{\"text\":\"say \\\"hi\\\"\"}","msg_type":"text","uuid":"u1"})");
  CHECK(message_request(part, "u1", "oc_1").find(R"("receive_id":"oc_1")") != std::string::npos);
  CHECK(message_request({"text", "\xff"}, "u1").find("u1") != std::string::npos);
  CHECK_EQ(reaction_request("Typing"), R"({"reaction_type":{"emoji_type":"Typing"}})");
  CHECK_EQ(segment("om_Ab-9"), "om_Ab-9");
  CHECK_EQ(segment("a/b?c\xe4"), "a%2Fb%3Fc%E4");
}

TEST_CASE("tokens and the bot are read from answers of their own shape") {
  CHECK_FALSE(token_of(R"({"code":0})").has_value());
  CHECK_FALSE(token_of("no json").has_value());
  CHECK_EQ(token_of(R"({"tenant_access_token":"t-1","expire":60})")->life.count(), 60);
  CHECK_EQ(token_of(R"({"tenant_access_token":"t-1","expire":999999})")->life.count(), 7200);
  CHECK_EQ(token_of(R"({"tenant_access_token":"t-1"})")->life.count(), 7200);
  CHECK_FALSE(bot_of(R"({"code":0,"data":{}})").has_value());
  auto const bot = bot_of(R"({"bot":{"open_id":"ou_b","app_name":"KB","activate_status":2}})");
  REQUIRE(bot.has_value());
  CHECK_EQ(bot->open_id, "ou_b");
  CHECK_EQ(bot->name, "KB");
  CHECK_EQ(bot->activate_status, 2);
}
