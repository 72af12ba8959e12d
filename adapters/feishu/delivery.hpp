/// Durable replies to the platform: in order per chat, each exactly once, whatever fails in between.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "adapters/adapter.hpp"
#include "adapters/feishu/api.hpp"

namespace kb::feishu {

struct DeliveryLimits {
  std::size_t chats_at_once = 32;
  std::size_t most_waiting = 4'096;  ///< replies in memory; more wait in the store
  std::chrono::milliseconds first_pause{1'000}, longest_pause{60'000};
  std::chrono::minutes uuid_window{55};   ///< the platform honours a uuid for an hour
  std::chrono::milliseconds slow{1'000};  ///< a question without an answer for that long gets a reaction
};

struct DeliveryStats {
  std::uint64_t delivered = 0, given_up = 0, retries = 0, degraded = 0;
  std::size_t waiting = 0;
  std::string fault;  ///< what holds deliveries up now; empty: nothing
};

/// Loop thread only. A part's uuid comes from the reply's key, the part's number and its form, so that it is the same
/// after any crash; another form is tried only after a definite refusal of the one before, and that step is durable
/// too. A try older than the uuid window whose outcome is not known is not repeated: the reply is given up with that
/// reason. drain() it before it goes, as before the loop ends; nothing is lost by cutting it short.
class Delivery {
 public:
  struct Hooks {
    std::function<void(ChatId const&, std::string const& reason)> chat_gone;
    /// There is room again for what was left in the store: deliver() all that is pending there, the oldest first.
    std::function<void()> room;
  };
  Delivery(aio::Executor ex, Api& api, adapters::Store& store, Clock const& clock, DeliveryLimits limits, Hooks hooks);
  ~Delivery();

  /// A message was admitted and its answer is to come: after `slow` it gets the reaction.
  void expect(scope::InboundMessage const& message);
  /// The reply is durable. Sent in the order of the calls within its chat. The same key twice is one reply; after a
  /// start only replies that are still pending belong here. One without words is not said: it is given up. When too
  /// many wait, it and those behind it are left in the store until Hooks::room.
  void deliver(adapters::Reply reply);
  /// The question was recalled: its reply, if not sent yet or still to come, is given up.
  void withdraw(std::string const& message_id);
  /// The question's reply is out, or was given up, in an earlier life: its reaction goes.
  void over(std::string const& message_id);
  /// A message of our own to a chat (a greeting): best effort, at most once per `key`.
  void announce(std::string key, std::string chat_id, std::string text);
  /// Takes nothing new; gives what is under way `grace`. The rest stays in the store.
  aio::Task<> drain(std::chrono::milliseconds grace);
  [[nodiscard]] DeliveryStats const& stats() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kb::feishu
