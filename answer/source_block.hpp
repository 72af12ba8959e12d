/// The 来源 block as text: finding it, reading its lines, and whether a line names a given page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kb::answer {

/// One entry of the block, e.g. `1. 《页面名》（团队知识库）https://…#L3-L5`.
struct SourceLine {
  std::string text;                   ///< the whole line, trimmed
  int number = 0;                     ///< as written; 0 without one
  std::string title;                  ///< between 《》, or of a Markdown link; may be empty
  std::string label;                  ///< in the bracket; may be empty
  std::string link;                   ///< the rest: URL, `owner/repo:path#L1-L2`, or a bare title or path
  std::vector<std::string> excerpts;  ///< `> …` lines below it
};

struct SourceBlock {
  std::string_view body;  ///< what stands before the block
  bool present = false;
  bool says_none = false;  ///< 无 / none stands in it
  std::vector<SourceLine> lines;
};

/// The block starts at the first line that begins with 来源 or sources and a half- or full-width colon; it runs to the
/// end.
[[nodiscard]] SourceBlock read_source_block(std::string_view answer);

/// A link without fragment, percent-decoded. `<…>` around it is dropped.
[[nodiscard]] std::string plain_link(std::string_view link);
/// The repository path inside a link: after `owner/repo:` or the commit or branch of a web address; else nothing.
[[nodiscard]] std::optional<std::string> path_in_link(std::string_view link);

/// Whether title, path or link of the line is exactly `entry` (S1-48). Never a substring.
[[nodiscard]] bool names(SourceLine const& line, std::string_view entry);

}  // namespace kb::answer
