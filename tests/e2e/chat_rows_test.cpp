// What people write to the bot, and where it goes: the rows of the query skill that only a conversation shows.
#include <doctest/doctest.h>
#include <set>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

constexpr char kLogBranch[] = "refs/heads/kbgate/query-log";

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::string log_of(TempRepo const& repo) { return repo.file("log.md", kLogBranch).value_or(""); }

/// The repositories and labels that an answer's sources name.
std::set<std::string> places(Json const& answer) {
  std::set<std::string> out;
  for (Json const& source : answer["sources"]) out.insert(source.value("owner", "") + ' ' + source.value("label", ""));
  return out;
}

}  // namespace

// S1-1 S1-36
TEST_CASE("one question of each kind is answered: personal, team, project space, and across") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  struct Row {
    char const* question;
    std::set<std::string> places;
    char const* says;
  };
  static Row const rows[] = {
      {"我的航班是哪天的？", {"alice 个人知识库"}, "NH964"},
      {"我们的组会什么时候开始？", {"nlp 团队知识库"}, "每周一上午 10 点半"},
      {"Atlas 项目的向量库选用什么？", {"nlp 项目"}, "Milvus"},
      {"知识蒸馏的温度取多少，难负例的 nDCG@10 达到多少？", {"alice 个人知识库", "nlp 团队知识库"}, "0.741"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.question);
    Json const reply = client.ask(row.question, "ou_alice", "", row.question);
    std::string const text = reply.value("text", "");
    CAPTURE(text);
    CHECK_EQ(reply.value("outcome", ""), "answered");
    CHECK(places(reply) == row.places);
    CHECK(has(text, row.says));
  }
}

// S1-5 S1-6 S1-7
TEST_CASE("what people ask a knowledge base about reaches it, and each question adds one line to the log") {
  struct Row {
    char const *question, *why;
  };
  static constexpr Row rows[] = {
      {"我之前记的航班是哪天的？", "S1-6: 我之前"},
      {"我们团队的组会在哪里开？", "S1-6: 我们团队"},
      {"Atlas 项目的负责人是谁？", "S1-6: a project"},
      {"李明负责什么？", "S1-6: a person"},
      {"知识库里有没有难负例的资料？", "S1-6: is there something"},
      {"11 月 2 日的组会几点开始？", "S1-7: meetings"},
      {"难负例的实验结果是多少？", "S1-7: experiments"},
      {"有没有关于知识蒸馏的论文？", "S1-7: papers"},
      {"Atlas 的上线进展怎么样？", "S1-7: progress"},
      {"李明对 Atlas 有什么贡献？", "S1-7: what somebody contributed"},
  };
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  std::set<std::string> asked;
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Json const reply = client.ask(row.question, "ou_alice", "", row.question);
    std::string const text = reply.value("text", "");
    CAPTURE(text);
    std::string const outcome = reply.value("outcome", "");
    CHECK(std::set<std::string>{"answered", "insufficient", "no_answer"}.contains(outcome));
    CHECK(has(text, "来源："));
    asked.insert(reply.value("query_id", ""));
  }
  CHECK_EQ(asked.size(), std::size(rows));
  CHECK_EQ(daemon.stop(), 0);
  std::set<std::string> logged;
  for (auto const& [owner, repo] : {std::pair("alice", "alice-personal-kb"), std::pair("nlp", "nlp-team-kb")}) {
    for (Json const& record : w.records(KB_PROGRAM, owner, repo)) logged.insert(record.value("query_id", ""));
  }
  CHECK(logged == asked);
  std::string const both = log_of(w.alice) + log_of(w.team);
  for (Row const& row : rows) CHECK(has(both, std::string("| ") + row.question));
}

// S1-4 S1-41: an address that tears each source line in two makes every drafted text one that the validator rejects.
TEST_CASE("what the validator rejects is never sent: the fixed no-answer text goes out instead") {
  Workspace w;
  static constexpr char const* kQuestions[] = {"组会什么时候开始？", "Atlas 的向量库选用什么？",
                                               "李明的电话号码是多少？"};
  for (bool const torn : {false, true}) {
    CAPTURE(torn);
    w.configure([&](Json& config) {
      config["repos"][0]["web_url"] = torn ? "https://git.example/\n{path}" : "https://git.example/{path}";
    });
    Daemon daemon(KB_PROGRAM, w);
    Client client(daemon);
    for (char const* question : kQuestions) {
      CAPTURE(question);
      Json const reply = client.ask(std::string(torn ? "t" : "s") + question, "ou_bob", "oc_nlp", question);
      std::string const text = reply.value("text", "");
      CAPTURE(text);
      CHECK_EQ(reply.value("outcome", "") == "no_answer", torn);
      CHECK_EQ(reply["sources"].empty(), torn);
      CHECK_EQ(has(text, "git.example"), !torn);
      CHECK_EQ(text.ends_with("相关的资料，因此无法基于知识库回答。\n\n来源：无"), torn);
      CHECK_EQ(w.run(KB_PROGRAM, {"validate_answer", "--answer", text}).exit_code, 0);
    }
  }
}

