/// Answers a second over the bridge with every record durable, and the time of one answer as its asker sees it.
/// answers_bench PROGRAM [connections] [questions a connection]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "adapters/aio/http.hpp"
#include "tests/support/workspace.hpp"

namespace {

using namespace kb;
using Steady = std::chrono::steady_clock;

/// One peer: asks, waits for the answer, asks the next.
aio::Task<> ask_in_turn(aio::Executor ex, std::string url, int number, int questions,
                        std::vector<double>& milliseconds) {
  aio::ServerLimits const limits;
  Result<std::unique_ptr<aio::Link>> link = co_await aio::connect_ws(ex, std::move(url), std::string(), limits);
  if (!link) co_return;
  for (int i = 0; i < questions; ++i) {
    std::string const id = std::to_string(number) + "-" + std::to_string(i);
    std::string frame =
        test::Client::message(id, "ou_" + std::to_string(number), "", "我们的组会什么时候开始？").dump();
    auto const start = Steady::now();
    Result<void> const sent = co_await (*link)->write(std::move(frame));
    if (!sent) co_return;
    for (bool answered = false; !answered;) {
      Result<std::string> const got = co_await (*link)->read();
      if (!got) co_return;
      answered = got->find("\"type\":\"answer\"") != std::string::npos;
    }
    milliseconds.push_back(std::chrono::duration<double, std::milli>(Steady::now() - start).count());
  }
  (*link)->abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: answers_bench PROGRAM [connections] [questions a connection]\n");
    return 2;
  }
  int const connections = argc > 2 ? std::atoi(argv[2]) : 64;
  int const questions = argc > 3 ? std::atoi(argv[3]) : 100;
  kb::test::Workspace workspace;
  // One person a connection: each private chat has an order of its own.
  kb::test::Json users = workspace.read_json("users.json");
  kb::test::Json teams = workspace.read_json("teams.json");
  for (int c = 0; c < connections; ++c) {
    std::string const id = "ou_" + std::to_string(c);
    users[id] = {{"name", id}, {"team_id", "team_nlp"}, {"role", "member"}};
    teams["team_nlp"]["members"].push_back(id);
  }
  workspace.write("users.json", users.dump());
  workspace.write("teams.json", teams.dump());
  kb::test::Daemon daemon(argv[1], workspace);
  kb::test::Loop loop;
  std::vector<double> milliseconds;
  auto const start = Steady::now();
  for (int c = 0; c < connections; ++c)
    loop.spawn(ask_in_turn(loop.executor(), daemon.url(), c, questions, milliseconds));
  if (!loop.finishes(std::chrono::seconds(300))) return 1;
  double const seconds = std::chrono::duration<double>(Steady::now() - start).count();
  if (milliseconds.empty()) return 1;
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%d connections, %zu answers in %.2f s: %.0f answers/s, each p50 %.1f ms, p99 %.1f ms\n", connections,
              milliseconds.size(), seconds, static_cast<double>(milliseconds.size()) / seconds,
              milliseconds[milliseconds.size() / 2], milliseconds[milliseconds.size() * 99 / 100]);
  return milliseconds.size() == static_cast<std::size_t>(connections) * static_cast<std::size_t>(questions) ? 0 : 1;
}
