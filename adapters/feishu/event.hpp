/// An event's JSON as what it means to us. Pure. Shapes: the platform's public event schema 2.0.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "config/result.hpp"
#include "scope/message.hpp"

namespace kb::feishu {

/// Who we are, so that mentions of us and our own echoes are known.
struct Identity {
  std::string app_id;
  std::string open_id;  ///< of the bot, from bot/v3/info
};

/// A message for us. `message` has adapter "feishu", account = app id, SenderId = open_id, GroupSubject = chat_id in
/// groups and empty in p2p, text with our mention stripped and others' as @name.
struct Incoming {
  enum class Kind {
    question,   ///< text or rich text with words in it
    empty,      ///< nothing but the mention: gets a hint
    text_only,  ///< an image, a file, …: we read text only
    menu,       ///< a click in the bot's menu; text is "/" + event_key
  };
  Kind kind = Kind::question;
  scope::InboundMessage message;
  std::string event_id;
  std::string chat_id;           ///< of any chat, p2p too
  std::string client_create_ms;  ///< as sent, for the client's own retries under another message_id
};

struct Recalled {
  std::string message_id, chat_id;
};

struct CardClick {
  std::string operator_id;           ///< open_id
  std::string query_id, vote, kind;  ///< empty when `value` was not one of ours
  std::string message_id, chat_id;
};

struct ChatEvent {
  enum class Kind { bot_added, bot_removed, disbanded, renamed };
  Kind kind = Kind::bot_added;
  std::string event_id, chat_id, name;
  UserId by;
};

/// Nothing to do; acknowledged all the same.
struct Ignored {
  std::string why;   ///< a fixed word for counters: not_mentioned, own_echo, from_bot, other_app, read_receipt, …
  std::string type;  ///< the event's type
};

using Event = std::variant<Incoming, Recalled, CardClick, ChatEvent, Ignored>;

/// invalid_input: no JSON object, or a member is missing or of another type, named by its path. Unknown event types are
/// Ignored.
[[nodiscard]] Result<Event> parse_event(std::string_view json, Identity const& us);

}  // namespace kb::feishu
