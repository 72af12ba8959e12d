#include "daemon/safety_net.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using kb::TimePoint;
using kb::daemon::say_sentence;
using nlohmann::json;

namespace {
TimePoint const kNow{std::chrono::seconds(1'790'000'000)};
std::string const kSentence = "知识库助手暂时不在，请稍后再问。";
}  // namespace

TEST_CASE("whatever a model is asked, the sentence is said") {
  auto const response =
      say_sentence(R"({"model":"x","messages":[{"role":"user","content":"法国的首都是哪里？"}]})", kSentence, kNow);
  json const said = json::parse(response.body);
  CHECK_EQ(response.status, 200);
  CHECK_EQ(said["object"], "chat.completion");
  CHECK_EQ(said["model"], "x");
  CHECK_EQ(said["created"], 1'790'000'000);
  CHECK_EQ(said["choices"][0]["message"]["content"], kSentence);
  CHECK_EQ(said["choices"][0]["finish_reason"], "stop");
}

TEST_CASE("streamed, the pieces make the sentence and the stream says that it is over") {
  auto const response = say_sentence(R"({"stream":true,"stream_options":{"include_usage":true}})", kSentence, kNow);
  CHECK_EQ(response.content_type, "text/event-stream");
  std::istringstream lines(response.body);
  std::string line, whole, last;
  json usage;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    REQUIRE(line.starts_with("data: "));
    last = line.substr(6);
    if (last == "[DONE]") continue;
    json const chunk = json::parse(last);
    CHECK_EQ(chunk["object"], "chat.completion.chunk");
    if (chunk.contains("usage")) usage = chunk["usage"];
    for (json const& choice : chunk["choices"]) whole += choice["delta"].value("content", "");
  }
  CHECK_EQ(whole, kSentence);
  CHECK_EQ(last, "[DONE]");
  CHECK(usage.is_object());
}

TEST_CASE("a request that is no JSON object is told so") {
  CHECK_EQ(say_sentence("[", kSentence, kNow).status, 400);
  CHECK_EQ(say_sentence("[]", kSentence, kNow).status, 400);
}
