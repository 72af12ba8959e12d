/// The bridge: many connections, each a principal; hands messages to the daemon and routes replies back to the
/// connection that asked.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "adapters/adapter.hpp"
#include "adapters/aio/http.hpp"
#include "adapters/bridge/access.hpp"
#include "adapters/bridge/frames.hpp"

namespace kb::bridge {

struct BridgeLimits {
  std::size_t outbox = 256;                 ///< messages waiting for a slow peer; beyond: closed with 1008
  std::chrono::milliseconds write{10'000};  ///< one write
  std::chrono::milliseconds grace{1'000};   ///< close handshake
  unsigned bad_frames_in_a_row = 20;        ///< then closed with 1008
  std::size_t in_flight = 256;  ///< messages of one connection without an answer yet; beyond it reading waits
};

using adapters::Accepted;

class Bridge {
 public:
  /// Makes the message durable and returns; the answer comes through say(). An error becomes an error frame without
  /// ack.
  using OnMessage = std::function<aio::Task<Result<Accepted>>(scope::InboundMessage)>;
  using OnFeedback = std::function<aio::Task<Result<void>>(FeedbackFrame)>;
  /// An agent's call: JSON text of the result. May be empty: this bridge has no tools.
  using OnTool = std::function<aio::Task<Result<std::string>>(ToolFrame)>;
  /// The reply went out on a connection.
  using OnDelivered = std::function<void(std::string key)>;
  /// Where a message was really said: what OnMessage gets, and what a reply is addressed to. May be empty: where its
  /// frame says.
  using OnPlace = std::function<aio::Task<scope::InboundMessage>(scope::InboundMessage)>;

  Bridge(aio::Executor ex, BridgeLimits limits, OnMessage on_message, OnFeedback on_feedback, OnDelivered on_delivered,
         OnTool on_tool = {}, OnPlace on_place = {});
  ~Bridge();

  /// Serves one link until it ends. `account` is the principal behind it: token_account() or "local".
  aio::Task<> serve(std::unique_ptr<aio::Link> link, std::string account);
  /// Sends the reply to the connection that asked for it last (same account, chat, sender and id) and still lives, else
  /// keeps nothing: the journal has it, and the same id asked again gets it. True: a connection took it;
  /// OnDelivered says when it is out, if it gets out.
  bool say(adapters::Reply const& reply);
  /// No more reading; queued messages go out, then close with 1001.
  void drain();
  [[nodiscard]] std::size_t connections() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kb::bridge
