/// Why a question was answered as it was, as JSON. For .cpp files of this room only.
#pragma once

#include "answer/examine.hpp"
#include "daemon/json_out.hpp"

namespace kb::daemon {

[[nodiscard]] Json evidence_json(answer::Evidence const& evidence);
/// {"asked": per repository the terms with their weights, "ranked": the best passages with the parts of their scores,
/// "evidence", "score"}.
[[nodiscard]] Json explain_json(answer::Examination const& examination);

}  // namespace kb::daemon
