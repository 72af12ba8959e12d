/// The two envelopes every call of the open platform answers with.
#pragma once

#include "tests/feishu_sim/api.hpp"

namespace kb::feishu_sim {

[[nodiscard]] Answer done(Json data = Json::object());
[[nodiscard]] Answer refused(World& world, Refusal const& refusal);

}  // namespace kb::feishu_sim
