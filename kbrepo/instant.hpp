/// Dates as people give them to `--at`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kb::kbrepo {

/// Seconds since 1970 in UTC of `2026-03-01` (the last second of that day), `2026-03-01T08:00`, `2026-03-01 08:00:30`,
/// with `Z`, `+08:00` or `-0530` behind a time. Without a zone it is UTC+8, as everywhere in the control files.
[[nodiscard]] std::optional<std::int64_t> parse_instant(std::string_view text) noexcept;

}  // namespace kb::kbrepo
