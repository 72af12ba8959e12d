/// What a message is: a command (slash form or the natural words, zh and en) or a question. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kb::daemon {

struct Command {
  enum class Kind { help, whoami, scope, sources, bind, confirm, unbind, status };
  Kind kind = Kind::help;
  std::string argument;  ///< team, code, question or query id; may be empty
  friend bool operator==(Command const&, Command const&) = default;
};

/// The message without the mention of the bot: a leading `@name`, or several, when `mentioned`; else a trailing one.
[[nodiscard]] std::string without_mention(std::string_view text, bool mentioned);

/// `text` without its mention. An unknown /word is a help request whose argument is the word. Questions about binding
/// ("怎么绑定本群？") are questions.
[[nodiscard]] std::optional<Command> parse_command(std::string_view text);

/// What /help says (INTERFACES §6).
[[nodiscard]] std::string help_text(std::string_view unknown_command);

}  // namespace kb::daemon
