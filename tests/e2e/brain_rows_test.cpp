// brain_query as the skills that work in cycles call it.
#include <doctest/doctest.h>
#include <sstream>

#include "config/atomic_file.hpp"
#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

constexpr std::size_t kMost = 1 << 20;

std::filesystem::path logs_of(Workspace const& w) { return w.path() / "state" / "_logs"; }

/// Messages of the cycle's event log, in order.
std::vector<std::string> messages(Workspace const& w, std::string const& cycle) {
  std::vector<std::string> out;
  auto const text = config::read_file(logs_of(w) / cycle / "events.jsonl", kMost);
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line).value("message", ""));
  return out;
}

}  // namespace

TEST_CASE("a skill that looks up first has that in its cycle's event log before anything it does") {
  Workspace w;
  w.team.commit({{"brain/cycles/patterns.md", "# Patterns\n\n- [`small`](./themes/small.md) — small batches\n"},
                 {"brain/cycles/themes/small.md",
                  "---\ntitle: Small batches\ncategory: pattern\n---\n# Small batches\n\nReview small batches.\n"}});
  auto const look_up = [&](char const* role, char const* question) {
    return w.run(KB_PROGRAM,
                 {"brain_query", "--question", question, "--scope", "cycles", "--role", role, "--cycle_id", "cycle-7"});
  };
  using Messages = std::vector<std::string>;
  // The architect writes, the reviewer reviews: each asks unattended, and the answer is there only once it is logged.
  Finished const first = look_up("architect", "How are small batches reviewed?");
  CHECK_EQ(first.exit_code, 0);
  CHECK_EQ(messages(w, "cycle-7"), Messages{"brain-query.start", "brain-query.hit", "brain-query.end"});
  Finished const second = look_up("reviewer", "Who won the cup?");
  CHECK_EQ(second.exit_code, 0);
  CHECK_EQ(messages(w, "cycle-7"), Messages{"brain-query.start", "brain-query.hit", "brain-query.end",
                                            "brain-query.start", "brain-query.gap", "brain-query.end"});
  std::filesystem::remove_all(logs_of(w));
  REQUIRE(config::replace_file(logs_of(w), "a file stands where the logs go").has_value());
  Finished const unlogged = look_up("architect", "How are small batches reviewed?");
  CHECK_NE(unlogged.exit_code, 0);
  CHECK_EQ(unlogged.out.find("Review small batches."), std::string::npos);
}

}  // namespace kb::test
