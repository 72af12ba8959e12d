/// A small, complete installation: config, control files, a team's and two people's knowledge bases; and the running
/// daemon over it.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aio/link.hpp"
#include "logging/record.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::test {

using Json = nlohmann::ordered_json;

/// People: ou_alice (admin of team_nlp, personal KB), ou_bob (member, personal KB), ou_carol (registered, no team).
/// Groups: oc_nlp (bound to team_nlp), oc_new (not bound). Teams: team_nlp (nlp/nlp-team-kb), team_cv (admin ou_dave,
/// cv/cv-team-kb).
class Workspace {
 public:
  Workspace();

  [[nodiscard]] std::filesystem::path const& path() const { return dir_.path(); }
  [[nodiscard]] std::string config() const { return path().string(); }
  /// Changes kbgate.json.
  void configure(std::function<void(Json&)> const& change);
  /// Replaces a control file's text.
  void write(std::string const& name, std::string const& text) const;
  [[nodiscard]] Json read_json(std::string const& name) const;

  /// Runs a verb with --config; output parsed when it is one JSON value.
  [[nodiscard]] Finished run(std::string const& program, std::vector<std::string> args) const;
  /// The records of one repository, as `log export` prints them.
  [[nodiscard]] std::vector<Json> records(std::string const& program, std::string const& owner,
                                          std::string const& repo) const;

  TempRepo team, alice, bob, cv;

 private:
  TempDir dir_;
};

/// `kbgate serve` over a workspace, on a free port.
class Daemon {
 public:
  Daemon(std::string const& program, Workspace const& workspace, std::map<std::string, std::string> const& env = {});
  [[nodiscard]] std::string url() const { return "ws://127.0.0.1:" + std::to_string(port_) + "/ws"; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] Child& process() { return *child_; }
  /// SIGTERM, and its exit code.
  int stop();
  void kill();

 private:
  std::unique_ptr<Child> child_;
  std::uint16_t port_ = 0;
};

/// One bridge connection, driven step by step.
class Client {
 public:
  explicit Client(Daemon const& daemon, std::string const& token = {});
  explicit Client(std::string const& url, std::string const& token = {});
  ~Client();

  void send(Json const& frame);
  void send_text(std::string text);
  /// The next frame; throws after `bound`.
  [[nodiscard]] Json next(std::chrono::seconds bound = std::chrono::seconds(20));
  /// The next frame of this type with this id; others in between are dropped.
  [[nodiscard]] Json next(std::string const& type, std::string const& id,
                          std::chrono::seconds bound = std::chrono::seconds(20));
  /// True when the link ended within the bound.
  [[nodiscard]] bool ends(std::chrono::seconds bound = std::chrono::seconds(20));
  void close();

  /// Sends a message and waits for its answer frame (or error frame).
  Json ask(std::string const& id, std::string const& sender, std::string const& chat, std::string const& text);

  /// A message frame: `chat` empty for a private chat; mentioned.
  [[nodiscard]] static Json message(std::string const& id, std::string const& sender, std::string const& chat,
                                    std::string const& text);

 private:
  aio::Task<> read_all();

  Loop loop_;
  std::unique_ptr<aio::Link> link_;
  std::deque<std::string> received_;
  bool ended_ = false;
};

/// One request over a plain socket: status line's code, the head and the body. `host` empty: 127.0.0.1 and the port.
struct HttpReply {
  int status = 0;
  std::string head, body;
};
[[nodiscard]] HttpReply http_send(std::uint16_t port, std::string const& method, std::string const& target,
                                  std::string const& body, std::vector<std::string> const& headers = {},
                                  std::string const& host = {});
[[nodiscard]] HttpReply http_post(std::uint16_t port, std::string const& target, std::string const& body,
                                  std::vector<std::string> const& headers = {});
[[nodiscard]] HttpReply http_get(std::uint16_t port, std::string const& target,
                                 std::vector<std::string> const& headers = {}, std::string const& host = {});

/// Turns `holds` until it is true; false after `bound`. For conditions of another process, looked at every 20 ms.
[[nodiscard]] bool eventually(std::function<bool()> const& holds,
                              std::chrono::seconds bound = std::chrono::seconds(20));

}  // namespace kb::test
