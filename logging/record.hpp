/// What one repository's log keeps of one query (INTERFACES §3), chained by hash, and its line in log.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/clock.hpp"
#include "config/ids.hpp"
#include "config/result.hpp"

namespace kb::logging {

/// What became of one sentence of a model that rests on pages of one repository alone.
struct RecordedClaim {
  std::string text;  ///< empty: it was not sent in its own words, and may speak of anything
  std::string verdict, guard, fate;
  std::vector<std::string> paths;  ///< of what carries it
};

struct QueryRecord {
  std::string record_id;  ///< derived from query id and repository: publishing twice is seen by it
  std::string query_id;
  std::string time;  ///< ISO 8601, UTC
  RepoId repo;
  std::string open_id;
  std::string chat_type;
  std::string chat_id;
  std::string scope;
  std::string question;
  std::string outcome;
  std::vector<std::string> hits;  ///< paths in this repository only
  std::string commit;             ///< 40 hex; the commit the question was answered at
  std::string confidence;
  bool gap = false;
  std::uint64_t took_us = 0;
  std::vector<RecordedClaim> claims;  ///< empty without a model; then the JSON does not name them
  std::string prev;                   ///< hash of the record before it in this repository; empty for the first
  std::string hash;                   ///< SHA-256 (hex) over the canonical JSON of all other fields, prev included
};

[[nodiscard]] std::string record_id(std::string_view query_id, RepoId const& repo);
/// Sets prev and hash.
void chain(QueryRecord& record, std::string_view prev);
/// True when `hash` fits the record's other fields.
[[nodiscard]] bool hash_fits(QueryRecord const& record);
[[nodiscard]] std::string to_json(QueryRecord const& record);
[[nodiscard]] Result<QueryRecord> parse_record(std::string_view json);

/// record.time as a point in time; nothing when it is not of the form iso8601() gives.
[[nodiscard]] std::optional<TimePoint> time_of(QueryRecord const& record) noexcept;

/// ``- `<time, UTC+8>` **query** | user=… scope=… | <question> | hits=a, b``: always one line, the hits part only
/// when there are some (N-23). Escaped in every field: `\`, `|` and backtick with a backslash (Markdown shows the
/// character itself); line breaks, tabs, control and bidirectional characters as \n \r \t \uXXXX; in user and scope
/// also the space, in a path also the comma. Undoing the escapes gives the fields back; bytes that are no UTF-8 are
/// U+FFFD.
[[nodiscard]] std::string log_line(QueryRecord const& record);

/// 26 characters, sortable by time (ULID). `random` supplies 80 bits.
[[nodiscard]] std::string ulid(TimePoint time, std::uint64_t random_high16, std::uint64_t random_low64);
/// ulid() of now with the system's randomness.
[[nodiscard]] std::string new_query_id(Clock const& clock);
/// RFC 4122 version 5 over our own namespace: the idempotency key of a reply.
[[nodiscard]] std::string uuid5(std::string_view name);

}  // namespace kb::logging
