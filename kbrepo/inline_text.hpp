/// Inline Markdown, as far as headings, titles and links need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb::kbrepo {

/// The words a reader sees: emphasis, code marks, tags and link targets gone, escapes resolved.
[[nodiscard]] std::string plain_text(std::string_view markdown);

/// Adds the targets of [[wikilinks]] (without their label) and relative Markdown links, as written, that are not in
/// `out` yet.
void collect_links(std::string_view markdown, std::vector<std::string>& out);

/// The line is essentially one link: `[…](…)`, `[[…]]`, `<…>` or a bare address, with at most a remark behind it.
[[nodiscard]] bool starts_with_link(std::string_view text) noexcept;

/// The size of the HTML tag that `s` starts with, else 0: "a < b" and <https://…> are none.
[[nodiscard]] std::size_t tag_size(std::string_view s) noexcept;

}  // namespace kb::kbrepo
