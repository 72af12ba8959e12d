/// `adapters.feishu` in kbgate.json: one app, or a list of them.
#pragma once

#include <filesystem>
#include <vector>

#include "config/json_fields.hpp"
#include "config/settings.hpp"

namespace kb::config {

/// The apps that are enabled. `base` is the directory that relative paths start from.
[[nodiscard]] std::vector<FeishuSettings> read_feishu(Json const& json, std::filesystem::path const& base,
                                                      FaultSink& sink);

}  // namespace kb::config
