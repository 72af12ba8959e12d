/// One way to print JSON: one object on one line, insertion order, broken UTF-8 replaced. For .cpp files of this room
/// only.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace kb::daemon {

using Json = nlohmann::ordered_json;

inline std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
inline void print(std::ostream& out, Json const& json) { out << dump(json) << '\n' << std::flush; }

}  // namespace kb::daemon
