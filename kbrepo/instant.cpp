#include "kbrepo/instant.hpp"

#include <chrono>

namespace kb::kbrepo {
namespace {

constexpr std::int64_t kDefaultZone = 8 * 3600;
constexpr std::int64_t kDay = 86'400;

/// Takes exactly `digits` digits off the front.
bool number(std::string_view& text, std::size_t digits, int& out) noexcept {
  if (text.size() < digits) return false;
  out = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    out = out * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool mark(std::string_view& text, char c) noexcept {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> zone(std::string_view text) noexcept {
  if (text.empty()) return kDefaultZone;
  if (text == "Z" || text == "z") return 0;
  bool const west = text.starts_with('-');
  int hours = 0;
  int minutes = 0;
  if (!mark(text, '+') && !mark(text, '-')) return std::nullopt;
  if (!number(text, 2, hours)) return std::nullopt;
  mark(text, ':');
  if (!text.empty() && !number(text, 2, minutes)) return std::nullopt;
  if (!text.empty() || hours > 14 || minutes > 59) return std::nullopt;
  std::int64_t const seconds = hours * 3600 + minutes * 60;
  return west ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> parse_instant(std::string_view text) noexcept {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!number(text, 4, year) || !mark(text, '-') || !number(text, 2, month) || !mark(text, '-') ||
      !number(text, 2, day)) {
    return std::nullopt;
  }
  std::chrono::year_month_day const date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::int64_t const midnight = std::chrono::sys_days(date).time_since_epoch().count() * kDay;
  if (text.empty()) return midnight + kDay - 1 - kDefaultZone;

  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!mark(text, 'T') && !mark(text, ' ')) return std::nullopt;
  if (!number(text, 2, hour) || !mark(text, ':') || !number(text, 2, minute)) return std::nullopt;
  if (mark(text, ':') && !number(text, 2, second)) return std::nullopt;
  if (mark(text, '.')) {
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') text.remove_prefix(1);
  }
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  auto const offset = zone(text);
  if (!offset) return std::nullopt;
  return midnight + hour * 3600 + minute * 60 + second - *offset;
}

}  // namespace kb::kbrepo
