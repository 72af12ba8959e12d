// Two worlds that differ only in what a caller may not see: every reply, error, record and log line is the same, byte
// for byte.
#include <doctest/doctest.h>
#include <set>

#include "tests/daemon/two_worlds.hpp"
#include "tests/support/captured_log.hpp"

namespace kb::test {
namespace {

constexpr int kCases = 20'000;

/// Whether a record of this repository may come of a call by anybody here.
bool is_visible(RepoId const& repo) {
  return repo == kTeamRepo || repo == kAliceRepo || repo == kDocsRepo || repo == kBrainRepo || repo == kCoachRepo;
}

}  // namespace

TEST_CASE("what a caller may not see changes no byte of any reply, error or record") {
  SampleWorld const a(Kind::a, 1);
  SampleWorld const b(Kind::b, 2);
  Random random(7);
  std::map<std::string, int> replies, good, chunks;
  int answered = 0;
  CapturedLog log;
  for (int i = 0; i < kCases; ++i) {
    daemon::ToolCall const call = a_call(random, *a.world().books);
    daemon::ToolReply const one = a.reply_to(call);
    daemon::ToolReply const two = b.reply_to(call);
    std::string const told_a = a.told(one);
    std::string const told_b = b.told(two);
    if (told_a != told_b) {
      CAPTURE(call.name);
      CAPTURE(call.arguments);
      CAPTURE(call.caller.sender.str());
      REQUIRE_EQ(told_a, told_b);
    }
    for (char const* path : {"plans/one.md", "plans/batches.md"}) {
      if (one.ok && one.json.find(path) != std::string::npos) ++chunks[path];
    }
    ++replies[one.ok ? "ok" : one.code];
    if (one.ok) ++good[call.name];
    answered += one.outcome == "answered" ? 1 : 0;
    for (logging::QueryRecord const& record : one.records) REQUIRE(is_visible(record.repo));
  }
  CHECK_EQ(log.news(), "");  // a tool writes no line of the service log; worlds_log_test has those of questions
  // The cases are not all of one kind.
  for (char const* path : {"plans/one.md", "plans/batches.md"}) {  // a peer's own, and everybody's beside the hidden
    CAPTURE(path);
    CHECK_GT(chunks[path], 10);
  }
  CHECK_GT(answered, 100);
  for (char const* kind : {"ok", "knowledge_base_not_found", "page_not_found", "chat_not_bound", "user_not_registered",
                           "bad_request", "unknown_tool", "not_on_this_channel"}) {
    CAPTURE(std::string(kind));
    CHECK_GT(replies[kind], 20);
  }
  for (char const* tool : {"kb_ask", "kb_search", "kb_read", "kb_list", "kb_query", "brain_query", "kb_validate",
                           "scope", "log", "gaps", "repos", "bindings", "kb_chunks", "crystal_recall",
                           "crystal_list_knowledge_bases", "crystal_search_messages"}) {
    CAPTURE(std::string(tool));
    CHECK_GT(good[tool], 20);
  }
}

TEST_CASE("the same test sees a difference that the caller may see") {
  SampleWorld const a(Kind::a, 1);
  SampleWorld const b(Kind::b, 2);
  std::set<std::string> differ;
  daemon::ToolCall call;
  call.caller.sender = UserId("ou_bob");
  call.query_id = "01TESTQUERY";
  for (auto const& [name, arguments] :
       std::map<std::string, std::string>{{"kb_ask", R"({"question":"我的预算是多少？","scope":"personal"})"},
                                          {"kb_list", R"({"owner":"bob"})"},
                                          {"kb_search", R"({"query":"latency"})"},
                                          {"log", "{}"},
                                          {"repos", "{}"}}) {
    call.name = name;
    call.arguments = arguments;
    if (a.told(a.reply_to(call)) != b.told(b.reply_to(call))) differ.insert(name);
  }
  CHECK_EQ(differ, std::set<std::string>{"kb_ask", "kb_list", "kb_search", "log", "repos"});
}

}  // namespace kb::test
