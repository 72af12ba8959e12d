#include "config/clock.hpp"

#include <array>
#include <cstdio>

namespace kb {
namespace {

std::string formatted(TimePoint time, char const* format) {
  using namespace std::chrono;
  auto const seconds = floor<std::chrono::seconds>(time);
  auto const day = floor<days>(seconds);
  year_month_day const date(day);
  hh_mm_ss const clock(seconds - day);
  std::array<char, 64> out{};
  int const n =
      std::snprintf(out.data(), out.size(), format, int(date.year()), unsigned(date.month()), unsigned(date.day()),
                    int(clock.hours().count()), int(clock.minutes().count()), int(clock.seconds().count()));
  return {out.data(), static_cast<std::size_t>(n)};
}

}  // namespace

TimePoint SystemClock::now() const { return std::chrono::system_clock::now(); }
std::chrono::steady_clock::time_point SystemClock::steady() const { return std::chrono::steady_clock::now(); }

std::string utc8(TimePoint time) { return formatted(time + std::chrono::hours(8), "%04d-%02u-%02u %02d:%02d:%02d"); }
std::string iso8601(TimePoint time) { return formatted(time, "%04d-%02u-%02uT%02d:%02d:%02dZ"); }

}  // namespace kb
