/// JSON frames of the WebSocket bridge (INTERFACES §4) ↔ values. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/adapter.hpp"
#include "scope/message.hpp"

namespace kb::bridge {

struct MessageFrame {
  std::string id;
  scope::InboundMessage
      message;  ///< adapter "bridge"; the account is the connection's to fill; no timestamp: sent_at{}
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
using Frame = std::variant<MessageFrame, FeedbackFrame, PingFrame, BadFrame>;

[[nodiscard]] Frame parse_frame(std::string_view json);

[[nodiscard]] std::string ack_frame(std::string_view id);
[[nodiscard]] std::string answer_frame(std::string_view id, adapters::Reply const& reply);
[[nodiscard]] std::string error_frame(std::string_view id, std::string_view error, std::string_view message);
[[nodiscard]] std::string pong_frame();

}  // namespace kb::bridge
