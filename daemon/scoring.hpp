/// Scores answers against a set of questions with known pages and strings: the measures of `kbgate eval`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.hpp"
#include "answer/respond.hpp"
#include "config/result.hpp"

namespace kb::daemon {

/// One line of a question set.
struct GoldQuestion {
  std::string id, question, type, lang;
  bool answerable = false;
  std::vector<std::string> gold_pages;                    ///< the first is the main page
  std::vector<std::vector<std::string>> answer_contains;  ///< one string of every group must occur
  std::uint32_t line_begin = 0, line_end = 0;             ///< of the answer on the main page; 0: not given
};

/// JSON lines; blank ones are skipped. invalid_input names the line.
[[nodiscard]] Result<std::vector<GoldQuestion>> parse_questions(std::string_view jsonl);

/// How one question went.
struct Score {
  std::size_t page_rank = 0;  ///< of the first gold page among the distinct pages found, from 1; 0: not found
  bool answered = false;      ///< outcome answered
  bool insufficient = false;
  bool contains = false;    ///< every group in the text that was sent, folded, without marks and spaces
  bool cites_page = false;  ///< a cited page is a gold page
  bool cites_lines =
      false;  ///< and its lines overlap the gold lines, or hold a gold string when it is another gold page
  std::uint64_t took_us = 0;
};

[[nodiscard]] Score score(GoldQuestion const& gold, std::vector<answer::Found> const& found,
                          answer::Answer const& answer);

/// Counts over a set. Denominators: the unanswerable for the fields that say so, else the answerable.
struct Totals {
  std::size_t questions = 0, answerable = 0, unanswerable = 0;
  std::size_t page1 = 0, page5 = 0, page10 = 0;
  std::size_t answered = 0;             ///< answerable and answered
  std::size_t answered_right_page = 0;  ///< of these, a gold page cited
  std::size_t answered_contains = 0;    ///< of these, the gold strings in the text
  std::size_t sent_contains =
      0;  ///< answerable, gold strings in whatever was sent (excerpts of an insufficient reply too)
  std::size_t cited_page = 0;            ///< answerable, a gold page cited, in whatever was sent
  std::size_t cited_lines = 0;           ///< answerable, gold page and lines cited, in whatever was sent
  std::size_t refused_plainly = 0;       ///< answerable, no_answer: needless
  std::size_t wrongly_answered = 0;      ///< unanswerable, answered
  std::size_t unanswerable_refused = 0;  ///< unanswerable, no_answer
  std::uint64_t median_us = 0, p99_us = 0;

  /// Claims that should not have been made, of all questions: the unanswerable ones and those resting on other pages.
  [[nodiscard]] double wrong_answer_rate() const noexcept;
  /// Answerable questions that got no claim's worth of help: the plain refusals.
  [[nodiscard]] double needless_refusal_rate() const noexcept;
};
[[nodiscard]] Totals total(std::vector<GoldQuestion> const& questions, std::vector<Score> const& scores);

/// A part of a set that is reported on its own: all, even and odd ids, languages, types, in that order.
struct Group {
  std::string name;
  Totals totals;
};
/// Ids that end in an odd number are what anything fitted or chosen may look at; the even ones are for reporting.
[[nodiscard]] std::vector<Group> groups(std::vector<GoldQuestion> const& questions, std::vector<Score> const& scores);

}  // namespace kb::daemon
