/// The simulated platform, a client of it, and a clock that a test turns.
#pragma once

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "adapters/feishu/api.hpp"
#include "tests/feishu_sim/simulator.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/manual_clock.hpp"

namespace kb::test {

/// Rate limits are off on both sides: what they give is tested where time is a parameter.
struct PlatformBench {
  static feishu_sim::SimulatorOptions without_limits() {
    feishu_sim::SimulatorOptions options;
    options.rate_limits = false;
    options.seed = 1;
    return options;
  }

  explicit PlatformBench(std::string secret = "sim-app-secret")
      : sim(loop.executor(), without_limits()), http(loop.executor(), nullptr, aio::HttpClient::Limits()) {
    REQUIRE(sim.listen("127.0.0.1", 0).has_value());
    loop.spawn(sim.run());
    feishu::ApiOptions how;
    how.pace = {100'000, 1'000'000, 100'000};
    how.pause = [this](std::chrono::milliseconds time) { return clock.pass(loop.executor(), time); };
    feishu::App app{sim.base(), without_limits().app_id, std::move(secret)};
    api.emplace(loop.executor(), http, std::move(app), clock, std::move(how));
  }
  ~PlatformBench() {
    http.close_idle();
    sim.stop();
    CHECK(loop.finishes());
  }

  void act(std::string_view name, nlohmann::json const& how) {
    Result<std::string> const done = sim.act(name, how.dump());
    if (!done) FAIL(done.error().what);
  }
  /// A question in a chat, known to the platform; nobody is connected to hear of it.
  void ask(std::string const& message_id, std::string const& chat_id, std::string const& thread = {}) {
    nlohmann::json how{{"text", "?"}, {"message_id", message_id}, {"chat_id", chat_id}, {"chat_type", "group"}};
    if (!thread.empty()) how["thread_id"] = thread;
    act("say", how);
  }
  [[nodiscard]] nlohmann::json read(std::string_view name) const {
    Result<std::string> const all = sim.read(name);
    return all ? nlohmann::json::parse(*all) : nlohmann::json();
  }
  /// Those entries of a read whose member has this value.
  [[nodiscard]] std::vector<nlohmann::json> those(std::string_view name, char const* member,
                                                  std::string const& value) const {
    std::vector<nlohmann::json> out;
    for (auto const& one : read(name)) {
      if (one.at(member) == value) out.push_back(one);
    }
    return out;
  }
  [[nodiscard]] std::size_t calls(std::string const& kind) const { return those("requests", "kind", kind).size(); }

  Loop loop;
  ManualClock clock;
  feishu_sim::Simulator sim;
  aio::HttpClient http;
  std::optional<feishu::Api> api;
};

}  // namespace kb::test
