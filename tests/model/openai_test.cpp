#include "adapters/model/openai.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/model/bad_model.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::model {
namespace {

config::ModelSettings settings_for(std::string url) {
  config::ModelSettings out;
  out.base_url = std::move(url);
  out.name = "test";
  out.call_limit = std::chrono::milliseconds(1000);
  out.question_limit = std::chrono::milliseconds(4000);
  out.retries = 1;
  return out;
}

Request request() { return {"rules", R"({"question":"Atlas","passages":[{"id":"p1","text":"Atlas uses Redis 7."}]})"}; }

Result<std::string> ask(test::Loop& loop, OpenAiClient& client) { return loop.get(client.complete(request())); }

}  // namespace

TEST_CASE("a reply's text is found wherever servers put it, and its tokens are counted") {
  struct Row {
    char const* body;
    char const* text;
    char const* why;
  };
  static constexpr Row rows[] = {
      {R"({"choices":[{"message":{"content":"a"}}],"usage":{"total_tokens":7}})", "a", "OpenAI"},
      {R"({"choices":[{"message":{"content":"a","reasoning_content":"b"}}]})", "a", "reasoning stays out"},
      {R"({"choices":[{"message":{"content":"","reasoning_content":"b"}}]})", "b", "all of it is reasoning"},
      {R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})", "ab",
       "parts"},
      {R"({"choices":[{"text":"a"}]})", "a", "an older form"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Result<Completion> const got = read_reply(row.body);
    REQUIRE(got.has_value());
    CHECK_EQ(got->text, row.text);
  }
  CHECK_EQ(read_reply(rows[0].body)->tokens, 7);
  for (char const* const body : {"", "{}", "[]", R"({"choices":[]})", R"({"choices":[{"message":{}}]})", "<html>"}) {
    CAPTURE(body);
    CHECK(read_reply(body).error().code == Errc::corrupt);
  }
}

TEST_CASE("the request has the model's name, the messages and no stream") {
  auto const json = nlohmann::json::parse(request_body(settings_for("http://127.0.0.1"), request(), false));
  CHECK_EQ(json["model"], "test");
  CHECK_EQ(json["messages"].size(), 2);
  CHECK_EQ(json["stream"], false);
  CHECK(json.contains("response_format"));
  CHECK_FALSE(nlohmann::json::parse(request_body(settings_for(""), request(), true)).contains("response_format"));
}

TEST_CASE("each kind of server gives a text or an error in time, with as many calls as the settings allow") {
  struct Row {
    test::ModelKind kind;
    bool text;
    int calls;
    char const* why;
  };
  static constexpr Row rows[] = {
      {test::ModelKind::good, true, 1, "one call"},
      {test::ModelKind::no_format, true, 2, "asked again without response_format"},
      {test::ModelKind::too_many, false, 2, "429 is tried again"},
      {test::ModelKind::broken, false, 2, "500 is tried again"},
      {test::ModelKind::endless, false, 1, "too large is not tried again"},
      {test::ModelKind::slow, false, 2, "late is tried again"},
  };
  SystemClock const clock;
  for (auto const& row : rows) {
    CAPTURE(row.why);
    test::ModelServer server(row.kind);
    test::Loop loop;
    auto client = OpenAiClient::make(loop.executor(), settings_for(server.url()), clock);
    REQUIRE(client.has_value());
    CHECK_EQ(ask(loop, **client).has_value(), row.text);
    CHECK_EQ(server.calls(), row.calls);
  }
}

TEST_CASE("after three questions without an answer the server is left alone; a spent budget makes no call") {
  SystemClock const clock;
  {
    test::ModelServer server(test::ModelKind::broken);
    test::Loop loop;
    config::ModelSettings settings = settings_for(server.url());
    settings.retries = 0;
    auto client = OpenAiClient::make(loop.executor(), settings, clock);
    REQUIRE(client.has_value());
    for (int i = 0; i < 5; ++i) CHECK_FALSE(ask(loop, **client).has_value());
    CHECK_EQ(server.calls(), 3);
  }
  test::ModelServer server(test::ModelKind::good);
  test::Loop loop;
  config::ModelSettings settings = settings_for(server.url());
  settings.calls_per_day = 2;
  auto client = OpenAiClient::make(loop.executor(), settings, clock);
  REQUIRE(client.has_value());
  CHECK(ask(loop, **client).has_value());
  CHECK(ask(loop, **client).has_value());
  CHECK(ask(loop, **client).error().code == Errc::exhausted);
  CHECK_EQ(server.calls(), 2);
}

TEST_CASE("a key file that holds no key is said at the start") {
  test::TempDir dir;
  test::Loop loop;
  SystemClock const clock;
  config::ModelSettings settings = settings_for("http://127.0.0.1:1");
  settings.api_key_file = dir.write("key", "two\nlines\n");
  CHECK(OpenAiClient::make(loop.executor(), settings, clock).error().code == Errc::invalid_input);
  settings.api_key_file = dir.path() / "none";
  CHECK_FALSE(OpenAiClient::make(loop.executor(), settings, clock).has_value());
  settings.api_key_file = dir.write("key", " sk-abc \n");
  CHECK(OpenAiClient::make(loop.executor(), settings, clock).has_value());
}

}  // namespace kb::model
