/// The mechanical check before every send (S1-41…49, S1-62): pure, and independent of how the text came about.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kb::answer {

/// A page that was read for this answer.
struct ReadPage {
  std::string title;
  std::string url;
  std::string label;  ///< may be empty
  std::string text;
  std::string path;  ///< may be empty
};

struct ValidationError {
  std::string code;  ///< ACCEPTANCE 1.2: empty_answer, missing_sources, …; sentences: unsupported, number_mismatch, …
  std::string message;
  std::string sentence;  ///< empty when the fault is not one sentence's
  std::string source;    ///< the offending source line; may be empty
};

struct Validation {
  bool valid = false;
  bool no_answer = false;  ///< the text is one of the fixed no-answer texts
  std::vector<ValidationError> errors;
  std::vector<std::string> unmatched_sources;  ///< source lines that name no allowed page
  std::vector<std::string> allowed_sources;    ///< what was allowed; given with unmatched_sources only
  bool checked_allowed_sources = false;
  bool checked_sentences = false;
};

struct ValidationInput {
  std::string_view answer;
  std::optional<std::vector<std::string>>
      allowed_sources;                         ///< titles, paths or links; matched exactly, never as substrings
  std::optional<std::vector<ReadPage>> pages;  ///< with it every sentence is proved against these texts
  std::string_view assumed = {};               ///< may stand in the first line as the subject of a follow-up (S1-8)
};

[[nodiscard]] Validation validate(ValidationInput const& input);
[[nodiscard]] std::string to_json(Validation const& validation);

/// `--allowed_sources a;b|c` and the three forms of `--allowed_sources_file` (JSON array, object with `sources`, plain
/// lines).
[[nodiscard]] std::vector<std::string> parse_allowed_sources(std::string_view text);
/// `--pages_file`: JSON array of {title, url, label?, text}. Nothing when it does not parse; `why` says what.
[[nodiscard]] std::optional<std::vector<ReadPage>> parse_read_pages(std::string_view json, std::string& why);

}  // namespace kb::answer
