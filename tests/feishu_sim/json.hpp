/// JSON as the simulator reads and writes it. For .cpp files of this folder and its inner headers only.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kb::feishu_sim {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline std::string dump(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The value at a dotted path ("event.message.chat_id"); null when there is none.
[[nodiscard]] Json at_path(Json const& json, std::string_view path);
/// Puts `value` at a dotted path and makes the objects on the way; null removes what is there.
void set_path(Json& json, std::string_view path, Json value);

// Members that may be missing or of another type: then `otherwise`.
[[nodiscard]] std::string text_or(Json const& json, std::string_view key, std::string_view otherwise = {});
[[nodiscard]] std::int64_t number_or(Json const& json, std::string_view key, std::int64_t otherwise);
[[nodiscard]] bool flag_or(Json const& json, std::string_view key, bool otherwise);
/// A member that is an array or an object; an empty object otherwise.
[[nodiscard]] Json part(Json const& json, std::string_view key);

/// Calls `visit` with every object in `json`, outer before inner. `visit` gives false to stop.
template <class Visit>
bool each_object(Json& json, Visit const& visit) {
  if (json.is_object() && !visit(json)) return false;
  if (!json.is_structured()) return true;
  for (auto& child : json) {
    if (!each_object(child, visit)) return false;
  }
  return true;
}

}  // namespace kb::feishu_sim
