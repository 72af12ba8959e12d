#include "adapters/feishu/checkup.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "tests/feishu_sim/simulator.hpp"
#include "tests/support/loop.hpp"

using namespace kb;
using feishu::Finding;
using State = Finding::State;

namespace {

char const* const kConsole = "https://open.feishu.cn/app/cli_1";

Finding const* find(std::vector<Finding> const& findings, std::string const& what) {
  auto const at = std::find_if(findings.begin(), findings.end(), [&](Finding const& f) { return f.what == what; });
  return at == findings.end() ? nullptr : &*at;
}

/// What check_up finds at a platform of these options, with this secret.
std::vector<Finding> checked(feishu_sim::SimulatorOptions options, std::string const& secret) {
  test::Loop loop;
  feishu_sim::Simulator platform(loop.executor(), options);
  REQUIRE(platform.listen("127.0.0.1", 0).has_value());
  loop.spawn(platform.run());
  SystemClock const clock;
  aio::HttpClient http(loop.executor(), nullptr, aio::HttpClient::Limits());
  feishu::App app{platform.base(), options.app_id, secret};
  std::vector<Finding> found = loop.get(feishu::check_up(loop.executor(), http, app, clock));
  http.close_idle();
  platform.stop();
  CHECK(loop.finishes());
  return found;
}

}  // namespace

TEST_CASE("an app that works has no fault, and what cannot be asked is a note") {
  auto const findings = checked({}, "sim-app-secret");
  for (Finding const& f : findings) {
    CAPTURE(f.what);
    CAPTURE(f.detail);
    CHECK(f.state != State::fault);
  }
  for (std::string const what :
       {"long connection", "bot", "permission for private messages", "permission for its replies"}) {
    CAPTURE(what);
    REQUIRE(find(findings, what) != nullptr);
    CHECK(find(findings, what)->state == State::ok);
  }
  REQUIRE(find(findings, "events") != nullptr);
  CHECK(find(findings, "events")->fix.find("im.message.receive_v1") != std::string::npos);
}

TEST_CASE("a wrong secret is a fault that says where to look, without the secret") {
  auto const findings = checked({}, "not-the-secret");
  Finding const* const connection = find(findings, "long connection");
  REQUIRE(connection != nullptr);
  CHECK(connection->state == State::fault);
  CHECK(connection->fix.find("/baseinfo") != std::string::npos);
  Finding const* const bot = find(findings, "bot");
  REQUIRE(bot != nullptr);
  CHECK(bot->state == State::fault);
  CHECK(bot->detail.find("not-the-secret") == std::string::npos);
}

TEST_CASE("a missing permission is named with the page to click") {
  feishu_sim::SimulatorOptions options;
  options.scopes = {"im:message.p2p_msg", "im:message"};
  auto const findings = checked(options, "sim-app-secret");
  Finding const* const group = find(findings, "permission for group messages that mention the bot");
  REQUIRE(group != nullptr);
  CHECK(group->state == State::fault);
  CHECK(group->fix.find("/auth?q=im:message.group_at_msg:readonly") != std::string::npos);
  CHECK(find(findings, "permission for private messages")->state == State::ok);  // another name for it
}

TEST_CASE("permissions that cannot be listed are a note, whatever the platform says") {
  for (char const* const body :
       {"", "[]", "{}", R"({"code":99991672,"msg":"no scope"})", R"({"code":0,"data":{}})",
        R"({"code":0,"data":{"scopes":{}}})", R"({"code":0,"data":[1]})", R"({"code":1,"msg":7})"}) {
    CAPTURE(body);
    auto const findings = feishu::check_permissions(body, kConsole);
    REQUIRE_EQ(findings.size(), 1);
    CHECK(findings[0].state == State::note);
    CHECK(findings[0].fix.find(kConsole) != std::string::npos);
  }
  // Entries of another shape grant nothing.
  auto const odd =
      feishu::check_permissions(R"({"code":0,"data":{"scopes":[7,{},{"scope_name":3,"grant_status":1}]}})", kConsole);
  CHECK_EQ(std::count_if(odd.begin(), odd.end(), [](Finding const& f) { return f.state == State::fault; }), 3);
}
