#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <random>

#include "adapters/bridge/access.hpp"
#include "adapters/bridge/frames.hpp"

using namespace kb;
using nlohmann::json;

namespace {

json good_message() {
  return json{{"type", "message"},
              {"id", "m1"},
              {"SenderId", "ou_1"},
              {"ChatType", "group"},
              {"GroupSubject", "oc_1"},
              {"text", "@bot 上周定了什么？"},
              {"mentioned", true},
              {"ThreadId", "t1"},
              {"timestamp", "2026-10-02T08:00:00Z"}};
}

std::string complaint(json const& frame) {
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const bad = std::get_if<bridge::BadFrame>(&parsed);
  return bad == nullptr ? std::string() : bad->message;
}

std::optional<std::string> time_of(json const& timestamp) {
  json frame = good_message();
  frame["timestamp"] = timestamp;
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const message = std::get_if<bridge::MessageFrame>(&parsed);
  if (message == nullptr) return std::nullopt;
  return iso8601(message->message.sent_at);
}

}  // namespace

TEST_CASE("a message frame becomes a message of the bridge") {
  json frame = good_message();
  frame["unknown"] = json::array({1, 2});
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const message = std::get_if<bridge::MessageFrame>(&parsed);
  REQUIRE(message != nullptr);
  auto const& m = message->message;
  CHECK_EQ(message->id, "m1");
  CHECK_EQ(m.message_id, "m1");
  CHECK_EQ(m.principal.adapter, "bridge");
  CHECK_EQ(m.principal.account, "");
  CHECK_EQ(m.principal.user, UserId("ou_1"));
  CHECK(m.chat_type == scope::ChatType::group);
  CHECK_EQ(m.chat, ChatId("oc_1"));
  CHECK_EQ(m.thread, "t1");
  CHECK_EQ(m.text, "@bot 上周定了什么？");
  CHECK(m.mentioned);
  CHECK_EQ(iso8601(m.sent_at), "2026-10-02T08:00:00Z");
}

TEST_CASE("what is optional may be absent or null") {
  for (char const* const key : {"mentioned", "ThreadId", "timestamp"}) {
    CAPTURE(key);
    json absent = good_message();
    absent.erase(key);
    CHECK_EQ(complaint(absent), "");
    json null = good_message();
    null[key] = nullptr;
    CHECK_EQ(complaint(null), "");
  }
}

TEST_CASE("a private chat has no group, whatever the frame says") {
  for (char const* const type : {"direct", "p2p"}) {
    json frame = good_message();
    frame["ChatType"] = type;
    auto const parsed = bridge::parse_frame(frame.dump());
    auto const* const message = std::get_if<bridge::MessageFrame>(&parsed);
    REQUIRE(message != nullptr);
    CHECK(message->message.chat_type == scope::ChatType::direct);  // S1-13
    CHECK(message->message.chat.empty());                          // S1-14
  }
}

TEST_CASE("a frame that is wrong says what is wrong") {
  struct Row {
    char const* key;
    json value;  ///< discarded: the key is left out
    char const* want;
  };
  json const absent(json::value_t::discarded);
  std::vector<Row> const rows = {
      {"type", absent, "type is required"},
      {"type", 7, "type must be a string"},
      {"type", "msg", "unknown type: message, feedback, hello, tool and ping are known"},
      {"id", absent, "id is required"},
      {"id", 1, "id must be a string"},
      {"id", "", "id must not be empty"},
      {"id", std::string(257, 'x'), "id is longer than 256 bytes"},
      {"id", "a\nb", "id holds control characters"},
      {"SenderId", absent, "SenderId is required"},
      {"SenderId", json::array(), "SenderId must be a string"},
      {"ChatType", absent, "ChatType is required"},
      {"ChatType", "channel", "ChatType must be direct, p2p or group"},
      {"GroupSubject", absent, "GroupSubject is required"},
      {"GroupSubject", "", "GroupSubject must not be empty"},
      {"ThreadId", 5, "ThreadId must be a string"},
      {"text", absent, "text is required"},
      {"text", json::object(), "text must be a string"},
      {"mentioned", "true", "mentioned must be true or false"},
      {"mentioned", 1, "mentioned must be true or false"},
      {"timestamp", "yesterday", "timestamp must be RFC 3339 or milliseconds since 1970"},
      {"timestamp", true, "timestamp must be RFC 3339 or milliseconds since 1970"},
  };
  for (auto const& row : rows) {
    json frame = good_message();
    frame.erase(row.key);
    if (!row.value.is_discarded()) frame[row.key] = row.value;
    CAPTURE(frame.dump());
    CHECK_EQ(complaint(frame), row.want);
  }
}

