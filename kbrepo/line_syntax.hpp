/// What one line of Markdown is, looked at by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kb::kbrepo::syntax {

/// Columns of leading white space; a tab goes to the next multiple of four.
[[nodiscard]] std::size_t indent_of(std::string_view line) noexcept;

struct Heading {
  std::uint8_t level = 0;
  std::string_view text;  ///< inline Markdown, without marks, trailing #s and {#anchor}
};
/// `# …` to `###### …`, at most three columns in; `##标题` too (two marks and more, then no ASCII); `<h2>…</h2>`.
[[nodiscard]] std::optional<Heading> heading(std::string_view line) noexcept;
[[nodiscard]] std::string_view without_attributes(std::string_view heading) noexcept;  ///< drops a trailing {…}

/// 1 for a line of `=`, 2 for a line of `-`, else 0.
[[nodiscard]] std::uint8_t setext_level(std::string_view line) noexcept;
[[nodiscard]] bool is_thematic_break(std::string_view line) noexcept;

struct Fence {
  char mark = '`';
  std::size_t length = 0;
};
[[nodiscard]] std::optional<Fence> opening_fence(std::string_view line) noexcept;
[[nodiscard]] bool closes(Fence const& fence, std::string_view line) noexcept;

struct ListMarker {
  std::size_t indent = 0;  ///< columns before the marker
  bool ordered = false;
  bool starts_at_one = false;  ///< an ordered one that may interrupt a paragraph
};
[[nodiscard]] std::optional<ListMarker> list_marker(std::string_view line) noexcept;

/// Cells of a table row; 0: no row at all.
[[nodiscard]] std::size_t cells(std::string_view line) noexcept;
[[nodiscard]] bool is_table_rule(std::string_view line) noexcept;

/// `[label]: target "title"`; footnotes are text.
[[nodiscard]] bool is_reference_definition(std::string_view line) noexcept;
/// `:::`, `:::info`: opens or closes a box and says nothing itself. With a title behind it, it is text.
[[nodiscard]] bool is_container_mark(std::string_view line) noexcept;
/// `!!! note "Title"`, `??? …`, `=== "Tab"`: a title that indented text follows.
[[nodiscard]] bool is_admonition(std::string_view line) noexcept;
/// Only HTML tags and space.
[[nodiscard]] bool is_only_tags(std::string_view line) noexcept;

}  // namespace kb::kbrepo::syntax
