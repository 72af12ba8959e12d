// The command line as a script sees it: JSON on stdout and the exit codes of INTERFACES §2.
#include <algorithm>
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

Json parsed(Finished const& finished) {
  CAPTURE(finished.err);
  Json json = Json::parse(finished.out, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  return json;
}

std::vector<std::string> asking(std::string verb, std::string sender, std::string chat, std::string question) {
  std::string type = chat.empty() ? "direct" : "group";
  return {std::move(verb), "--sender_id",   std::move(sender), "--chat_type",      std::move(type),
          "--chat_id",     std::move(chat), "--question",      std::move(question)};
}

}  // namespace

TEST_CASE("ask prints the answer object, exits by outcome and logs the query") {
  Workspace w;
  Finished const answered = w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_nlp", "组会什么时候开始？"));
  CHECK_EQ(answered.exit_code, 0);
  Json const answer = parsed(answered);
  for (char const* key : {"success", "outcome", "query_id", "question", "lang", "answer", "confidence", "scope",
                          "intent", "sources", "consulted", "stale_files", "warnings", "gap", "took_us"}) {
    CAPTURE(key);
    CHECK(answer.contains(key));
  }
  CHECK_EQ(answer.value("outcome", ""), "answered");
  Json const& source = answer["sources"][0];
  std::string const page = *w.team.file(source.value("path", ""));
  CHECK(page.find(source.value("quote", "")) != std::string::npos);
  CHECK_EQ(source.value("commit", ""), w.team.head());
  CHECK_EQ(source.value("author", ""), "Test Author");

  CHECK_EQ(w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_nlp", "法国的首都是哪里？")).exit_code, 3);
  CHECK_EQ(w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_new", "组会什么时候开始？")).exit_code, 4);
  CHECK_EQ(w.run(KB_PROGRAM, asking("ask", "ou_bob", "oc_nlp", "")).exit_code, 2);
  CHECK_EQ(w.records(KB_PROGRAM, "nlp", "nlp-team-kb").size(), 2);
}

TEST_CASE("ask --at answers from the pages as they were at a commit") {
  Workspace w;
  std::string const before = w.team.head();
  w.team.commit({{"summaries/meetings/2026-11-02-组会.md", "# 2026-11-02 组会\n\n组会改到每周四下午 3 点开始。\n"}});
  std::vector<std::string> now = asking("ask", "ou_bob", "oc_nlp", "组会什么时候开始？");
  CHECK(parsed(w.run(KB_PROGRAM, now)).value("answer", "").find("周四") != std::string::npos);
  now.insert(now.end(), {"--at", before});
  Json const then = parsed(w.run(KB_PROGRAM, now));
  CHECK(then.value("answer", "").find("每周一") != std::string::npos);
  CHECK_EQ(then["sources"][0].value("commit", ""), before);
}

TEST_CASE("resolve_scope and chat_context print their objects, with dashes or underscores") {  // S1-15 S1-56 S1-57
  Workspace w;
  Json const scope = parsed(w.run(KB_PROGRAM, asking("resolve-scope", "ou_alice", "", "我的笔记")));
  CHECK_EQ(scope.value("scope", ""), "personal");
  CHECK_EQ(scope["personal_kb"], Json({{"owner", "alice"}, {"repo", "alice-personal-kb"}}));
  CHECK(scope["team_kb"].is_null());
  CHECK(scope["binding"].is_null());
  Finished const denied = w.run(KB_PROGRAM, asking("resolve_scope", "ou_alice", "oc_nlp", "我的笔记"));
  CHECK_EQ(denied.exit_code, 4);
  CHECK_EQ(parsed(denied), Json({{"success", false},
                                 {"error", "personal_scope_not_allowed_in_group"},
                                 {"message", "群聊中不能查询个人知识库。请私聊我查询个人资料。"}}));
  std::vector<std::string> forced = asking("resolve_scope", "ou_bob", "oc_nlp", "组会");  // N-15
  forced.insert(forced.end(), {"--scope", "both"});
  CHECK_EQ(w.run(KB_PROGRAM, forced).exit_code, 4);
  Finished const open_id =
      w.run(KB_PROGRAM, {"resolve_scope", "--open-id", "ou_bob", "--chat-type", "p2p", "--question", "组会"});
  CHECK_EQ(parsed(open_id).value("chat_type", ""), "direct");
  Json const context = parsed(
      w.run(KB_PROGRAM, {"chat_context", "--sender_id", "ou_bob", "--chat_type", "group", "--chat_id", "oc_nlp"}));
  CHECK_EQ(context["binding"].value("team_id", ""), "team_nlp");
  CHECK_EQ(context["user"].value("name", ""), "Bob");
}

TEST_CASE("kb_list lists the tree where there is no catalogue, and the catalogue where there is one") {  // S1-27 S1-58
                                                                                                         // N-19 N-21
  Workspace w;
  Json const tree = parsed(w.run(KB_PROGRAM, {"kb_list", "--owner", "nlp", "--repo", "nlp-team-kb", "--kind", "all"}));
  CHECK_EQ(tree["people"].size(), 1);
  CHECK_EQ(tree["concepts"][0].value("file", ""), "concepts/难负例.md");
  w.team.commit({{"catalog.json", R"({"concepts":[{"name":"难负例","file":"concepts/难负例.md","brief":"x"}]})"}});
  Json const catalogue =
      parsed(w.run(KB_PROGRAM, {"kb_list", "--owner", "nlp", "--repo", "nlp-team-kb", "--kind", "concepts"}));
  CHECK_EQ(catalogue["concepts"][0].value("brief", ""), "x");
  CHECK(catalogue["people"].empty());
  CHECK_EQ(catalogue.value("base_url", ""), "https://git.example/nlp/nlp-team-kb/src/commit/" + w.team.head() + "/");
  w.team.commit({{"catalog.json", "{broken"}});
  CHECK_EQ(parsed(w.run(KB_PROGRAM, {"kb_list", "--owner", "nlp", "--repo", "nlp-team-kb"}))["people"].size(), 1);
  CHECK_EQ(w.run(KB_PROGRAM, {"kb_list", "--owner", "nlp", "--repo", "nlp-team-kb", "--kind", "things"}).exit_code, 2);
  CHECK_EQ(w.run(KB_PROGRAM, {"kb_list", "--owner", "nlp", "--repo", "nope"}).exit_code, 1);
}

TEST_CASE("kb_read trims slashes, adds .md and says which page does not exist") {  // S1-32 S1-37 S1-59 N-20
  Workspace w;
  Json const page =
      parsed(w.run(KB_PROGRAM, {"kb_read", "--owner", "nlp", "--repo", "nlp-team-kb", "--path", "/people/李明/"}));
  CHECK_EQ(page.value("path", ""), "people/李明.md");
  CHECK_EQ(page.value("title", ""), "李明");
  CHECK_EQ(page.value("page_url", ""),
           "https://git.example/nlp/nlp-team-kb/src/commit/" + w.team.head() + "/people/%E6%9D%8E%E6%98%8E.md");
  Finished const absent =
      w.run(KB_PROGRAM, {"kb_read", "--owner", "nlp", "--repo", "nlp-team-kb", "--path", "people/nobody"});
  CHECK_EQ(absent.exit_code, 1);
  CHECK_EQ(parsed(absent),
           Json({{"success", false}, {"error", "page_not_found"}, {"message", "页面不存在：people/nobody.md"}}));
}

TEST_CASE("validate_answer checks text, files and pages, and exits 5 when it does not hold") {  // S1-42 S1-49 S1-60
  Workspace w;
  TempDir files;
  std::string const good =
      files.write("good.md", "组会每周一上午 10 点半开始。\n\n来源：\n1. 《组会》（团队知识库）https://h/组会.md\n")
          .string();
  std::string const allowed = files.write("allowed.json", R"(["https://h/组会.md"])").string();
  std::string const pages =
      files.write("pages.json", R"([{"title":"组会","url":"https://h/组会.md","text":"组会每周一上午 10 点半开始。"}])")
          .string();
  auto const run = [](std::vector<std::string> args) { return run_program(KB_PROGRAM, args); };
  CHECK_EQ(run({"validate_answer", "--answer_file", good, "--allowed_sources_file", allowed}).exit_code, 0);
  CHECK_EQ(run({"validate_answer", "--answer_file", good, "--allowed_sources", "《组会》;组会"}).exit_code, 0);
  Finished const foreign = run({"validate_answer", "--answer_file", good, "--allowed_sources", "a"});
  CHECK_EQ(foreign.exit_code, 5);
  CHECK_EQ(parsed(foreign)["errors"][0].value("code", ""), "source_not_in_allowed_hits");
  CHECK_EQ(run({"validate_answer", "--answer_file", good, "--pages_file", pages}).exit_code, 0);
  std::string const wrong =
      files.write("wrong.md", "组会每周二上午 10 点半开始。\n\n来源：\n1. 《组会》（团队知识库）https://h/组会.md\n")
          .string();
  CHECK_EQ(run({"validate_answer", "--answer_file", wrong, "--pages_file", pages}).exit_code, 5);
  CHECK_EQ(run({"validate_answer", "--answer", "没有来源的回答"}).exit_code, 5);
  CHECK_EQ(run({"validate_answer", "--answer_file", files.path().string() + "/absent.md"}).exit_code, 1);
}

TEST_CASE("log_query writes one line and one record; log reads and verifies them") {  // S1-53 S1-61 N-23
  Workspace w;
  Json const logged =
      parsed(w.run(KB_PROGRAM, {"log_query", "--owner", "nlp", "--repo", "nlp-team-kb", "--open_id", "ou_bob",
                                "--question", "一行\n两行 | 竖线", "--scope", "team", "--hits", "a.md, b.md"}));
  CHECK_EQ(logged.value("success", false), true);
  CHECK_EQ(logged.value("commit", ""), w.team.head("refs/heads/kbgate/query-log"));
  std::string const log = w.team.file("log.md", "refs/heads/kbgate/query-log").value_or("");
  CHECK(log.starts_with("# Log\n"));
  CHECK(log.find("user=ou_bob scope=team | ") != log.npos);
  CHECK(log.find(" | hits=a.md, b.md") != log.npos);
  CHECK_EQ(std::count(log.begin(), log.end(), '\n'), 3);
  std::vector<Json> const records = w.records(KB_PROGRAM, "nlp", "nlp-team-kb");
  REQUIRE_EQ(records.size(), 1);
  CHECK_EQ(records[0].value("record_id", ""), logged.value("record_id", "-"));
  CHECK_EQ(records[0].value("question", ""), "一行\n两行 | 竖线");
  CHECK_EQ(w.run(KB_PROGRAM, {"log", "verify", "--owner", "nlp", "--repo", "nlp-team-kb"}).exit_code, 0);
  CHECK_EQ(w.run(KB_PROGRAM, {"log", "tail", "--owner", "nlp", "--repo", "nlp-team-kb", "--since", "2099-01-01"}).out,
           "");
}

TEST_CASE("index and sync report each repository") {
  Workspace w;
  Json const stats = parsed(w.run(KB_PROGRAM, {"index", "stats", "--owner", "nlp"}));
  CHECK_EQ(stats["repos"][0].value("pages", 0), 5);
  CHECK_EQ(stats["repos"][0].value("commit", ""), w.team.head());
  Json const again = parsed(w.run(KB_PROGRAM, {"index", "stats", "--owner", "nlp"}));
  CHECK_EQ(again["repos"][0].value("analysed", -1), 0);  // it was stored
  Json const rebuilt = parsed(w.run(KB_PROGRAM, {"index", "rebuild", "--owner", "nlp"}));
  CHECK(rebuilt["repos"][0].value("analysed", 0) >= 5);
  w.team.commit({{"new.md", "# New\n\ntext\n"}});
  Json const synced = parsed(w.run(KB_PROGRAM, {"sync", "--owner", "nlp"}));
  CHECK_EQ(synced["repos"][0].value("new_commit", ""), w.team.head());
  CHECK_EQ(synced["repos"][0].value("pages_changed", 0), 1);
}

TEST_CASE("sync fetches from a remote and says when it cannot") {
  Workspace w;
  TempRepo upstream;
  upstream.commit({{"a.md", "# A\n\nfirst\n"}});
  std::string const clone = (w.path() / "clone.git").string();
  w.configure([&](Json& config) {
    config["repos"][0]["git"] = clone;
    config["repos"][0]["remote"] = "file://" + upstream.path().string();
  });
  Json const cloned = parsed(w.run(KB_PROGRAM, {"sync", "--owner", "nlp"}));
  CHECK_EQ(cloned["repos"][0].value("new_commit", ""), upstream.head());
  upstream.commit({{"b.md", "# B\n\nsecond\n"}});
  Json const fetched = parsed(w.run(KB_PROGRAM, {"sync", "--owner", "nlp"}));
  CHECK_EQ(fetched["repos"][0].value("new_commit", ""), upstream.head());
  CHECK_EQ(fetched["repos"][0].value("old_commit", ""), cloned["repos"][0].value("new_commit", "-"));
  w.configure([&](Json& config) { config["repos"][0]["remote"] = "file:///nowhere/at/all.git"; });
  Finished const gone = w.run(KB_PROGRAM, {"sync", "--owner", "nlp"});
  CHECK_EQ(gone.exit_code, 69);
  CHECK(gone.out.find("nlp-team-kb") != std::string::npos);
}

TEST_CASE("check_config names every fault with file, line and hint, and exits 78") {
  Workspace w;
  CHECK_EQ(w.run(KB_PROGRAM, {"check_config"}).exit_code, 0);
  w.write("users.json", "{\n  \"ou_alice\": {\n    \"tema_id\": \"x\",\n    \"team_id\": 7\n  }\n}\n");
  w.configure([](Json& config) { config["limit"] = Json::object(); });
  Finished const bad = w.run(KB_PROGRAM, {"check_config"});
  CHECK_EQ(bad.exit_code, 78);
  Json const report = parsed(bad);
  CHECK_EQ(report.value("success", true), false);
  REQUIRE_FALSE(report["errors"].empty());
  CHECK(report["errors"].dump().find("limits") != std::string::npos);  // the nearest known key
  CHECK(report["errors"][0].value("line", 0) > 0);
  CHECK_EQ(run_program(KB_PROGRAM, {"serve", "--config", w.config()}).exit_code, 78);
  CHECK_EQ(run_program(KB_PROGRAM, {"check_config", "--config", "/nowhere"}).exit_code, 78);
}

TEST_CASE("usage faults exit 2, help and version exit 0") {
  CHECK_EQ(run_program(KB_PROGRAM, {}).exit_code, 2);
  CHECK_EQ(run_program(KB_PROGRAM, {"frobnicate"}).exit_code, 2);
  CHECK_EQ(run_program(KB_PROGRAM, {"ask", "--no_such_option"}).exit_code, 2);
  CHECK_EQ(run_program(KB_PROGRAM, {"--help"}).exit_code, 0);
  Json const version = parsed(run_program(KB_PROGRAM, {"version"}));
  for (char const* key : {"version", "commit", "build"}) CHECK(version.contains(key));
  for (char const* verb :
       {"serve", "ask", "resolve_scope", "chat_context", "kb_list", "kb_read", "validate_answer", "log_query", "bind",
        "unbind", "bindings", "log", "index", "sync", "check_config", "chat", "version", "eval"}) {
    CAPTURE(verb);
    Finished const help = run_program(KB_PROGRAM, {verb, "--help"});
    CHECK_EQ(help.exit_code, 0);
    CHECK(help.out.find("--config") != std::string::npos);
  }
}

}  // namespace kb::test
