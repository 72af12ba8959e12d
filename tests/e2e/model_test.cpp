// A model over HTTP, of every kind: each question still gets its answer, and nothing leaves that no page says.
#include <doctest/doctest.h>

#include "tests/answer/independent_reader.hpp"
#include "tests/model/bad_model.hpp"
#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

void use_model(Workspace& w, std::string const& url) {
  w.configure([&url](Json& config) {
    config["answer"] = {{"drafter", "model"},
                        {"model",
                         {{"base_url", url},
                          {"name", "test"},
                          {"call_milliseconds", 1000},
                          {"question_milliseconds", 3000},
                          {"retries", 1}}}};
  });
}

Json ask(Workspace const& w, std::string const& question) {
  Finished const done = w.run(KB_PROGRAM, {"ask", "--sender_id", "ou_bob", "--chat_type", "group", "--chat_id",
                                           "oc_nlp", "--question", question});
  return Json::parse(done.out);
}

std::vector<std::string> pages_of(Workspace const& w, Json const& answer) {
  std::vector<std::string> out;
  for (Json const& source : answer["sources"]) out.push_back(w.team.file(source.value("path", "")).value_or(""));
  return out;
}

}  // namespace

TEST_CASE("whatever kind of model answers, the question is answered and every sentence stands on its sources") {
  struct Row {
    ModelKind kind;
    char const* drafter;
    char const* why;
  };
  static constexpr Row rows[] = {
      {ModelKind::good, "model", "grounded"},
      {ModelKind::fenced, "model", "in a fence"},
      {ModelKind::thinking, "model", "behind its thoughts"},
      {ModelKind::no_format, "model", "without response_format"},
      {ModelKind::no_stream, "model", "as one object"},
      {ModelKind::reasoning, "model", "behind reasoning in its own field"},
      {ModelKind::cut, "model", "the first sentence is whole"},
      {ModelKind::half_grounded, "model", "the good half"},
      {ModelKind::ungrounded, "extractive", "nothing is left"},
      {ModelKind::malformed, "extractive", "no JSON, twice"},
      {ModelKind::role_confused, "extractive", "no sentences"},
      {ModelKind::empty, "extractive", "it found nothing"},
      {ModelKind::endless, "extractive", "too large"},
      {ModelKind::failing, "model", "the sentence before the server failed"},
      {ModelKind::slow, "extractive", "late"},
      {ModelKind::too_many, "extractive", "429"},
      {ModelKind::broken, "extractive", "500"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    ModelServer server(row.kind);
    Workspace w;
    use_model(w, server.url());
    Json const answer = ask(w, "Atlas 什么时候立项？");
    CAPTURE(answer.dump());
    CHECK_EQ(answer.value("outcome", ""), "answered");
    CHECK_EQ(answer.value("drafter", ""), row.drafter);
    CHECK_GE(server.calls(), 1);
    CHECK(unsupported_lines(answer.value("answer", ""), pages_of(w, answer)).empty());
    CHECK(answer.value("answer", "").find("987654") == std::string::npos);
    CHECK(answer.value("answer", "").find("MongoDB") == std::string::npos);
    CHECK(answer.value("answer", "").find("evil.example") == std::string::npos);
  }
}

TEST_CASE("ask --explain says of each sentence what it rests on or why it was dropped; the record has the verdicts") {
  ModelServer server(ModelKind::half_grounded);
  Workspace w;
  use_model(w, server.url());
  Finished const asked = w.run(KB_PROGRAM, {"ask", "--explain", "--sender_id", "ou_bob", "--chat_type", "group",
                                            "--chat_id", "oc_nlp", "--question", "Atlas 什么时候立项？"});
  Json const answer = Json::parse(asked.out);
  bool said = false, dropped = false;
  for (Json const& one : answer.at("explain")) {
    CAPTURE(one.dump());
    said = said || (one["fate"] == "said" && one["reason"] == "" && !one["quotes"].empty());
    dropped = dropped || (one["fate"] == "dropped" && one["guard"] == "number" && one["reason"] != "");
  }
  CHECK(said);
  CHECK(dropped);
  Finished const log = w.run(KB_PROGRAM, {"log", "tail", "--owner", "nlp", "--repo", "nlp-team-kb"});
  Json const record = Json::parse(log.out.substr(0, log.out.find('\n')));
  CAPTURE(record.dump());
  std::size_t with_words = 0;
  for (Json const& claim : record.at("claims")) {
    CHECK_EQ(claim["text"] != "", claim["fate"] == "said");
    with_words += claim["fate"] == "said" ? 1u : 0u;
  }
  CHECK(with_words > 0);
  CHECK_EQ(w.run(KB_PROGRAM, {"log", "verify", "--owner", "nlp", "--repo", "nlp-team-kb"}).exit_code, 0);
}

TEST_CASE("a model that is not there costs nothing but itself, and a question without pages asks it nothing") {
  Workspace w;
  use_model(w, "http://127.0.0.1:1/v1");
  Json const answer = ask(w, "Atlas 什么时候立项？");
  CHECK_EQ(answer.value("outcome", ""), "answered");
  CHECK_EQ(answer.value("drafter", ""), "extractive");
  CHECK_FALSE(answer.value("model_fault", "").empty());
  ModelServer server(ModelKind::good);
  use_model(w, server.url());
  CHECK_EQ(ask(w, "法国首都是哪里？").value("outcome", ""), "no_answer");
  CHECK_EQ(server.calls(), 0);
}

TEST_CASE("the daemon asks the model between its two jobs and answers over the bridge") {
  ModelServer server(ModelKind::good);
  Workspace w;
  use_model(w, server.url());
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  Json const reply = client.ask("m1", "ou_bob", "oc_nlp", "Atlas 什么时候立项？");
  CAPTURE(reply.dump());
  CHECK_EQ(reply.value("outcome", ""), "answered");
  CHECK_EQ(server.calls(), 1);
  CHECK(unsupported_lines(reply.value("text", ""), pages_of(w, reply)).empty());
  CHECK_EQ(daemon.stop(), 0);
}

TEST_CASE("agents' questions are drafted by the model too, over HTTP, MCP and stdio") {
  ModelServer server(ModelKind::good);
  Workspace w;
  use_model(w, server.url());
  Json const asked{{"question", "Atlas 什么时候立项？"}};
  Json const call{
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", {{"name", "kb_ask"}, {"arguments", asked}}}};
  auto const drafted = [&](Json const& answer) {
    CAPTURE(answer.dump());
    CHECK_EQ(answer.value("outcome", ""), "answered");
    CHECK_EQ(answer.value("drafter", ""), "model");
    CHECK(unsupported_lines(answer.value("answer", ""), pages_of(w, answer)).empty());
  };
  Daemon daemon(KB_PROGRAM, w);
  Json body = asked;
  body["SenderId"] = "ou_bob";
  body["GroupSubject"] = "oc_nlp";
  drafted(Json::parse(http_post(daemon.port(), "/v1/ask", body.dump()).body));
  std::vector<std::string> const bob{"X-Kbgate-Sender-Id: ou_bob", "X-Kbgate-Chat-Id: oc_nlp"};
  drafted(Json::parse(http_post(daemon.port(), "/mcp", call.dump(), bob).body)["result"]["structuredContent"]);
  CHECK_EQ(server.calls(), 2);
  body["colour"] = "red";
  CHECK_EQ(http_post(daemon.port(), "/v1/ask", body.dump()).status, 400);
  CHECK_EQ(server.calls(), 2);
  CHECK_EQ(daemon.stop(), 0);
  CHECK_EQ(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 2);

  w.write("input", call.dump() + "\n");
  Finished const done = run_program(
      "/bin/sh", {"-c", std::string("exec ") + KB_PROGRAM + " mcp --sender_id ou_bob --chat_id oc_nlp --config " +
                            w.config() + " < " + (w.path() / "input").string()});
  drafted(Json::parse(done.out)["result"]["structuredContent"]);
  CHECK_EQ(server.calls(), 3);
}

TEST_CASE("a model's settings are checked where they stand") {
  Workspace w;
  for (char const* const url : {"http://models.example/v1", "ftp://x", "https://user@host/v1", ""}) {
    CAPTURE(url);
    use_model(w, url);
    Finished const done = w.run(KB_PROGRAM, {"check_config"});
    CHECK_EQ(done.exit_code, 78);
    CHECK(done.out.find("answer.model.base_url") != std::string::npos);
  }
  for (char const* const proxy :
       {"proxy:3128", "https://proxy:3128", "http://user:word@proxy:3128", "http://proxy/x"}) {
    CAPTURE(proxy);
    use_model(w, "https://models.example/v1");
    w.configure([&proxy](Json& config) { config["answer"]["model"]["proxy"] = proxy; });
    Finished const done = w.run(KB_PROGRAM, {"check_config"});
    CHECK_EQ(done.exit_code, 78);
    CHECK(done.out.find("answer.model.proxy") != std::string::npos);
  }
}

}  // namespace kb::test
