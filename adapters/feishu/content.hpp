/// What people write, as plain text: the `content` of a message by its type, mentions put in or taken out. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/result.hpp"

namespace kb::feishu {

/// One entry of a message's `mentions`.
struct Mention {
  std::string key;      ///< the placeholder in the content, e.g. "@_user_1"
  std::string open_id;  ///< empty for @all
  std::string name;
};

struct Content {
  std::string text;         ///< without our mention; others' as @name; no blank lines at either end
  bool attachment = false;  ///< an image, a video or a file stands in it, too
};

/// Whether a type of message can hold text: text, post, interactive.
[[nodiscard]] bool holds_text(std::string_view message_type) noexcept;

/// Reads the content of a message that holds text. `our_open_id` says which mention is ours. Of rich text and cards:
/// the title and each paragraph as lines, links as `text (href)`, code as it stands; what has no words is left out.
/// invalid_input: no JSON object, or one without its text.
[[nodiscard]] Result<Content> read_content(std::string_view message_type, std::string_view content,
                                           std::vector<Mention> const& mentions, std::string_view our_open_id);

}  // namespace kb::feishu
