/// One way to print JSON: one object on one line, insertion order, broken UTF-8 replaced. For .cpp files of this room
/// only.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "config/control_files.hpp"

namespace kb::daemon {

using Json = nlohmann::ordered_json;

/// A binding as verbs and the scope object show it.
[[nodiscard]] Json binding_json(config::Binding const& binding);

inline std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
inline void print(std::ostream& out, Json const& json) { out << dump(json) << '\n' << std::flush; }

}  // namespace kb::daemon
