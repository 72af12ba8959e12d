/// One entry of `repos` in kbgate.json.
#pragma once

#include <filesystem>
#include <string>

#include "config/json_fields.hpp"
#include "config/settings.hpp"

namespace kb::config {

/// `name` is how messages call the entry ("repos[0]"), `base` the directory that relative paths start from. With faults
/// the result is what could be read; its id is empty when that could not.
[[nodiscard]] RepoSettings read_repo(Json const& json, std::string name, std::filesystem::path const& base,
                                     FaultSink& sink);

}  // namespace kb::config
