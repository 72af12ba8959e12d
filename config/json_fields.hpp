/// Reading the members of one JSON object by name and type, collecting every fault on the way.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/json_place.hpp"

namespace kb::config {

/// Where faults of one file go.
class FaultSink {
 public:
  FaultSink(std::string file, std::vector<Fault>& errors, std::vector<Fault>& warnings);

  void error(Place place, std::string message, std::string hint = {});
  void warning(Place place, std::string message, std::string hint = {});

 private:
  std::string file_;
  std::vector<Fault>& errors_;
  std::vector<Fault>& warnings_;
};

/// The members of an object, or of nothing when the value is no object (which is reported). What was asked for is a
/// known key; `reject_unknown` reports the rest. An absent member, like null, reads as the given default; one of the
/// wrong type is a fault and reads as the default too. `name` is how messages call the object: "repos[0]"; empty at the
/// top. Keys are literals: they are kept. Must not outlive the tree or the sink.
class Fields {
 public:
  Fields(Json const& object, std::string name, FaultSink& sink);

  [[nodiscard]] Json const* get(std::string_view key);  ///< null when absent or null
  [[nodiscard]] std::string text(std::string_view key, std::string fallback = {});
  [[nodiscard]] bool flag(std::string_view key, bool fallback);
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t fallback, std::int64_t low, std::int64_t high);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  /// One of a closed set of words; another is a fault with the nearest, or all of them.
  [[nodiscard]] std::string word(std::string_view key, std::span<std::string_view const> words,
                                 std::string_view fallback);
  /// The object or list of that name, or null; another type is a fault.
  [[nodiscard]] Json const* object(std::string_view key);
  [[nodiscard]] Json const* list(std::string_view key);

  [[nodiscard]] Place place() const noexcept;                      ///< of the object
  [[nodiscard]] Place place(std::string_view key) const noexcept;  ///< of the value; of the object when absent
  [[nodiscard]] std::string const& name() const noexcept;          ///< `repos[0]`
  [[nodiscard]] std::string path(std::string_view key) const;      ///< `repos[0].kind`

  /// Every member that nobody asked for is an error with the nearest known key, or all when none is near; one that
  /// looks like a secret says so instead.
  void reject_unknown();

 private:
  Json const* typed(std::string_view key, Json::Type type);

  Json const& object_;
  std::string name_;
  FaultSink& sink_;
  std::vector<std::string_view> asked_;
};

/// `"a", "b" or "c"`: for hints.
[[nodiscard]] std::string listed(std::span<std::string_view const> words);

}  // namespace kb::config
