/// Secrets stand in files of their own; the settings name them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/json_fields.hpp"
#include "config/result.hpp"

namespace kb::config {

/// A `*_file` key: a path from `base`, or one in systemd's credentials directory when it begins with
/// $CREDENTIALS_DIRECTORY/. Empty when the key is absent.
[[nodiscard]] std::filesystem::path secret_file(Fields& fields, std::string_view key, std::filesystem::path const& base,
                                                FaultSink& sink);

/// The secret in `path`: one line of visible ASCII, blanks around it removed. `key` names the setting in errors, which
/// never hold what the file does. As read_file(); invalid_input when it is empty or of another form.
[[nodiscard]] Result<std::string> read_secret(std::filesystem::path const& path, std::string_view key);

}  // namespace kb::config
