#include <array>
#include <cstdio>
#include <optional>

#include "logging/code_point.hpp"
#include "logging/record.hpp"

namespace kb::logging {
namespace {

/// Characters that end a line somewhere, are invisible, or turn the direction of what follows.
bool needs_code(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) ||                          // C0, DEL, C1 (NEL)
         c == 0x2028 || c == 0x2029 ||                                    // line and paragraph separator
         c == 0x061C || c == 0x200E || c == 0x200F ||                     // Arabic letter mark, LRM, RLM
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||  // bidi embeddings, overrides, isolates
         c == 0xFEFF;                                                     // byte order mark
}

void append_code(std::string& out, char32_t c) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    std::array<char, 8> code{};  // everything needs_code() names fits four digits
    std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c) & 0xFFFFu);
    out += code.data();
  }
}

/// Appends one field of a log line: what would end it or the line is escaped, so that a reader who undoes the escapes
/// gets the field back. `also` names ASCII characters that separate inside this field. Punctuation takes a backslash,
/// which Markdown shows as the character itself; the rest is \n, \r, \t or \uXXXX.
void append_escaped(std::string& out, std::string_view text, std::string_view also) {
  while (!text.empty()) {
    CodePoint const c = first_code_point(text);
    bool const ascii = c.value < 0x80;
    if (needs_code(c.value) || (c.value == ' ' && also.find(' ') != also.npos)) {
      append_code(out, c.value);
    } else if (ascii && (c.value == '\\' || c.value == '|' || c.value == '`' || also.find(text[0]) != also.npos)) {
      out += '\\';
      out += text[0];
    } else if (c.value == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
}

std::optional<TimePoint> parse_time(std::string const& iso8601) noexcept {
  namespace chrono = std::chrono;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, end = 0;
  int const got =
      std::sscanf(iso8601.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &end);
  if (got != 6 || static_cast<std::size_t>(end) != iso8601.size()) return std::nullopt;
  chrono::year_month_day const date(chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day)));
  bool const on_the_clock = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  if (!date.ok() || !on_the_clock) return std::nullopt;
  return chrono::sys_days(date) + chrono::hours(hour) + chrono::minutes(minute) + chrono::seconds(second);
}

}  // namespace

std::optional<TimePoint> time_of(QueryRecord const& record) noexcept { return parse_time(record.time); }

std::string log_line(QueryRecord const& record) {
  std::string line = "- `";
  // A record that did not come from us may hold any time: it is shown as it stands.
  if (std::optional<TimePoint> const time = time_of(record)) {
    line += utc8(*time);
  } else {
    append_escaped(line, record.time, {});
  }
  line += "` **query** | user=";
  append_escaped(line, record.open_id, " ");
  line += " scope=";
  append_escaped(line, record.scope, " ");
  line += " | ";
  append_escaped(line, record.question, {});
  std::string_view before = " | hits=";
  for (std::string const& path : record.hits) {
    line += before;
    append_escaped(line, path, ",");
    before = ", ";
  }
  return line;
}

}  // namespace kb::logging
