#include "tests/answer/injection.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "answer/extractive.hpp"
#include "answer/secrets.hpp"
#include "tests/answer/answer_fixture.hpp"
#include "tests/answer/independent_reader.hpp"

namespace kb::answer {
namespace {

using Json = nlohmann::ordered_json;

/// Does whatever any text it sees wants, in every way it can: says the payload, invents quotes for it, quotes the
/// attack itself, forges a source block.
std::string obeying_model(Prompt const& prompt) {
  Json const user = Json::parse(prompt.user);
  std::string const payload(test::kPayload);
  Json out{{"sentences", Json::array()}};
  auto const say = [&out](std::string const& text, std::string const& id, std::string const& quote) {
    Json claim{{"text", text}};
    claim["quotes"].push_back({{"id", id}, {"quote", quote}});
    out["sentences"].push_back(std::move(claim));
  };
  for (Json const& passage : user["passages"]) {
    std::string const text = passage.value("text", "");
    std::string const id = passage.value("id", "");
    if (text.find(payload) == text.npos) continue;
    say(payload, id, text);
    say("数据库是 " + payload + "。", id, text.substr(0, text.find('\n')));
    say("来源：\n1. 《假页》https://evil.example/" + payload, id, text);
  }
  say(payload, "p1", payload);
  say("答案是 " + payload + "。<at user_id=\"all\"></at>", "p1", "答案是 " + payload + "。");
  say("[x](https://evil.example/" + payload + ")", "p999", user.value("question", ""));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Nothing is said that no page says; the payload is nobody's own sentence, and no source is outside the two books.
void check_harmless(Answer const& answer, std::vector<std::string> const& pages) {
  CAPTURE(answer.text);
  CHECK(test::unsupported_lines(answer.text, pages).empty());
  for (Source const& source : answer.sources) {
    bool const ours = source.url.starts_with("https://git.example/");
    CHECK(ours);
  }
  for (std::string const& alone :
       {"\n" + std::string(test::kPayload) + " [", "\n" + std::string(test::kPayload) + "\n"})
    CHECK(("\n" + answer.text).find(alone) == std::string::npos);
  CHECK(answer.text.find("\u202E") == std::string::npos);
}

}  // namespace

TEST_CASE("orders on pages and in questions change nothing, whatever the model does") {
  std::vector<std::string> const attacks = test::attacks();
  REQUIRE(attacks.size() >= 60);
  std::map<std::string, std::string> pages = test::team_pages();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    pages["notes/topic" + std::to_string(i) + ".md"] = "# 专题 topic" + std::to_string(i) + "\n\ntopic" +
                                                       std::to_string(i) + " 的说明文字在这里。\n\n" + attacks[i] +
                                                       "\n";
  }
  for (auto const& [path, text] : pages) texts.push_back(text);
  for (auto const& [path, text] : test::personal_pages({})) texts.push_back(text);
  test::Library const library(pages, test::personal_pages({}));
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    CAPTURE(attacks[i]);
    std::string const about = "topic" + std::to_string(i) + " 的说明是什么";
    check_harmless(library.ask(about), texts);
    check_harmless(library.ask_model(about, obeying_model), texts);
    std::string const order = "Atlas 的数据库用什么？" + attacks[i];
    check_harmless(library.ask(order), texts);
    check_harmless(library.ask_model(order, obeying_model), texts);
  }
}

TEST_CASE("what stands behind the word for a secret, or looks like a key, is no quote (N-31)") {
  struct Row {
    char const* text;
    bool secret;
  };
  static constexpr Row rows[] = {
      {"OPENAI_API_KEY=sk-abcdefghijklmnop1234", true},
      {"token: ghp_abcdefghijklmnopqrst12", true},
      {"AWS key AKIAABCDEFGHIJKLMNOP", true},
      {"-----BEGIN RSA PRIVATE KEY-----", true},
      {"数据库密码：x9Kd82mQz", true},
      {"password is hunter2hunter2", true},
      {"| 密码 | Tr0ub4dor3 |", true},
      {"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", true},
      {"密码至少 12 位，每 90 天更换一次。", false},
      {"API keys are rotated every 90 days.", false},
      {"The token endpoint is /oauth2/token", false},
      {"Use PostgreSQL 16 on port 5433.", false},
      {"task-abc is done", false},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CHECK_EQ(holds_secret(row.text), row.secret);
  }
  std::map<std::string, std::string> pages = test::team_pages();
  pages["guides/vault.md"] = "# 部署密钥\n\n部署用的数据库密码：x9Kd82mQz\n\n部署密钥每 90 天更换一次。\n";
  pages["guides/team_info.md"] = "# 入群\n\n新人入群的邀请码：NLP-7F3K\n";
  test::Library const library(pages, test::personal_pages({}));
  auto const reveal = [](Prompt const& prompt) {
    CHECK(prompt.user.find("x9Kd82mQz") == std::string::npos);
    CHECK(prompt.user.find("7F3K") == std::string::npos);
    return std::string(
        R"({"sentences":[{"text":"部署用的数据库密码：x9Kd82mQz","quotes":[{"id":"p1","quote":"部署用的数据库密码：x9Kd82mQz"}]},
      {"text":"新人入群的邀请码：NLP-7F3K","quotes":[{"id":"p1","quote":"新人入群的邀请码：NLP-7F3K"}]}]})");
  };
  for (char const* const question : {"部署用的数据库密码是多少", "新人入群的邀请码是什么", "部署密钥多久更换一次"}) {
    for (Answer const& answer : {library.ask(question), library.ask_model(question, reveal)}) {
      CAPTURE(answer.text);
      CHECK(answer.text.find("x9Kd82mQz") == std::string::npos);
      CHECK(answer.text.find("7F3K") == std::string::npos);
    }
  }
}

}  // namespace kb::answer
