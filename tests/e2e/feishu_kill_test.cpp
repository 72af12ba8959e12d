// Feishu under kill -9: every question one reply and one record, whenever the program dies.
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <set>

#include "tests/e2e/feishu_tenant.hpp"

namespace kb::test {
namespace {

constexpr int kGroups = 20;
constexpr std::size_t kPerLife = 5;

std::string group(int n) { return "oc_kill_" + std::to_string(n); }

/// A platform that is in no mood to wait, and groups enough that nobody's rate limit is what is tested.
feishu_sim::SimulatorOptions impatient() {
  feishu_sim::SimulatorOptions options = Tenant::quiet();
  options.ack_timeout = 500ms;
  options.redeliver.assign(400, 300ms);
  options.rate_limits = false;
  return options;
}

std::size_t number_from(char const* variable, std::size_t fallback) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? fallback : static_cast<std::size_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

TEST_CASE("Feishu: killed at 200 moments of 1,000 questions, each has one reply and one record") {
  Tenant t(impatient());
  t.w.configure([](Json& config) { config["limits"]["questions_per_user_per_minute"] = 0; });
  Json bindings = t.w.read_json("chat_bindings.json");
  for (int n = 0; n < kGroups; ++n) bindings[group(n)] = bindings["oc_nlp"];
  for (int n = 0; n < kGroups; ++n) bindings[group(n)]["chat_id"] = group(n);
  t.w.write("chat_bindings.json", bindings.dump());

  auto const before = std::chrono::steady_clock::now();
  t.start();
  auto const start_takes =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  // Sanitizers start slowly; a fifth of the deaths shows the same there.
  std::size_t const deaths = number_from("KB_DEATHS", start_takes > 700ms ? 40 : 200);
  std::mt19937 random(20261130);  // NOLINT: the same moments each time
  std::uniform_int_distribution<long> moment(0, 2 * start_takes.count() + 50);
  std::set<std::string> asked;
  for (std::size_t death = 0; death < deaths; ++death) {
    if (!t.daemon) t.daemon = std::make_unique<Daemon>(KB_PROGRAM, t.w);
    auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(moment(random));
    for (std::size_t i = 0; i < kPerLife; ++i) {
      std::string const text = "组会什么时候开始？（第 " + std::to_string(asked.size()) + " 次问）";
      asked.insert(t.say("ou_bob", group(static_cast<int>(asked.size() % kGroups)), text));
      auto const next = std::chrono::steady_clock::now() + 5ms;
      (void)t.comes([&] { return std::chrono::steady_clock::now() >= std::min(next, end); });
    }
    (void)t.comes([&] { return std::chrono::steady_clock::now() >= end; });
    t.kill();
  }
  t.daemon = std::make_unique<Daemon>(KB_PROGRAM, t.w);
  auto const all_in = t.comes([&] { return t.platform.count("messages") >= asked.size(); }, 60s);
  CHECK(all_in);
  // Nothing more may come: every event is settled, and the daemon ends with nothing on its way.
  CHECK(t.comes([&] { return t.platform.count("settled") == asked.size(); }, 60s));
  CHECK_EQ(t.stop(), 0);

  std::map<std::string, int> replies;
  for (Json const& message : t.read("messages")) ++replies[message.value("parent_id", "")];
  std::size_t lost = 0, doubled = 0;
  for (std::string const& id : asked) {
    lost += replies[id] == 0 ? 1 : 0;
    doubled += replies[id] > 1 ? 1 : 0;
  }
  CHECK_EQ(lost, 0);
  CHECK_EQ(doubled, 0);
  CHECK_EQ(t.platform.count("messages"), asked.size());
  CHECK_EQ(t.platform.count("violations"), 0);

  std::map<std::string, int> records;
  for (Json const& record : t.w.records(KB_PROGRAM, "nlp", "nlp-team-kb")) ++records[record.value("question", "")];
  CHECK_EQ(records.size(), asked.size());
  auto const once = [](auto const& entry) { return entry.second == 1; };
  CHECK(std::all_of(records.begin(), records.end(), once));
  CHECK_EQ(t.w.run(KB_PROGRAM, {"log", "verify", "--owner", "nlp", "--repo", "nlp-team-kb"}).exit_code, 0);
}

}  // namespace kb::test
