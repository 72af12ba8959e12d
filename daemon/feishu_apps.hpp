/// The Feishu apps of the settings, each running, and their way to the rest of the daemon.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/adapter.hpp"
#include "adapters/aio/pool.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/feishu/feishu.hpp"
#include "config/settings.hpp"
#include "daemon/durable.hpp"

namespace kb::daemon {

/// Loop thread only.
class FeishuApps {
 public:
  struct Hooks {
    std::function<aio::Task<Result<adapters::Accepted>>(scope::InboundMessage)> receive;
    std::function<void(std::string const& account, std::string const& message_id)> withdraw;
    std::function<aio::Task<Result<void>>(adapters::Vote)> vote;
    std::function<aio::Task<>(ChatId chat, std::string why)> chat_gone;
  };
  struct State {
    std::string app_id;
    feishu::FeishuState state;
  };

  FeishuApps(aio::Executor ex, aio::Pool& files, adapters::Store& store, Durable& durable, Clock const& clock,
             Hooks hooks);
  ~FeishuApps();

  /// Starts what is new, ends what is gone or configured otherwise now. What starts sends the replies first that no
  /// platform is known to have taken: of an earlier life, or of the app whose place it takes.
  void follow(std::vector<config::FeishuSettings> const& settings);
  /// To the app that the message came through. Without it the reply stays in the journal until the app is back.
  void deliver(adapters::Reply reply);
  /// Reads nothing more.
  void stop();
  /// After stop(), when no reply is still to come.
  aio::Task<> drain(std::chrono::milliseconds grace);
  [[nodiscard]] std::vector<State> states() const;

 private:
  struct Running;
  [[nodiscard]] feishu::Feishu::Hooks hooks_of_app(std::string const& app_id);
  void resume(std::set<std::string> const& apps);
  aio::Task<std::optional<adapters::Reply>> answered(std::string query_id);
  aio::Task<> end(std::shared_ptr<Running> running, std::chrono::milliseconds grace);

  aio::Executor ex_;
  aio::Pool& files_;
  adapters::Store& store_;
  Durable& durable_;
  Clock const& clock_;
  Hooks hooks_;
  std::map<std::string, std::shared_ptr<Running>> running_;  ///< by app id
  std::map<std::string, std::string> faults_;                ///< apps that could not be started, and why
  aio::TaskGroup tasks_;
};

/// The app as the adapter wants it: the secret read from its file. The error names the key and the fix.
[[nodiscard]] Result<feishu::FeishuOptions> options_of(config::FeishuSettings const& settings);

}  // namespace kb::daemon
