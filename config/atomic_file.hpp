/// Reading with a limit, and the one durable way to replace a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/result.hpp"

namespace kb::config {

/// not_found, denied, exhausted (larger than max_bytes) or unavailable, naming the path.
[[nodiscard]] Result<std::string> read_file(std::filesystem::path const& path, std::size_t max_bytes);

/// Temporary file beside it (same mode as the old file, or 0600), write, fsync, rename, fsync of the directory. When it
/// returns an error the old file is untouched.
[[nodiscard]] Result<void> replace_file(std::filesystem::path const& path, std::string_view content);

}  // namespace kb::config
