/// Text of pages and people as it may stand in a message: it pings nobody, links nowhere and formats nothing. Pure.
///
/// Two means. In Markdown a character that would be markup becomes an HTML entity. Where entities are not read (plain
/// text, code), a zero-width space breaks what the platform would act upon; the words look the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb::feishu {

inline constexpr std::string_view kZeroWidth = "\u200B";

/// Valid UTF-8 without control characters but line feed and tab.
[[nodiscard]] std::string clean_text(std::string_view text);

/// `<at …>` and @all broken. For code, which is else kept byte for byte.
[[nodiscard]] std::string without_mentions(std::string_view text);
/// For messages of plain text, which know mentions, `<b>` and the like, and `[text](url)`.
[[nodiscard]] std::string escape_plain(std::string_view text);
/// One line of text for Markdown; also safe at the start of a line.
[[nodiscard]] std::string escape_markdown(std::string_view line);

/// The address as a Markdown link's target: https only, nothing in it ends the link early. Empty: it may not be one.
[[nodiscard]] std::string link_target(std::string_view url);

/// Bytes of `text` within a request: a string within a JSON string, so escaped twice.
[[nodiscard]] std::size_t sent_size(std::string_view text) noexcept;

/// Bytes of the character, or of the entity, at the front. `text` is clean and not empty.
[[nodiscard]] std::size_t unit_length(std::string_view text) noexcept;

[[nodiscard]] bool has_han(std::string_view text) noexcept;
[[nodiscard]] std::string_view trim_blanks(std::string_view text) noexcept;  ///< spaces and tabs

}  // namespace kb::feishu
