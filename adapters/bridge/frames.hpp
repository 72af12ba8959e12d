/// JSON frames of the WebSocket bridge (INTERFACES §4) ↔ values. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/adapter.hpp"
#include "scope/message.hpp"

namespace kb::bridge {

struct MessageFrame {
  std::string id;
  /// Adapter "bridge", or "openclaw" when the frame names a channel. The account is what the peer says of its own, as
  /// `channel/account`: the connection's principal goes before it. No timestamp: sent_at{}.
  scope::InboundMessage message;
  std::optional<std::chrono::milliseconds> deadline;  ///< from now: later nobody waits for the answer
};
/// The first frame of a link that knows more than the bridge's own frames (adapters/openclaw/PROTOCOL.md).
struct HelloFrame {
  std::string client, version;
  std::string boot;  ///< of the peer's process: a newer link of the same takes the place of an older one
};
/// An agent's call. Identity comes from the host; `arguments` are the model's, as JSON text.
struct ToolFrame {
  std::string id, tool, arguments;
  scope::InboundMessage from;  ///< without text or message id
};
struct FeedbackFrame {
  std::string query_id, vote, kind;
  UserId sender;
};
struct PingFrame {};
/// What is wrong with a frame; goes back as {"type":"error"}.
struct BadFrame {
  std::string id;  ///< when it could be read
  std::string message;
};
using Frame = std::variant<MessageFrame, FeedbackFrame, HelloFrame, ToolFrame, PingFrame, BadFrame>;

[[nodiscard]] Frame parse_frame(std::string_view json);

/// `ignored`: why nothing follows; empty: an answer does.
[[nodiscard]] std::string ack_frame(std::string_view id, std::string_view ignored = {});
[[nodiscard]] std::string pass_frame(std::string_view id);
[[nodiscard]] std::string welcome_frame(bool tools);
/// `result`: JSON text of one object.
[[nodiscard]] std::string tool_result_frame(std::string_view id, std::string_view result);
[[nodiscard]] std::string answer_frame(std::string_view id, adapters::Reply const& reply);
[[nodiscard]] std::string error_frame(std::string_view id, std::string_view error, std::string_view message);
[[nodiscard]] std::string pong_frame();

}  // namespace kb::bridge
