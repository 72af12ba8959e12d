#include "adapters/model/openai.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adapters/model/completion.hpp"
#include "tests/model/bad_model.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/scripted_server.hpp"
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

std::string event(std::string const& content) {
  return "data: {\"choices\":[{\"delta\":{\"content\":\"" + content + "\"}}]}\n\n";
}
std::string stream(std::string const& events) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + events + "close";
}
/// One chunk, and no end behind it.
std::string chunked(std::string const& events) {
  std::ostringstream size;
  size << std::hex << events.size();
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + size.str() +
         "\r\n" + events + "\r\n";
}
std::string plain_answer(std::string const& status, std::string const& headers = {}) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n" + headers + "\r\n";
}

aio::Task<aio::HttpResponse> completing(aio::HttpRequest) {
  aio::HttpResponse response;
  response.body = R"({"choices":[{"message":{"content":"a"}}]})";
  co_return response;
}

Request request() { return {"rules", R"({"question":"Atlas","passages":[{"id":"p1","text":"Atlas uses Redis 7."}]})"}; }

Result<std::string> ask(test::Loop& loop, OpenAiClient& client) { return loop.get(client.complete(request())); }

}  // namespace

TEST_CASE("a reply's text is found wherever servers put it, whole or streamed, and its tokens are counted") {
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
      {"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: "
       "{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"
       "data: {\"choices\":[],\"usage\":{\"total_tokens\":7}}\n\ndata: [DONE]\n\n",
       "ab", "a stream"},
      {": wait\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n", "a",
       "comments, CRLF, no blank, no end"},
      {"event: x\ndata: {\"choices\":[{\"delta\":\ndata: {\"content\":\"a\"}}]}", "a", "data of two lines, unfinished"},
      {"data: {\"choices\":[{\"delta\":{\"reasoning\":\"r\"}}]}\n\ndata: "
       "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
       "a", "streamed reasoning stays out"},
      {"data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"r\"}}]}\n\ndata: [DONE]\n\n", "r", "nothing else came"},
      {"data: {\"choices\":[{\"delta\":{\"content\":null}}]}\n\ndata: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: []\n\n",
       "a", "what is not text is passed over"},
      {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"
       "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n",
       "a", "nothing counts behind the end"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    std::string_view const body = row.body;
    for (std::size_t const step : {body.size(), std::size_t{1}, std::size_t{7}}) {
      CompletionReader reader(1000);
      for (std::size_t at = 0; at < body.size(); at += step) reader.feed(body.substr(at, step));
      Result<Completion> const got = reader.take();
      REQUIRE(got.has_value());
      CHECK_EQ(got->text, row.text);
      CHECK_EQ(got->tokens, body.find("usage") == body.npos ? 0 : 7);
    }
  }
}

