#include "config/clock.hpp"

#include <doctest/doctest.h>

using std::chrono::seconds;

TEST_CASE("times of the log and the control files are UTC+8, whatever the machine's zone") {
  kb::TimePoint const epoch{};
  CHECK_EQ(kb::utc8(epoch), "1970-01-01 08:00:00");
  CHECK_EQ(kb::utc8(epoch + seconds(1767225599)), "2026-01-01 07:59:59");
  CHECK_EQ(kb::utc8(epoch + seconds(1709222399)), "2024-02-29 23:59:59");  // the next second is March
  CHECK_EQ(kb::utc8(epoch + seconds(1709222400)), "2024-03-01 00:00:00");
}

TEST_CASE("times of the interfaces are UTC") {
  kb::TimePoint const epoch{};
  CHECK_EQ(kb::iso8601(epoch + seconds(1767225599)), "2025-12-31T23:59:59Z");
  CHECK_EQ(kb::iso8601(epoch + seconds(1767225599) + std::chrono::milliseconds(999)), "2025-12-31T23:59:59Z");
}
