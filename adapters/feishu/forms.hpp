/// The three forms of a reply, each in its file. Pure.
#pragma once

#include <string>
#include <vector>

#include "adapters/feishu/reply_view.hpp"

namespace kb::feishu {

/// Contents of the messages, in order; never empty.
[[nodiscard]] std::vector<std::string> card_contents(ReplyView const& view);
[[nodiscard]] std::vector<std::string> post_contents(ReplyView const& view);
/// The text as it is.
[[nodiscard]] std::vector<std::string> text_contents(std::string const& text);

/// What a message must stay below, whole request: the platform's 30 KB and 150 KB, with room for what else is in it.
inline constexpr std::size_t kMaxRichBytes = 28'000;
inline constexpr std::size_t kMaxTextBytes = 140'000;
/// Of a request besides its content: members, uuid, receive_id.
inline constexpr std::size_t kEnvelopeBytes = 400;

}  // namespace kb::feishu
