/// What one question becomes: the value that adapters render, verbs print and logging records (INTERFACES §3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/clock.hpp"
#include "config/ids.hpp"
#include "kbrepo/ids.hpp"
#include "scope/resolve.hpp"

namespace kb::answer {

enum class Outcome { answered, insufficient, no_answer, scope_refused, handed_off, busy, error };
enum class Intent { project, person, concept_, resource, material, general };
enum class Confidence { none, low, medium, high };

[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;
[[nodiscard]] std::string_view to_string(Intent intent) noexcept;  ///< concept_ prints "concept"
[[nodiscard]] std::string_view to_string(Confidence confidence) noexcept;

/// One cited page with the exact bytes that support the answer.
struct Source {
  std::string title;
  std::string label;  ///< 个人知识库 | 团队知识库 | 项目 (C-28)
  RepoId repo;
  std::string path;
  kbrepo::CommitId commit{};
  std::uint32_t line_begin = 0, line_end = 0;
  std::string locator;
  std::string quote;  ///< byte-for-byte substring of the page at `commit`, inside the lines
  std::string url;    ///< may be empty
  std::string author;
  std::optional<TimePoint> changed_at;
};

struct Consulted {
  RepoId repo;
  std::string path;
};

/// Microseconds of each step; filled by a stopwatch the caller passes, so that the answer itself needs no clock.
struct Timings {
  std::uint64_t scope = 0, search = 0, read = 0, draft = 0, validate = 0, total = 0;
};

/// Words of a page beside a sentence.
struct NotedQuote {
  std::size_t page = 0;  ///< position among the pages read
  RepoId repo;
  std::string path;
  std::string text;
};

/// What became of one sentence of a model.
struct ClaimNote {
  std::string text;     ///< empty: it held a secret
  std::string verdict;  ///< of claims.hpp; "unreadable": the whole reply
  std::string guard;
  std::string
      fate;  ///< said, repaired (the page's own words instead), said before, dropped; set aside: proven, but no answer
  std::string reason;  ///< why it was not said as it was claimed; may be empty
  /// What carries it; of a dropped one what the model quoted, as far as it named a page that was read.
  std::vector<NotedQuote> quotes;
};

struct Answer {
  Outcome outcome = Outcome::error;
  std::string query_id;
  std::string question;
  Lang lang = Lang::zh;
  std::string text;  ///< full text as sent, sources block included
  Confidence confidence = Confidence::none;
  std::optional<scope::Scope> scope;  ///< absent when refused
  std::string scope_error;            ///< refusal code when outcome is scope_refused
  Intent intent = Intent::general;
  std::string subject;  ///< what 「…」 names in the no-answer text
  std::string route;    ///< kb_query's, when the question took one: query type and level
  std::string topic;    ///< what a follow-up could lean on (S1-8); may be empty
  std::string assumed;  ///< the subject taken from an earlier turn; empty: the question had its own
  std::vector<Source> sources;
  std::vector<Consulted> consulted;  ///< everything opened, guides included, in reading order
  std::vector<RepoId> granted;       ///< what the question was allowed to read
  std::vector<RepoId> queried;       ///< repositories whose pages or index were looked at: each gets one record
  std::vector<std::string> stale_files;
  std::vector<std::string> warnings;
  std::string handed_to;          ///< ingest_document | batch_compile | kb_review
  bool gap = false;               ///< nothing or too little was found
  std::string drafter;            ///< "model" or "extractive" when a model was to be asked; else empty
  std::string model_fault;        ///< why the model did not answer; may be empty
  std::vector<ClaimNote> claims;  ///< the model's sentences
  Timings took_us;
};

/// The answer object of INTERFACES §3, one line of JSON. `explained`: with `explain`, each sentence with its verdict,
/// the reason and what carries it.
[[nodiscard]] std::string to_json(Answer const& answer, bool explained = false);
/// Its `sources` array alone (the bridge's answer frame carries it).
[[nodiscard]] std::string sources_json(Answer const& answer);

}  // namespace kb::answer
