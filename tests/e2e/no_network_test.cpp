// Look-ups under a filter of the kernel that ends a process when it opens a socket of any kind.
#include <cstddef>
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

constexpr int kEndedByFilter = 128 + 31;  // SIGSYS

/// For this thread and the processes it starts.
bool forbid_sockets() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(rules)), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

Finished run_cut_off(Workspace const& w, std::vector<std::string> const& args) {
  Finished done;
  bool filtered = false;
  std::thread([&] {
    filtered = forbid_sockets();
    if (filtered) done = w.run(KB_PROGRAM, args);
  }).join();
  REQUIRE(filtered);
  return done;
}

}  // namespace

TEST_CASE("no search, look-up or question opens a socket") {
  Workspace w;
  w.team.commit({{"security/keys.md", "# Keys\n\n## Procedure\n\nRotate API keys every 90 days.\n"},
                 {"brain/cycles/patterns.md", "# Patterns\n\n- [`small`](./themes/small.md) — small batches\n"},
                 {"brain/cycles/themes/small.md",
                  "---\ntitle: Small batches\ncategory: pattern\n---\n# Small batches\n\nReview small batches.\n"},
                 {"projects/shop/README.md", "# shop\n\nSells maps.\n"}});
  struct Row {
    std::vector<std::string> args;
    char const* found;
    int exit_code = 0;
  };
  Row const rows[] = {
      {{"kb_search", "--query", "rotate API keys"}, "Rotate API keys every 90 days."},
      {{"kb_search", "--query", "rotate API keys", "--scan"}, "Rotate API keys every 90 days."},
      {{"brain_query", "--question", "How are small batches reviewed?", "--scope", "cycles"}, "Review small batches."},
      {{"brain_query", "--question", "Who won the cup?", "--scope", "cycles"}, "\"gap\":true"},
      {{"kb_query", "--project_name", "shop", "--query_type", "overview"}, "Sells maps."},
      {{"ask", "--sender_id", "ou_alice", "--chat_type", "group", "--chat_id", "oc_nlp", "--question",
        "How often are API keys rotated?"},
       "90 days"},
      {{"ask", "--sender_id", "ou_alice", "--chat_type", "group", "--chat_id", "oc_nlp", "--question",
        "法国的首都是哪里？"},
       "来源：无",
       3},
  };
  for (Row const& row : rows) {
    CAPTURE(row.args[0]);
    Finished const done = run_cut_off(w, row.args);
    CAPTURE(done.err);
    CHECK_EQ(done.exit_code, row.exit_code);
    CHECK(done.out.find(row.found) != std::string::npos);
  }
}

TEST_CASE("a model in the settings is asked about questions, never by a look-up in the brains") {
  Workspace w;
  w.team.commit({{"brain/cycles/patterns.md", "# Patterns\n\n- [`small`](./themes/small.md) — small batches\n"},
                 {"brain/cycles/themes/small.md",
                  "---\ntitle: Small batches\ncategory: pattern\n---\n# Small batches\n\nReview small batches.\n"}});
  w.configure([](Json& config) {
    config["answer"]["drafter"] = "model";
    config["answer"]["model"] = {{"base_url", "http://127.0.0.1:1/v1"}, {"name", "fast"}};
  });
  Finished const brain =
      run_cut_off(w, {"brain_query", "--question", "How are small batches reviewed?", "--scope", "cycles"});
  CAPTURE(brain.err);
  CHECK_EQ(brain.exit_code, 0);
  CHECK(brain.out.find("Review small batches.") != std::string::npos);
  CHECK_EQ(run_cut_off(w, {"ask", "--sender_id", "ou_alice", "--chat_type", "group", "--chat_id", "oc_nlp",
                           "--question", "How are small batches reviewed?"})
               .exit_code,
           kEndedByFilter);
}

TEST_CASE("the filter ends what does open one") {
  Workspace w;
  CHECK_EQ(run_cut_off(w, {"chat", "--url", "ws://127.0.0.1:1/ws", "--sender_id", "ou_alice", "--chat_type", "direct"})
               .exit_code,
           kEndedByFilter);
}

}  // namespace kb::test
