/// `answer` in kbgate.json: who drafts answers, and where the model is.
#pragma once

#include <filesystem>

#include "config/json_fields.hpp"
#include "config/settings.hpp"

namespace kb::config {

/// `base` is the directory that relative paths start from.
[[nodiscard]] AnswerSettings read_answer(Json const& json, std::filesystem::path const& base, FaultSink& sink);

}  // namespace kb::config
