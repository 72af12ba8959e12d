/// One Feishu app as a whole: its connections, what their events mean to the daemon, and its replies.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/adapter.hpp"
#include "adapters/aio/tls.hpp"
#include "adapters/feishu/connection.hpp"
#include "adapters/feishu/delivery.hpp"
#include "config/clock.hpp"

namespace kb::feishu {

struct FeishuOptions {
  App app;
  std::shared_ptr<aio::TlsContext> tls;
  unsigned connections = 1;
  bool greet = true;
  ConnectionLimits connection;
  DeliveryLimits delivery;
};

/// For /readyz and `doctor`. Empty `fault`: all is well.
struct FeishuState {
  std::string fault;
  unsigned open = 0;  ///< connections
  std::string bot;    ///< its name, once known
};

/// Loop thread only.
class Feishu {
 public:
  struct Hooks {
    /// Durable when it returns. unavailable, exhausted: the platform sends it again. invalid_input: the asker is told.
    std::function<aio::Task<Result<adapters::Accepted>>(scope::InboundMessage)> receive;
    std::function<void(std::string const& account, std::string const& message_id)> withdraw;
    /// not_found: there is no such answer (any more).
    std::function<aio::Task<Result<void>>(adapters::Vote)> vote;
    /// The answer that was voted on, to draw its card anew.
    std::function<aio::Task<std::optional<adapters::Reply>>(std::string query_id)> answered;
    /// The bot is not in the group any more: its binding ends.
    std::function<aio::Task<>(ChatId chat, std::string why)> chat_gone;
    std::function<void()> room;  ///< see Delivery::Hooks
  };

  Feishu(aio::Executor ex, FeishuOptions options, adapters::Store& store, Clock const& clock, Hooks hooks);
  ~Feishu();

  /// First who we are, for as long as it takes (without that no mention can be told from another), then the
  /// connections. Returns after stop().
  aio::Task<> run();
  /// Reads nothing more; what was acknowledged is durable.
  void stop();
  /// The reply is durable; see Delivery.
  void deliver(adapters::Reply reply);
  /// Gives deliveries under way `grace`; the rest stays in the store. After run() has returned.
  aio::Task<> drain(std::chrono::milliseconds grace);
  [[nodiscard]] FeishuState state() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kb::feishu
