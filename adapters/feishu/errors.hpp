/// What to do about each way a call to the platform can fail. Source: the platform's error codes of messages and cards.
#pragma once

#include <string_view>

namespace kb::feishu {

enum class Remedy {
  none,             ///< it worked
  wait,             ///< too fast, busy, or trouble on the way: the same call later, same uuid
  new_token,        ///< drop the token, fetch one, once more with the same uuid
  next_form,        ///< the content was refused: card → post → text
  split,            ///< too long: smaller parts
  send_to_chat,     ///< the question is gone: a plain message to the chat, but not when it stood in a thread
  neutral_text,     ///< the content check refused it: a fixed sentence instead
  drop,             ///< will never arrive: close it with the reason
  chat_gone,        ///< as drop, and nothing more to this chat
  quota,            ///< the month's calls are used up: stop what is not essential, alert
  operator_needed,  ///< app disabled, permission missing: keep the reply, alert, try again slowly
  done,             ///< the platform has it already
};
[[nodiscard]] std::string_view to_string(Remedy remedy) noexcept;

/// `http_status` 0: no response. `code` and `msg` are the envelope's (code -1: no envelope could be read).
[[nodiscard]] Remedy remedy_for(int http_status, long long code, std::string_view msg) noexcept;

}  // namespace kb::feishu
