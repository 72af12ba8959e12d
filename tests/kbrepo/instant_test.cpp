#include "kbrepo/instant.hpp"

#include <doctest/doctest.h>

using kb::kbrepo::parse_instant;

TEST_CASE("dates are read with their zone, UTC+8 without one") {
  struct Row {
    char const* text;
    std::int64_t seconds;
  };
  static constexpr Row rows[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01 08:00", 0},
      {"1970-01-01T08:00:01+08:00", 1},
      {"1970-01-01T00:30:00+0030", 0},
      {"1969-12-31T23:00:00-01:00", 0},
      {"1970-01-01", 86'400 - 1 - 8 * 3600},
      {"2026-03-01T00:00:00.123Z", 1772323200},
      {"2024-02-29T00:00:00Z", 1709164800},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    auto const got = parse_instant(row.text);
    REQUIRE(got.has_value());
    CHECK_EQ(*got, row.seconds);
  }
}

TEST_CASE("what is no date is none") {
  for (char const* const text : {"", "2026", "2026-13-01", "2026-02-30", "2026-1-1", "2026-01-01T", "2026-01-01T24:00",
                                 "2026-01-01T10:00+99:00", "2026-01-01T10:00Zx", "2026-01-01x", "main", "abcd-ef-01"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_instant(text).has_value());
  }
}
