/// brain_query (S3): keyword look-up in the three brains, indexes first, every answer with the themes it rests on,
/// every gap said.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/protocols/book.hpp"
#include "config/clock.hpp"

namespace kb::protocols {

/// What is said when nobody gave a scope (S3-45), to the letter.
inline constexpr std::string_view kNoScope =
    "[brain-query] no scope supplied — searching all three brains; supply --scope to reduce noise";

struct BrainQuery {
  std::vector<std::string> questions;
  std::string scope;  ///< forge-dev, cycles, project or all; several joined by commas
  std::string role;   ///< decides the scope when none is given: architect, pm, reflector, dev-loop, reviewer, forge-dev
  std::string project;   ///< required when the scope has project
  std::string category;  ///< pattern, antipattern, decision, operation or reference
};

struct BrainAnswer {
  std::string question;
  std::string answer;                ///< one paragraph in the themes' own words
  std::string confidence;            ///< high | medium | low
  std::vector<std::string> sources;  ///< citable paths only (S3-39)
  /// Themes of brains outside the scope that a cited theme links to: named, not read, never sources (N-41, C-14).
  std::vector<std::string> see_also;
  bool gap = false;
  std::vector<std::string> read;  ///< every page opened for it, in order
};

struct BrainReply {
  std::vector<BrainAnswer> answers;  ///< as the questions
  std::vector<std::string> warnings;
  std::string error;  ///< the call itself is at fault; nothing was read then
};

[[nodiscard]] BrainReply query_brain(std::span<Book const> books, BrainQuery const& query);
[[nodiscard]] std::string to_json(BrainReply const& reply);

/// Whether a text says that something is not there (S3-47, N-38).
[[nodiscard]] bool names_absence(std::string_view text);

/// Lines for `_logs/<cycle-id>/brain-gaps.jsonl`, one for each gap; `existing` is the file so far.
[[nodiscard]] std::string gap_lines(BrainReply const& reply, std::string_view cycle_id, TimePoint now,
                                    std::string_view existing);
struct Gap {
  std::string id, query;
  double confidence = 0;
  bool resolved = false;
};
/// Accepts `question` for `query`; blank and broken lines are left out (N-39).
[[nodiscard]] std::vector<Gap> parse_gaps(std::string_view jsonl);
/// Lines for `_logs/<cycle-id>/events.jsonl`: start, one hit or gap for each question, end. References, never contents
/// of pages (N-43).
[[nodiscard]] std::string event_lines(BrainReply const& reply, std::string_view cycle_id, TimePoint now);

}  // namespace kb::protocols