TEST_CASE("an id of 256 bytes is the longest") {
  json frame = good_message();
  frame["id"] = std::string(256, 'x');
  CHECK_EQ(complaint(frame), "");
}

TEST_CASE("a wrong frame keeps its id when it can be read") {
  json frame = good_message();
  frame.erase("SenderId");
  auto parsed = bridge::parse_frame(frame.dump());
  CHECK_EQ(std::get<bridge::BadFrame>(parsed).id, "m1");
  frame["id"] = 12;
  parsed = bridge::parse_frame(frame.dump());
  CHECK_EQ(std::get<bridge::BadFrame>(parsed).id, "");
}

TEST_CASE("what is no object is a bad frame") {
  struct Row {
    std::string_view text;
    char const* want;
  };
  static constexpr Row rows[] = {
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[]", "not a JSON object"},
      {"7", "not a JSON object"},
      {"{} {}", "not JSON"},
      {"{\"type\":\"\xC3\x28\"}", "not JSON"},
      {"{\"type\":NaN}", "not JSON"},
      {"null", "not a JSON object"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    auto const parsed = bridge::parse_frame(row.text);
    auto const* const bad = std::get_if<bridge::BadFrame>(&parsed);
    REQUIRE(bad != nullptr);
    CHECK_EQ(bad->message, row.want);
  }
  std::string const deep(60'000, '[');
  CHECK(std::holds_alternative<bridge::BadFrame>(bridge::parse_frame(deep)));
}

TEST_CASE("a timestamp is RFC 3339 or milliseconds") {
  struct Row {
    json given;
    std::optional<std::string> want;
    char const* why;
  };
  std::vector<Row> const rows = {
      {"2026-10-02T16:00:00+08:00", "2026-10-02T08:00:00Z", "east of Greenwich"},
      {"2026-10-01T23:30:00-08:30", "2026-10-02T08:00:00Z", "west, past midnight"},
      {"2026-10-02T08:00:00.987654321Z", "2026-10-02T08:00:00Z", "fractions"},
      {"2026-10-02 08:00:00Z", "2026-10-02T08:00:00Z", "a space for the T"},
      {1'790'928'000'000, "2026-10-02T08:00:00Z", "milliseconds"},
      {0, "1970-01-01T00:00:00Z", "the first"},
      {"2026-10-02T08:00:00", std::nullopt, "no zone"},
      {"2026-13-02T08:00:00Z", std::nullopt, "no such month"},
      {"2026-02-30T08:00:00Z", std::nullopt, "no such day"},
      {"2026-10-02T24:00:00Z", std::nullopt, "no such hour"},
      {"2026-10-02T08:00:00.Z", std::nullopt, "a point and no digits"},
      {"2026-10-02T08:00:00Zx", std::nullopt, "something after"},
      {"2026-10--2T08:00:00Z", std::nullopt, "a sign inside"},
      {-1, std::nullopt, "before 1970"},
      {1.5, std::nullopt, "not whole"},
      {18'446'744'073'709'551'615ULL, std::nullopt, "beyond any clock"},
      {253'402'300'800'000, std::nullopt, "the year 10000"},
      {"2262-04-11T23:47:16.854Z", "2262-04-11T23:47:16Z", "the last our clock holds"},
      {"2262-04-11T23:47:16.855Z", std::nullopt, "beyond our clock"},
      {"9999-12-31T23:59:59Z", std::nullopt, "far beyond it"},
      {"0001-01-01T00:00:00Z", std::nullopt, "before it"},
      {9'223'372'036'855, std::nullopt, "beyond it, in milliseconds"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    CHECK_EQ(time_of(row.given), row.want);
  }
}

TEST_CASE("feedback is a vote, and its kind is one of four") {
  json frame{{"type", "feedback"}, {"query_id", "01J"}, {"vote", "down"}, {"kind", "outdated"}, {"SenderId", "ou_1"}};
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const feedback = std::get_if<bridge::FeedbackFrame>(&parsed);
  REQUIRE(feedback != nullptr);
  CHECK_EQ(feedback->query_id, "01J");
  CHECK_EQ(feedback->vote, "down");
  CHECK_EQ(feedback->kind, "outdated");
  CHECK_EQ(feedback->sender, UserId("ou_1"));
  frame["kind"] = "boring";
  CHECK_EQ(complaint(frame), "kind must be one of wrong outdated missing wrong_source");
  frame.erase("kind");
  CHECK_EQ(complaint(frame), "");
  frame["vote"] = "sideways";
  CHECK_EQ(complaint(frame), "vote must be one of up down");
}

TEST_CASE("a host's message names its channel and account, its room, and until when somebody waits") {
  json frame = good_message();
  frame.update({{"channel", "feishu"},
                {"account", "default"},
                {"ChatId", "oc_1"},
                {"ChatName", "NLP team"},
                {"deadlineMs", 25000},
                {"mayPass", true},
                {"external", true}});
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const message = std::get_if<bridge::MessageFrame>(&parsed);
  REQUIRE(message != nullptr);
  CHECK_EQ(message->message.principal.adapter, "openclaw");
  CHECK_EQ(message->message.principal.account, "feishu/default");
  CHECK_EQ(message->message.room, "oc_1");
  CHECK_EQ(message->message.chat_name, "NLP team");
  CHECK(message->message.may_pass);
  CHECK(message->message.external);
  REQUIRE(message->deadline.has_value());
  CHECK_EQ(message->deadline->count(), 25000);
  frame["deadlineMs"] = -1;
  CHECK_EQ(complaint(frame), "deadlineMs must be 0 to 86400000");
}

TEST_CASE("a name for display is cut, not refused, and never inside a character") {
  json frame = good_message();
  frame["ChatName"] = std::string(255, 'a') + "组";
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const message = std::get_if<bridge::MessageFrame>(&parsed);
  REQUIRE(message != nullptr);
  CHECK_EQ(message->message.chat_name, std::string(255, 'a'));
}

TEST_CASE("an agent's call has its identity outside its arguments") {
  json const frame{
      {"type", "tool"},       {"id", "b/1"},      {"tool", "kb_ask"},
      {"channel", "feishu"},  {"account", "a"},   {"SenderId", "ou_1"},
      {"ChatType", "direct"}, {"ChatId", "oc_p"}, {"arguments", {{"question", "what?"}, {"SenderId", "ou_root"}}}};
  auto const parsed = bridge::parse_frame(frame.dump());
  auto const* const call = std::get_if<bridge::ToolFrame>(&parsed);
  REQUIRE(call != nullptr);
  CHECK_EQ(call->tool, "kb_ask");
  CHECK_EQ(call->from.principal.user, UserId("ou_1"));
  CHECK_EQ(call->from.room, "oc_p");
  CHECK_EQ(json::parse(call->arguments)["question"], "what?");
  json without = frame;
  without.erase("SenderId");
  CHECK_EQ(complaint(without), "SenderId is required");
  without = frame;
  without["arguments"] = "x";
  CHECK_EQ(complaint(without), "arguments must be an object");
}

TEST_CASE("frames that go out have the fields of the contract") {
  CHECK_EQ(bridge::ack_frame("m1"), R"({"type":"ack","id":"m1"})");
  CHECK_EQ(bridge::pong_frame(), R"({"type":"pong"})");
  CHECK_EQ(bridge::error_frame("m1", "busy", "2 ahead"),
           R"({"type":"error","id":"m1","error":"busy","message":"2 ahead"})");
  CHECK_EQ(bridge::error_frame("", "bad_request", "not JSON"),
           R"({"type":"error","error":"bad_request","message":"not JSON"})");
  adapters::Reply reply;
  reply.query_id = "01J";
  reply.outcome = "answered";
  reply.text = "见 \"决定\"\n来源：…";
  reply.sources_json = R"([{"title":"T","lines":[1,2]}])";
  CHECK_EQ(bridge::answer_frame("m1", reply),
           R"({"type":"answer","id":"m1","outcome":"answered","text":"见 \"决定\"\n来源：…",)"
           R"("sources":[{"title":"T","lines":[1,2]}],"query_id":"01J"})");
  reply.sources_json = "";
  reply.text = "broken \xFF byte";
  json const out = json::parse(bridge::answer_frame("m1", reply));
  CHECK_EQ(out["sources"], json::array());
  CHECK_EQ(out["text"], "broken \xEF\xBF\xBD byte");
}

TEST_CASE("no bytes at all break the parser") {
  constexpr unsigned kSeed = 20261130;
  std::mt19937 random(kSeed);
  std::string const base = good_message().dump();
  for (int round = 0; round < 5'000; ++round) {
    std::string text = base;
    for (auto changes = random() % 6; changes-- > 0;) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % 3 == 0 ? random() % text.size() : text.size());
    CAPTURE(round);
    auto const parsed = bridge::parse_frame(text);
    auto const* const message = std::get_if<bridge::MessageFrame>(&parsed);
    if (message != nullptr) REQUIRE_FALSE(message->message.principal.user.empty());
  }
}

TEST_CASE("an origin is allowed when it is ours") {
  struct Row {
    std::string_view origin, host;
    bool want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"", "127.0.0.1:8642", true, "not a browser"},
      {"http://127.0.0.1:8642", "127.0.0.1:8642", true, "our own page"},
      {"http://localhost:8642", "127.0.0.1:8642", true, "another name for it"},
      {"http://[::1]:8642", "localhost:8642", true, "and a third"},
      {"https://kb.example", "kb.example", true, "behind a proxy"},
      {"https://kb.example", "kb.example:443", true, "the default port is the same"},
      {"https://KB.example", "kb.example", true, "names have no case"},
      {"https://kb.example", "kb.example:8443", false, "another port"},
      {"https://evil.example", "127.0.0.1:8642", false, "cross-site"},
      {"https://evil.example", "kb.example", false, "cross-site"},
      {"http://127.0.0.1.evil.example", "127.0.0.1:8642", false, "looks like loopback"},
      {"http://127.evil.a.b", "127.0.0.1:8642", false, "looks like loopback"},
      {"http://localhost.evil.example", "127.0.0.1:8642", false, "looks like loopback"},
      {"http://127.0.0.1:8642", "kb.example", false, "a local page towards a public name"},
      {"null", "127.0.0.1:8642", false, "a sandbox or a file"},
      {"http://", "", false, "no host at all"},
      {"kb.example", "kb.example", false, "no scheme"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.origin);
    CAPTURE(row.host);
    CAPTURE(row.why);
    CHECK_EQ(bridge::origin_allowed(row.origin, row.host), row.want);
  }
}

TEST_CASE("a token matches whole or not at all") {
  CHECK(bridge::token_matches("Bearer s3cret", "s3cret"));
  CHECK(bridge::token_matches("bearer s3cret", "s3cret"));
  for (std::string_view const header : {"", "Bearer ", "Bearer s3cre", "Bearer s3cret ", "s3cret", "Basic s3cret"}) {
    CAPTURE(header);
    CHECK_FALSE(bridge::token_matches(header, "s3cret"));
  }
  CHECK_FALSE(bridge::token_matches("Bearer ", ""));
}

TEST_CASE("a token's account tells tokens apart and does not tell the token") {
  CHECK_EQ(bridge::token_account("abc"), "token:ba7816bf");  // FIPS 180-2, SHA-256 of "abc"
  CHECK_NE(bridge::token_account("abd"), bridge::token_account("abc"));
}
