/// The YAML head of a page, read from the parser's events: no tree is built, so that no alias can grow one.
#pragma once

#include <string_view>

#include "kbrepo/page.hpp"

namespace kb::kbrepo {

/// Reads the head of `text` when its first line is `---` and a later one `---` or `...` closes it (within 64 KiB).
/// A fault costs the values, never the page: `fault` says why, `lines` still says how much to leave out. `+++` heads
/// (TOML) are left out unread.
[[nodiscard]] FrontMatter parse_front_matter(std::string_view text);

}  // namespace kb::kbrepo
