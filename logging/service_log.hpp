/// The service log: one JSON object a line on stderr. Ids yes; question text, page text, names and secrets never.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace kb::log {

enum class Level { debug, info, warn, error };

/// A field's value. Views must live until write() returns.
using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

struct Field {
  std::string_view key;
  Value value;
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, std::string const& v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, char const* v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, int v) : key(k), value(static_cast<std::int64_t>(v)) {}
  Field(std::string_view k, long v) : key(k), value(static_cast<std::int64_t>(v)) {}
  Field(std::string_view k, unsigned v) : key(k), value(static_cast<std::uint64_t>(v)) {}
  Field(std::string_view k, unsigned long v) : key(k), value(static_cast<std::uint64_t>(v)) {}
  Field(std::string_view k, double v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v) {}
};

/// Sets the least level that is written; before it, warn. Thread-safe, as write is.
void set_level(Level level);
/// `event` is a stable dotted name ("question.settled"). Written as {"time","level","event",fields…}.
void write(Level level, std::string_view event, std::initializer_list<Field> fields = {});
void flush();

}  // namespace kb::log
