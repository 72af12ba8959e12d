/// Files that can be made again: written whole or not at all, without waiting for the disk. What was torn by a loss of
/// power fails its reader's check and is built again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string_view>

#include "config/result.hpp"

namespace kb::kbrepo::index {

/// `write` fills a temporary file beside it, which then takes its place. unavailable: the old file is as it was.
[[nodiscard]] Result<void> replace_cache(std::filesystem::path const& file,
                                         std::function<void(std::ostream&)> const& write);

/// FNV-1a over eight bytes at a time, going on from `hash`: it finds damage, it is no defence.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes, std::uint64_t hash = 14695981039346656037u) noexcept;

}  // namespace kb::kbrepo::index
