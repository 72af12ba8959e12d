/// A reply as messages of the platform: card, rich text or plain text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/adapter.hpp"

namespace kb::feishu {

/// The ladder: what a form refuses, the next one carries.
enum class Form { card, post, text };
[[nodiscard]] std::string_view to_string(Form form) noexcept;

struct Part {
  std::string msg_type;  ///< interactive | post | text
  std::string content;   ///< the JSON that goes, as a string, into `content`
};

/// What the card shows of a vote.
struct Votes {
  std::string mine;  ///< up | down | empty
};

/// The whole reply in this form, in order; never empty, no part over the platform's size. Every word of the text is in
/// it. Text of pages and people cannot become markup, a mention or a link of its own.
[[nodiscard]] std::vector<Part> render(Form form, adapters::Reply const& reply, Votes const& votes = {});

/// What a card callback is answered with: a toast, and the card anew.
[[nodiscard]] std::string vote_answer(adapters::Reply const& reply, Votes const& votes);
/// A toast alone; `type` is success | info | warning | error.
[[nodiscard]] std::string toast_answer(std::string_view type, std::string_view text);

/// The first words to a group the bot was added to: how an admin binds it.
[[nodiscard]] std::string greeting_text();

}  // namespace kb::feishu
