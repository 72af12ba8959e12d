/// What every adapter turns a platform's message into. Plain values; no platform types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/clock.hpp"
#include "config/ids.hpp"

namespace kb::scope {

enum class ChatType { direct, group };  // S1-13

/// "direct" and "p2p" are direct; "group" is group; anything else nothing.
[[nodiscard]] std::optional<ChatType> parse_chat_type(std::string_view text) noexcept;
[[nodiscard]] std::string_view to_string(ChatType type) noexcept;

/// Who speaks, and through which door: the same open_id on two accounts is two principals.
struct Principal {
  std::string adapter;  ///< "bridge", "feishu", "openclaw", "cli"
  std::string account;  ///< the adapter's account or connection identity; may be empty
  UserId user;          ///< SenderId (S1-12)
  friend auto operator<=>(Principal const&, Principal const&) = default;
};

struct InboundMessage {
  Principal principal;
  ChatType chat_type = ChatType::direct;
  ChatId chat;             ///< GroupSubject: empty in a private chat (S1-14)
  std::string room;        ///< the platform's id of the chat, of a private one too; may be empty. Not stored.
  std::string chat_name;   ///< for display only; may be empty
  std::string thread;      ///< thread or topic id; may be empty
  std::string message_id;  ///< unique within (adapter, account)
  std::string text;        ///< UTF-8
  bool mentioned = false;  ///< the bot was mentioned
  bool external = false;   ///< the sender belongs to another organisation than the bot
  bool may_pass = false;   ///< the asker's host can go on without us when this is no question for us. Not stored.
  TimePoint sent_at{};
};

}  // namespace kb::scope
