/// Carries out chat commands: who am I, what is in scope, binding a group in two steps (N-11…N-14).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/aio/pool.hpp"
#include "adapters/aio/task.hpp"
#include "config/control_files.hpp"
#include "daemon/ask.hpp"
#include "daemon/commands.hpp"
#include "daemon/durable.hpp"
#include "daemon/library.hpp"
#include "scope/message.hpp"

namespace kb::daemon {

struct CommandReply {
  std::string text;
  bool done = true;  ///< false: refused
  std::string sources_json = "[]";
};

/// Loop thread only; file work runs on the git pool.
class Desk {
 public:
  struct Hooks {
    std::function<World()> world;
    RepoStateOf repo_state;
    /// Reads the books anew, so that a binding is in force when the reply says so.
    std::function<aio::Task<>()> reload;
  };
  Desk(aio::Pool& files, Durable& durable, Clock const& clock, Hooks hooks);

  aio::Task<CommandReply> handle(Command command, scope::InboundMessage message);
  /// Ends the binding of a group that is gone, or that the bot is out of. An admin binds it anew if it comes back.
  aio::Task<> disable(ChatId chat, std::string why);

 private:
  [[nodiscard]] CommandReply whoami(scope::InboundMessage const& message) const;
  [[nodiscard]] CommandReply scope_of(std::string const& question, scope::InboundMessage const& message) const;
  [[nodiscard]] CommandReply status(scope::InboundMessage const& message) const;
  aio::Task<CommandReply> sources(std::string query_id, scope::InboundMessage message);
  aio::Task<CommandReply> request(bool bind, std::string team, scope::InboundMessage message);
  aio::Task<CommandReply> confirm(std::string code, scope::InboundMessage message);

  aio::Pool& files_;
  Durable& durable_;
  Clock const& clock_;
  Hooks hooks_;
};

}  // namespace kb::daemon
