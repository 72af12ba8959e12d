#include "logging/service_log.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "config/clock.hpp"
#include "logging/code_point.hpp"

namespace kb::log {
namespace {

spdlog::logger& logger() {
  // Leaked on purpose: threads may still log while static objects are destroyed.
  static spdlog::logger* const instance = [] {
    auto* made = new spdlog::logger("kbgate", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::warn);
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum level_of(Level level) noexcept {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string_view name_of(Level level) noexcept {
  static constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

/// Whatever the text holds (a path, another program's message), the line stays one line of valid JSON.
void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    logging::CodePoint const c = logging::first_code_point(text);
    if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += text[0];
    } else if (c.value < 0x20 || c.value == 0x7F) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c.value) & 0xFFu);
      out += escape.data();
    } else if (c.value == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

void append_value(std::string& out, Value const& value) {
  if (auto const* text = std::get_if<std::string_view>(&value)) return append_string(out, *text);
  if (auto const* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else if (auto const* number = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (auto const* natural = std::get_if<std::uint64_t>(&value)) {
    out += std::to_string(*natural);
  } else if (double const real = std::get<double>(value); !std::isfinite(real)) {
    out += "null";  // JSON has no other word for it
  } else {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.6g", real);
    out += digits.data();
  }
}

}  // namespace

void set_level(Level level) { logger().set_level(level_of(level)); }

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (!logger().should_log(level_of(level))) return;
  std::string line = "{\"time\":\"" + iso8601(std::chrono::system_clock::now()) + "\",\"level\":\"";
  line += name_of(level);
  line += "\",\"event\":";
  append_string(line, event);
  for (Field const& field : fields) {
    line += ',';
    append_string(line, field.key);
    line += ':';
    append_value(line, field.value);
  }
  line += '}';
  logger().log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

void flush() { logger().flush(); }

}  // namespace kb::log
