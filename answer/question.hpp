/// What a question wants to know, read from its words: language, intent, subject, names, and the kind of answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.hpp"
#include "config/ids.hpp"
#include "kbrepo/shelf.hpp"
#include "scope/resolve.hpp"

namespace kb::answer {

/// What an answer must hold to be one.
enum class Expected { anything, person, time, quantity, place, reason, way, yes_no, list, definition };

/// Names that the pages of a shelf give to people and projects (people/, projects/, titles, aliases, catalogue).
struct Names {
  struct Entry {
    std::string name;  ///< folded
    std::string id;    ///< project id, or the person's page path
  };
  std::vector<Entry> people, projects;
};
[[nodiscard]] Names names_of(kbrepo::Shelf const& shelf);

struct Question {
  std::string text;
  std::string folded;  ///< as index::fold
  Lang lang = Lang::zh;
  Intent intent = Intent::general;
  Expected expected = Expected::anything;
  std::string subject;                ///< for 「…」 (S1-39): the question without its asking words
  std::vector<std::string> projects;  ///< ids of projects it names
  std::vector<std::string> people;    ///< paths of people/ pages it names
};

/// `project_id`: what the scope resolver recognised (N-18). Pure. O(question × names).
[[nodiscard]] Question understand(std::string const& text, Names const& names,
                                  std::optional<std::string> const& project_id);

/// Whether `word` stands in `text`; a Latin word must not touch other Latin letters or digits. Both folded.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);
[[nodiscard]] std::string subject_of(std::string_view question);
[[nodiscard]] Expected expected_of(std::string_view folded_question);

}  // namespace kb::answer
