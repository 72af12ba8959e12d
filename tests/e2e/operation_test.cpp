// The daemon as a service: health, reload, one broken repository among good ones.
#include <doctest/doctest.h>
#include <sstream>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

char const* const kQuestion = "组会什么时候开始？";

Json ready(Daemon const& daemon) { return Json::parse(http_get(daemon.port(), "/readyz").body); }

}  // namespace

TEST_CASE("health, version and the page are served on the bridge's port") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  CHECK_EQ(http_get(daemon.port(), "/livez").status, 200);
  CHECK_EQ(http_get(daemon.port(), "/readyz").status, 200);
  CHECK(Json::parse(http_get(daemon.port(), "/version").body).contains("commit"));
  HttpReply const page = http_get(daemon.port(), "/");
  CHECK_EQ(page.status, 200);
  CHECK(page.body.find("<title>kbgate</title>") != std::string::npos);
  HttpReply const absent = http_get(daemon.port(), "/nope");
  CHECK_EQ(absent.status, 404);
  CHECK_EQ(Json::parse(absent.body).value("status", 0), 404);
}

TEST_CASE("an edit is in force without a restart; a broken one keeps the last good and shows in readyz") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  CHECK_EQ(client.ask("m1", "ou_carol", "oc_nlp", kQuestion).value("outcome", ""), "scope_refused");
  Json teams = w.read_json("teams.json");
  teams["team_nlp"]["members"].push_back("ou_carol");
  w.write("teams.json", teams.dump(2));
  int n = 0;
  auto const carol = [&] {
    return client.ask("c" + std::to_string(n++), "ou_carol", "oc_nlp", kQuestion).value("outcome", "");
  };
  CHECK(eventually([&] { return carol() == "answered"; }));

  w.write("teams.json", "{ \"team_nlp\": ");
  CHECK(eventually([&] { return ready(daemon).value("status", "") == "degraded"; }));
  CHECK(ready(daemon).dump().find("teams.json") != std::string::npos);
  CHECK_EQ(carol(), "answered");
  w.write("teams.json", teams.dump(2));
  CHECK(eventually([&] { return ready(daemon).value("status", "") == "ok"; }));
}

TEST_CASE("SIGHUP reads the files again") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  w.write("users.json", "{");
  daemon.process().signal(1);
  CHECK(eventually([&] { return ready(daemon).value("status", "") == "degraded"; }));
  CHECK(daemon.process().running());
}

TEST_CASE("a repository that is not there costs its own answers only") {
  Workspace w;
  w.configure([](Json& config) { config["repos"][1]["git"] = "/nowhere/cv.git"; });
  Daemon daemon(KB_PROGRAM, w);
  Json const state = ready(daemon);
  CHECK_EQ(state.value("ready", false), true);
  CHECK_EQ(state.value("status", ""), "degraded");
  Client client(daemon);
  CHECK_EQ(client.ask("m1", "ou_bob", "oc_nlp", kQuestion).value("outcome", ""), "answered");
  Json const dave = client.ask("m2", "ou_dave", "", "视觉团队的组会在什么时候？");
  CHECK_EQ(dave.value("type", ""), "answer");
  CHECK_NE(dave.value("outcome", ""), "answered");
}

TEST_CASE("the service log is one JSON object a line and never holds the question") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  (void)client.ask("m1", "ou_bob", "oc_nlp", "组会什么时候开始？独特的词");
  CHECK_EQ(daemon.stop(), 0);
  std::istringstream lines(daemon.process().errors());
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    Json const event = Json::parse(line, nullptr, false);
    REQUIRE_FALSE(event.is_discarded());
    CHECK(event.contains("event"));
    CHECK(line.find("独特的词") == std::string::npos);
    ++count;
  }
  CHECK(count > 2);
}

TEST_CASE("a second daemon on the same port says so and exits") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Workspace other;
  other.configure([&](Json& config) { config["listen"]["port"] = daemon.port(); });
  Finished const second = run_program(KB_PROGRAM, {"serve", "--config", other.config()});
  CHECK_EQ(second.exit_code, 69);
  CHECK(second.out.find(std::to_string(daemon.port())) != std::string::npos);
}

}  // namespace kb::test
