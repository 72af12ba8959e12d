/// Links to a page on its hosting site.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/settings.hpp"
#include "kbrepo/ids.hpp"

namespace kb::kbrepo {

/// Everything but unreserved characters as %XX; `/` only when `keep` names it.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view keep = {});

/// settings.web_url filled in; empty without one. `line_begin` 0: a fragment that speaks of lines is left out.
[[nodiscard]] std::string page_url(config::RepoSettings const& settings, CommitId const& commit, std::string_view path,
                                   std::uint32_t line_begin, std::uint32_t line_end);

}  // namespace kb::kbrepo
