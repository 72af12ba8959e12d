/// Hits as a list for people and programs: CSV by template (RFC 4180) and JSON.
#pragma once

#include <string>
#include <string_view>

#include "answer/protocols/hits.hpp"

namespace kb::protocols {

/// S4-38. What a template without a file of its own holds.
inline constexpr std::string_view kHitListColumns = "file_path,location,snippet,relevance_score,notes";

/// The first line of `header` (a template) names the columns; also known: owner, repo, commit, lines, title, url, date,
/// heading. An unknown column stays empty.
[[nodiscard]] std::string to_csv(HitList const& list, std::string_view header = kHitListColumns);
/// `{success, query, method, hits[], roots[], notes[]}`; with `explain` the query taken apart and each hit's parts.
[[nodiscard]] std::string to_json(HitList const& list, bool explain);

}  // namespace kb::protocols