TEST_CASE("what is no completion is told apart from a server that failed and from one that does not end") {
  struct Row {
    std::string body;
    Errc want;
    char const* why;
  };
  Row const rows[] = {
      {"", Errc::corrupt, "nothing"},
      {"{}", Errc::corrupt, "no choices"},
      {R"({"choices":[]})", Errc::corrupt, "none of them"},
      {R"({"choices":[{"message":{}}]})", Errc::corrupt, "no content"},
      {"<html>", Errc::corrupt, "a page"},
      {"data: [DONE]\n\n", Errc::corrupt, "an empty stream"},
      {"data: {\"error\":{\"message\":\"x\"}}\n\n", Errc::unavailable, "it says that it failed"},
      {"data: " + std::string(2000, 'x'), Errc::exhausted, "an event without an end"},
      {"{" + std::string(4000, ' '), Errc::exhausted, "an object without an end"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    CompletionReader reader(1000);
    reader.feed(row.body);
    CHECK(reader.take().error().code == row.want);
  }
}

TEST_CASE("the request has the model's name and the messages; a plain one neither streams nor asks for a format") {
  auto const json = nlohmann::json::parse(request_body(settings_for("http://127.0.0.1"), request(), false));
  CHECK_EQ(json["model"], "test");
  CHECK_EQ(json["messages"].size(), 2);
  CHECK_EQ(json["stream"], true);
  CHECK(json.contains("response_format"));
  auto const plain = nlohmann::json::parse(request_body(settings_for(""), request(), true));
  CHECK_EQ(plain["stream"], false);
  CHECK_FALSE(plain.contains("response_format"));
  CHECK_FALSE(plain.contains("stream_options"));
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
      {test::ModelKind::no_stream, true, 1, "one object instead of a stream"},
      {test::ModelKind::reasoning, true, 1, "reasoning in a field of its own"},
      {test::ModelKind::failing, true, 2, "what came before the stream failed, after another try"},
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
    config::ModelSettings settings = settings_for(server.url());
    // Of the others none is late, also where half a megabyte takes its time (sanitizers).
    if (row.kind != test::ModelKind::slow) settings.call_limit = settings.question_limit;
    auto client = OpenAiClient::make(loop.executor(), std::move(settings), clock);
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

TEST_CASE("what a server does between request and answer, byte by byte") {
  std::string const first = event("{\\\"sentences\\\":[");
  std::string const last = event("]}");
  struct Row {
    std::vector<std::string> answers;
    std::string text;  ///< empty: none
    Errc code;
    std::size_t calls;
    char const* why;
  };
  Row const rows[] = {
      {{stream(first + last)}, "{\"sentences\":[]}", Errc::unavailable, 1, "a stream that ends with its connection"},
      {{stream(first)}, "{\"sentences\":[", Errc::unavailable, 1, "it ends early: taken as it is"},
      {{chunked(first) + "close", stream(first + last)},
       "{\"sentences\":[]}",
       Errc::unavailable,
       2,
       "cut: tried again"},
      {{chunked(first) + "close"}, "{\"sentences\":[", Errc::unavailable, 2, "cut twice: what came"},
      {{chunked(first)}, "{\"sentences\":[", Errc::unavailable, 2, "silent in the middle: what came"},
      {{chunked(first + last)},
       "{\"sentences\":[]}",
       Errc::unavailable,
       1,
       "the object is whole: its end is not waited for"},
      {{plain_answer("401 Unauthorized")}, "", Errc::denied, 1, "a refused key is not tried again"},
      {{plain_answer("404 Not Found")}, "", Errc::unavailable, 1, "nor what is not there"},
      {{plain_answer("503 Busy"), stream(first + last)}, "{\"sentences\":[]}", Errc::unavailable, 2, "busy once"},
      {{plain_answer("429 Slow Down", "Retry-After: 60\r\n"), stream(first + last)},
       "",
       Errc::unavailable,
       1,
       "asked to wait longer than the question may take"},
      {{plain_answer("422 What"), stream(first + last)},
       "{\"sentences\":[]}",
       Errc::unavailable,
       2,
       "asked more plainly"},
      {{plain_answer("400 Bad")}, "", Errc::unavailable, 2, "plainly is not enough"},
  };
  SystemClock const clock;
  for (auto const& row : rows) {
    CAPTURE(row.why);
    test::Loop loop;
    test::ScriptedServer server(loop);
    server.answers.assign(row.answers.begin(), row.answers.end());
    config::ModelSettings settings = settings_for(server.url("/v1"));
    settings.call_limit = std::chrono::milliseconds(300);
    auto client = OpenAiClient::make(loop.executor(), settings, clock);
    REQUIRE(client.has_value());
    Request wanted = request();
    wanted.enough = [](std::string_view text) { return text.ends_with("]}"); };
    Result<std::string> const got = loop.get((*client)->complete(std::move(wanted)));
    CHECK_EQ(got.has_value() ? *got : std::string(), row.text);
    if (!got) CHECK(got.error().code == row.code);
    CHECK_EQ(server.requests.size(), row.calls);
    server.stop();
    client->reset();
    CHECK(loop.finishes());
  }
}

TEST_CASE("the key goes out as a bearer's, and to nobody when there is none") {
  test::TempDir dir;
  SystemClock const clock;
  for (bool const with_key : {true, false}) {
    test::Loop loop;
    test::ScriptedServer server(loop);
    server.answers = {stream(event("a"))};
    config::ModelSettings settings = settings_for(server.url("/v1"));
    if (with_key) settings.api_key_file = dir.write("key", "sk-abc\n");
    auto client = OpenAiClient::make(loop.executor(), settings, clock);
    REQUIRE(client.has_value());
    CHECK_EQ(ask(loop, **client).value(), "a");
    REQUIRE_EQ(server.requests.size(), 1);
    CHECK(server.requests[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    CHECK_EQ(server.requests[0].find("\r\nauthorization: Bearer sk-abc\r\n") != std::string::npos, with_key);
    server.stop();
    client->reset();
    CHECK(loop.finishes());
  }
}

TEST_CASE("a question's time bounds all its requests together") {
  SystemClock const clock;
  test::ModelServer server(test::ModelKind::good);
  test::Loop loop;
  auto client = OpenAiClient::make(loop.executor(), settings_for(server.url()), clock);
  REQUIRE(client.has_value());
  CHECK_EQ((*client)->question_limit(), std::chrono::milliseconds(4000));
  Request late = request();
  late.end = clock.steady();
  CHECK(loop.get((*client)->complete(std::move(late))).error().code == Errc::unavailable);
  CHECK_EQ(server.calls(), 0);
  Request in_time = request();
  in_time.end = clock.steady() + std::chrono::seconds(4);
  CHECK(loop.get((*client)->complete(std::move(in_time))).has_value());
}

TEST_CASE("a server behind a proxy is reached by CONNECT, and what passes is encrypted") {
  test::Authority authority;
  test::TempDir dir;
  SystemClock const clock;
  for (unsigned const status : {200u, 407u, 503u}) {
    CAPTURE(status);
    test::Loop loop;
    aio::HttpServer server(loop.executor(), {}, completing, {}, {});
    test::Authority::Files const files = authority.issue("localhost");
    server.use_tls(aio::TlsContext::server(files.chain, files.key).value());
    std::uint16_t const port = server.listen("127.0.0.1", 0).value();
    loop.spawn(server.run());
    test::ConnectProxy proxy(loop);
    proxy.status = status;
    config::ModelSettings settings = settings_for("https://localhost:" + std::to_string(port) + "/v1");
    settings.ca_file = authority.file();
    settings.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
    settings.retries = 0;
    auto client = OpenAiClient::make(loop.executor(), settings, clock);
    REQUIRE(client.has_value());
    Result<std::string> const got = ask(loop, **client);
    CHECK_EQ(got.has_value(), status == 200);
    if (!got) CHECK(got.error().code == (status == 407 ? Errc::denied : Errc::unavailable));
    REQUIRE_EQ(proxy.asked.size(), 1);
    CHECK_EQ(proxy.asked[0], "CONNECT localhost:" + std::to_string(port) + " HTTP/1.1");
    client->reset();
    server.stop();
    server.abort();
    proxy.stop();
    CHECK(loop.finishes());
  }
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
