/// A tenant with one app, played by the simulator, and the daemon that is that app's bot.
#pragma once

#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>

#include "tests/feishu_sim/simulator.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/workspace.hpp"

namespace kb::test {

using namespace std::chrono_literals;

/// People and groups are the workspace's (ou_bob in oc_nlp, …), put into the sample events.
class Tenant {
  feishu_sim::SimulatorOptions options_;

 public:
  explicit Tenant(feishu_sim::SimulatorOptions options = quiet()) : options_(std::move(options)) { open(); }
  ~Tenant() {
    daemon.reset();
    platform.stop();
    (void)loop.finishes();
  }

  static feishu_sim::SimulatorOptions quiet() {
    feishu_sim::SimulatorOptions options;
    options.events_dir = KB_SOURCE_DIR "/tests/feishu/events";
    options.seed = 7;
    options.reconnect_nonce = 0;
    options.reconnect_interval = 1;
    return options;
  }

  /// The daemon, once the platform sees its connections.
  void start(std::size_t connections = 1, std::map<std::string, std::string> const& env = {}) {
    daemon = std::make_unique<Daemon>(KB_PROGRAM, w, env);
    REQUIRE(comes([&] { return platform.count("live") == connections; }));
  }
  void kill() {
    daemon->kill();
    daemon.reset();
  }
  /// SIGTERM while the platform goes on answering; its exit code.
  int stop() {
    daemon->process().signal(15);
    (void)loop.until([&] { return !daemon->process().running(); }, 20s);
    int const code = daemon->process().wait();
    errors = daemon->process().errors();
    daemon.reset();
    return code;
  }

  Json act(std::string const& name, Json const& how = Json::object()) {
    Result<std::string> const done = platform.act(name, how.dump());
    REQUIRE_MESSAGE(done.has_value(), (done ? std::string() : done.error().what));
    return Json::parse(*done, nullptr, false);
  }
  [[nodiscard]] Json read(std::string const& name) const {
    Result<std::string> const text = platform.read(name);
    REQUIRE(text.has_value());
    return Json::parse(*text);
  }
  /// Looks every 10 ms: looking costs the platform, which lives on the same loop, what it has to count.
  [[nodiscard]] bool comes(std::function<bool()> const& holds, std::chrono::seconds bound = 20s) {
    auto next = std::chrono::steady_clock::now();
    auto const looked = [&] {
      if (std::chrono::steady_clock::now() < next) return false;
      if (holds()) return true;
      next = std::chrono::steady_clock::now() + 10ms;
      return false;
    };
    return loop.until(looked, bound) || holds();
  }
  [[nodiscard]] bool replies(std::size_t count) {
    return comes([&] { return platform.count("messages") >= count; });
  }

  /// Somebody writes to the bot: in a group with a mention, or in private when `chat` is empty. Gives the message id.
  std::string say(std::string const& sender, std::string const& chat, std::string const& text, Json more = {}) {
    std::string const id = "om_" + std::to_string(++said_);
    bool const group = !chat.empty();
    Json set{{"event.sender.sender_id.open_id", sender},
             {"event.message.message_id", id},
             {"event.message.chat_id", group ? chat : "oc_private_" + sender},
             {"event.message.create_time", std::to_string(1'790'000'000'000 + said_)},
             {"event.message.content", Json{{"text", (group ? "@_user_1 " : "") + text}}.dump()},
             {"header.event_id", "event_" + id}};
    if (more.contains("set")) {
      for (auto const& [key, value] : more["set"].items()) set[key] = value;
      more.erase("set");
    }
    Json how = more.is_object() ? more : Json::object();
    how["file"] = group ? "text_group_at_bot.json" : "text_p2p.json";
    how["set"] = set;
    act("event", how);
    return set["event.message.message_id"];
  }
  /// All that the bot's messages show, as text: the JSON of their contents.
  [[nodiscard]] std::string shown() const {
    std::string all;
    for (Json const& message : read("messages")) all += message["content"].dump() + "\n";
    return all;
  }

  Loop loop;
  Workspace w;
  feishu_sim::Simulator platform{loop.executor(), options_};
  std::unique_ptr<Daemon> daemon;
  std::string errors;  ///< of the daemon that was stopped

 private:
  void open() {
    Result<std::uint16_t> const port = platform.listen("127.0.0.1", 0);
    REQUIRE(port.has_value());
    loop.spawn(platform.run());
    w.write("feishu-secret", options_.app_secret + "\n");
    w.configure([&](Json& config) {
      config["adapters"]["feishu"] = {
          {"app_id", options_.app_id}, {"app_secret_file", "feishu-secret"}, {"domain", platform.base()}};
    });
  }

  int said_ = 0;
};

}  // namespace kb::test
