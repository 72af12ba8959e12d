/// Small things that the simulator's parts share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tests/feishu_sim/json.hpp"
#include "tests/feishu_sim/simulator.hpp"

namespace kb::feishu_sim {

/// What follows the `?` of a target, decoded.
[[nodiscard]] std::map<std::string, std::string> parse_query(std::string_view target);
[[nodiscard]] std::string decode_percent(std::string_view text);

/// A fault asked for over the control API: `times` counts down, -1 is for ever. {"clear":true} empties the list.
void add_fault(Json& faults, Json const& how, int times);
/// Uses up and gives the first that is for `route` (or for "*"); an empty `route` is any.
[[nodiscard]] std::optional<Json> next_fault(Json& faults, std::string_view route);

/// ClientConfig of discovery and pongs.
[[nodiscard]] Json client_config(SimulatorOptions const& options);

/// Every path of `filter` has its value in `entry`.
[[nodiscard]] bool matches(Json const& entry, Json const& filter);

}  // namespace kb::feishu_sim
