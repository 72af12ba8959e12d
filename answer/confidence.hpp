/// Answer, closest pages, or nothing: a linear score over lexical evidence with two thresholds (RETRIEVAL §6).
#pragma once

#include "answer/answer.hpp"

namespace kb::answer {

struct Evidence {
  bool no_content_word = false;  ///< hard stop
  bool lacks_number = false;     ///< hard stop: a number or identifier of the question stands nowhere on the shelf, or
                                 ///< a version of it on no page that is quoted
  bool names_page = false;       ///< the question names a project, a person or the title of a page read: it is on topic
  bool crowd = false;            ///< so many passages that the words of a short question meet in one by accident
  bool owned = false;            ///< it speaks of the asker's or the team's own material: no fact about the world
  bool agrees = false;           ///< an excerpt stands on the page that the search puts first
  bool english = false;          ///< the question's language
  float topic = 0;               ///< share of the words in title, headings and lead line of the best excerpt
  float best_unit = 0;           ///< covS: share of the question's words in the best sentence, item or row
  float best_window = 0;         ///< covW3: … and its neighbours
  float best_passage = 0;        ///< covP: … and its whole passage
  float page = 0;                ///< … anywhere on the best page
  float top_score = 0;           ///< share of the ideal search score
  float margin = 0;              ///< top score less the second page's, ÷ top
  float over_rest = 0;           ///< top score ÷ mean of the next five pages' best, less 1, at most 2
  float concentration = 0;       ///< share of the first ten passages that stand on the first one's page
  float heaviest_missing = 0;    ///< the rarest word that the best passage lacks, ÷ all
  float unknown = 0;             ///< share of words that the shelf does not have
  float words = 0;               ///< ln(1 + number of content words)
};

struct Judgement {
  Outcome outcome = Outcome::no_answer;  ///< answered, insufficient or no_answer
  Confidence confidence = Confidence::none;
  float score = 0;
};
[[nodiscard]] Judgement judge(Evidence const& evidence) noexcept;

}  // namespace kb::answer
