/// The text of a reply: quoted lines with their source numbers, and the 来源 block (S1-34, S1-35, S1-40).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.hpp"

namespace kb::answer {

/// One quote as it is shown, with its source.
struct ShownQuote {
  std::vector<std::string> lines;  ///< without the leading "> "
  std::size_t source = 0;          ///< position among the sources
  bool own_words = false;          ///< a sentence of the reply, not a quote: no "> " before it
};

struct ReplyParts {
  Lang lang = Lang::zh;
  std::vector<ShownQuote> quotes;  ///< answered
  std::span<Source const> sources;
  std::vector<std::optional<std::string>> stale_since;  ///< one for each source; nothing: not stale
  std::vector<std::string> excerpts;                    ///< insufficient: one for each source; may be empty
  std::vector<std::string> notes;                       ///< whole lines of texts.hpp
};

[[nodiscard]] std::string render_answered(ReplyParts const& parts);
[[nodiscard]] std::string render_insufficient(ReplyParts const& parts);
[[nodiscard]] std::string render_no_answer(ReplyParts const& parts, std::string_view subject);

/// Text of a page as chat lines: one line a paragraph, item or row; links as their text, direction marks
/// left out; nothing else is changed.
[[nodiscard]] std::vector<std::string> chat_lines(std::string_view markdown, bool keep_lines);
/// What a source line links to: its url, else `owner/repo:path#L12-L14`.
[[nodiscard]] std::string link_of(Source const& source);

}  // namespace kb::answer