// S1-9 S1-10 S1-11
TEST_CASE("storing, compiling and reviewing are handed to their skills, and only the service log tells of it") {
  struct Row {
    char const *text, *skill, *why;
  };
  static constexpr Row rows[] = {
      {"把这个存到知识库", "ingest_document", "S1-9"},
      {"批量编译这个仓库", "batch_compile", "S1-10"},
      {"写一份难负例综述", "kb_review", "S1-11: review"},
      {"找出难负例方向的研究缺口", "kb_review", "S1-11: research gap"},
      {"给出下一步实验建议", "kb_review", "S1-11: experiment advice"},
  };
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  for (Row const& row : rows) {
    for (char const* chat : {"", "oc_nlp"}) {
      CAPTURE(row.why);
      CAPTURE(chat);
      Json const reply = client.ask(std::string(chat) + row.text, "ou_alice", chat, row.text);
      CHECK_EQ(reply.value("outcome", ""), "handed_off");
      CHECK(has(reply.value("text", ""), row.skill));
      CHECK(reply["sources"].empty());
    }
  }
  CHECK_EQ(daemon.stop(), 0);
  CHECK(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").empty());
  CHECK(w.records(KB_PROGRAM, "alice", "alice-personal-kb").empty());
  std::string const service_log = daemon.process().errors();
  std::size_t handed = 0;
  for (auto at = service_log.find("\"handed_off\""); at != service_log.npos;
       at = service_log.find("\"handed_off\"", at + 1)) {
    ++handed;
  }
  CHECK_EQ(handed, 2 * std::size(rows));
}

// S1-12 S1-13 S1-14
TEST_CASE("the record says who asked and where; a private chat has no group") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  (void)client.ask("m1", "ou_bob", "oc_nlp", "组会什么时候开始？");
  Json direct = Client::message("m2", "ou_alice", "", "我们的组会什么时候开始？");
  direct["ChatType"] = "p2p";  // as Feishu calls it
  direct["GroupSubject"] = "oc_nlp";
  client.send(direct);
  (void)client.next("answer", "m2");
  CHECK_EQ(daemon.stop(), 0);
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  REQUIRE_EQ(records.size(), 2);
  CHECK_EQ(records[0].value("open_id", ""), "ou_bob");
  CHECK_EQ(records[0].value("chat_type", ""), "group");
  CHECK_EQ(records[0].value("chat_id", ""), "oc_nlp");
  CHECK_EQ(records[1].value("open_id", ""), "ou_alice");
  CHECK_EQ(records[1].value("chat_type", ""), "direct");
  CHECK_EQ(records[1].value("chat_id", "-"), "");
}

// S1-22 S1-23 S1-24
TEST_CASE("the words of a private question decide the scope of its log line") {
  struct Row {
    char const *question, *scope;
  };
  static constexpr Row rows[] = {
      {"我什么时候飞东京？", "personal"}, {"我的航班是哪天的？", "personal"},   {"我之前订的酒店在哪里？", "personal"},
      {"我们什么时候开组会？", "team"},   {"团队的检索平台叫什么？", "team"},   {"组会的地点在哪里？", "team"},
      {"成员李明负责什么？", "team"},     {"Atlas 项目什么时候上线？", "team"}, {"难负例是什么？", "both"},
      {"知识蒸馏的温度是多少？", "both"},
  };
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  for (Row const& row : rows) (void)client.ask(row.question, "ou_alice", "", row.question);
  CHECK_EQ(daemon.stop(), 0);
  std::string const own = log_of(w.alice), team = log_of(w.team);
  for (Row const& row : rows) {
    CAPTURE(row.question);
    std::string const scope = row.scope;
    std::string const line = "user=ou_alice scope=" + scope + " | " + row.question;
    CHECK_EQ(has(own, line), scope != "team");
    CHECK_EQ(has(team, line), scope != "personal");
    CHECK_EQ(has(own, row.question), scope != "team");
    CHECK_EQ(has(team, row.question), scope != "personal");
  }
}

// S1-16 S1-17 S1-63
TEST_CASE("who reads what follows users.json, teams.json and chat_bindings.json as they are edited") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  int n = 0;
  auto const says = [&](char const* sender, char const* chat, char const* question, char const* what) {
    return has(client.ask("m" + std::to_string(n++), sender, chat, question).value("text", ""), what);
  };
  char const* const flight = "我的航班是哪天的？";
  char const* const meeting = "组会什么时候开始？";

  REQUIRE(says("ou_alice", "", flight, "NH964"));  // S1-16: the personal knowledge base moves from Alice to Carol
  Json users = w.read_json("users.json");
  for (char const* key : {"personal_kb_owner", "personal_kb_repo"}) {
    users["ou_carol"][key] = users["ou_alice"][key];
    users["ou_alice"].erase(key);
  }
  w.write("users.json", users.dump(2));
  CHECK(eventually([&] { return says("ou_carol", "", flight, "NH964"); }));
  CHECK_FALSE(says("ou_alice", "", flight, "NH964"));

  REQUIRE(says("ou_bob", "", "我们的组会什么时候开始？", "每周一"));  // S1-63: Bob leaves the team
  Json teams = w.read_json("teams.json");
  teams["team_nlp"]["members"] = {"ou_alice"};
  w.write("teams.json", teams.dump(2));
  CHECK(eventually([&] { return !says("ou_bob", "", "我们的组会什么时候开始？", "每周一"); }));
  CHECK_FALSE(says("ou_bob", "", meeting, "每周一"));

  REQUIRE(says("ou_alice", "oc_nlp", meeting, "每周一"));  // S1-17: the group is bound to the other team
  Json bindings = w.read_json("chat_bindings.json");
  bindings["oc_nlp"]["team_id"] = "team_cv";
  bindings["oc_nlp"]["team_kb_owner"] = "cv";
  bindings["oc_nlp"]["team_kb_repo"] = "cv-team-kb";
  w.write("chat_bindings.json", bindings.dump(2));
  CHECK(eventually([&] { return says("ou_dave", "oc_nlp", "视觉团队的组会在什么时候？", "周四下午三点"); }));
  CHECK(says("ou_alice", "oc_nlp", meeting, "你不是本群绑定团队的成员"));
}

}  // namespace kb::test
