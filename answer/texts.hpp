/// Every fixed sentence this room says, zh and en, in one table; and the same table read backwards, for the validator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/ids.hpp"

namespace kb::answer {

// The texts of S1-38 and S1-40, to the letter, without their sources.
[[nodiscard]] std::string no_answer_sentence(Lang lang, std::string_view subject);
[[nodiscard]] std::string_view insufficient_sentence(Lang lang) noexcept;
[[nodiscard]] std::string_view sources_heading(Lang lang) noexcept;  ///< "来源：" | "Sources:"
[[nodiscard]] std::string_view no_sources_line(Lang lang) noexcept;  ///< "来源：无" | "Sources: none"
/// C-12: which page, since when, what to do. Indented, below its source line. `since` may be empty.
[[nodiscard]] std::string stale_line(Lang lang, std::string_view since);
/// A granted knowledge base could not be read for this question.
[[nodiscard]] std::string missing_note(Lang lang, RepoId const& repo);
/// A team question of somebody without a team was asked of the personal knowledge base alone (C-22).
[[nodiscard]] std::string_view personal_only_note(Lang lang) noexcept;
/// Two quotes give other values for the same thing: their sources' numbers and dates (empty: not known).
struct DatedSource {
  std::size_t number = 0;
  std::string date;
};
[[nodiscard]] std::string differing_note(Lang lang, DatedSource const& one, DatedSource const& other);
[[nodiscard]] std::string hand_off_text(Lang lang, std::string_view skill);
/// The first line of a reply to a follow-up: which subject was taken as meant (S1-8).
[[nodiscard]] std::string assumed_line(Lang lang, std::string_view subject);

// Whether a line is one of them in either language, whatever stands in its gap. The gap takes only what belongs there.
[[nodiscard]] bool is_no_answer_sentence(std::string_view line);
[[nodiscard]] bool is_insufficient_sentence(std::string_view line);
[[nodiscard]] bool is_stale_line(std::string_view line);
[[nodiscard]] bool is_note(std::string_view line);  ///< missing_note, personal_only_note or differing_note
[[nodiscard]] std::optional<std::string_view> assumed_in(std::string_view line);  ///< the subject of an assumed_line

/// Whether a subject may be said to be assumed: words of one line, and nothing a chat would take for a link, a mention
/// or a format.
[[nodiscard]] bool is_assumed_subject(std::string_view subject);
/// A subject as it may stand between 「」: one line, no brackets of its own, at most 40 characters (S1-39).
[[nodiscard]] std::string subject_text(std::string_view raw);
/// A title as it may stand between 《》: one line, its own 《》 as 〈〉.
[[nodiscard]] std::string title_text(std::string_view raw);

}  // namespace kb::answer
