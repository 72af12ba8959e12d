/// One entry of `tokens` in kbgate.json.
#pragma once

#include <string>

#include "config/json_fields.hpp"
#include "config/settings.hpp"

namespace kb::config {

/// `name` is how messages call the entry ("tokens[0]"). With faults the result is what could be read.
[[nodiscard]] TokenSettings read_token(Json const& json, std::string name, FaultSink& sink);

}  // namespace kb::config
