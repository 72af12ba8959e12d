/// Turns: one message at a time per chat, a bounded number in the whole program; each ends in a durable reply.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "adapters/adapter.hpp"
#include "adapters/aio/pool.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/model/model_client.hpp"
#include "daemon/ask.hpp"
#include "daemon/desk.hpp"
#include "daemon/durable.hpp"
#include "daemon/embedder.hpp"
#include "daemon/rate_limit.hpp"
#include "daemon/recent_turns.hpp"

namespace kb::daemon {

/// Loop thread only.
class Conversations {
 public:
  struct Hooks {
    std::function<World()> world;
    std::function<void(adapters::Reply const&)> deliver;  ///< the reply is durable now
    model::ModelClient* model = nullptr;                  ///< null: answers are extractive
    Embedder* embedder = nullptr;                         ///< null: pages are found by words alone
  };
  Conversations(aio::Executor ex, aio::Pool& cpu, Durable& durable, Desk& desk, Clock const& clock, Hooks hooks);

  /// Makes the message durable and queues it; PrivateChats has placed it. The error says why it was not taken; nothing
  /// is kept of it then.
  aio::Task<Result<adapters::Accepted>> receive(scope::InboundMessage message);
  /// The message was taken back by its author: if it still waits for its turn, it is closed without an answer (outcome
  /// `withdrawn`, empty text).
  void withdraw(std::string const& adapter, std::string const& account, std::string const& message_id);
  /// Queues messages that were acknowledged before a restart.
  void resume(std::vector<logging::UnsettledMessage> messages);
  /// Takes nothing new; gives what runs `grace` to end. What still waits stays admitted and runs after the next start.
  aio::Task<> drain(std::chrono::milliseconds grace);

 private:
  struct Turn {
    std::string key;
    scope::InboundMessage message;
    bool withdrawn = false;
  };
  struct Chat {
    std::deque<Turn> waiting;
    bool running = false;
  };
  void enqueue(Turn turn);
  aio::Task<> run_chat(std::string chat_key);
  aio::Task<> take_turn(Turn turn);
  aio::Task<logging::Settlement> command(Turn const& turn, Command command);
  aio::Task<logging::Settlement> question(Turn const& turn, std::string query_id, std::string text);
  aio::Task<bool> settle(Turn const& turn, logging::Settlement settlement);

  aio::Executor ex_;
  aio::Pool& cpu_;
  Durable& durable_;
  Desk& desk_;
  Clock const& clock_;
  Hooks hooks_;
  RateLimit rate_;
  RecentTurns recent_;
  std::map<std::string, Chat> chats_;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
  bool draining_ = false;
  aio::Signal turn_ended_;
  aio::TaskGroup turns_;
};

}  // namespace kb::daemon
