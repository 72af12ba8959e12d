/// One Markdown page as values: decoded text, sections, blocks with lines, and the passages that are searched and
/// cited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/encoding.hpp"
#include "kbrepo/ids.hpp"

namespace kb::kbrepo {

/// What a page is for, from one table over its path and front matter. Only evidence is ever cited.
enum class PageKind {
  evidence,
  navigation,  ///< index.md, README.md that is only links, SUMMARY.md, catalog.json: guide, never evidence (C-34)
  log,         ///< log.md: what others asked; a snapshot does not list it
  control,     ///< TEAM_INFO.md, AGENTS.md, CLAUDE.md, identity/: never quoted; a snapshot does not list them
};

/// Which of S1's reading priorities a page serves (S1-25…31), from its path.
enum class PageRole { project, person, concept_page, resource, material, other };

struct FrontMatter {
  std::string title;
  std::string type;
  std::vector<std::string> aliases;
  std::vector<std::string> tags;
  std::string date;         ///< first of updated_at, updated, last_updated, generated_at, date, as written (C-33)
  bool stale = false;       ///< `stale: true`
  std::string scope;        ///< whose chunks these are, for agents that ask by name (S2-45); empty: the base's
  std::string fault;        ///< why it did not parse; the page is served without metadata then
  std::uint32_t lines = 0;  ///< lines the front matter takes, its fences included
};

/// A heading and what lies under it. sections[0] is the text before the first heading: heading "", level 0.
struct Section {
  std::string heading;  ///< plain text, without the marks
  std::uint8_t level = 0;
  std::uint32_t parent = 0;  ///< index of the enclosing section; 0 for top-level ones
  std::uint32_t line = 0;    ///< 1-based line of the heading; 0 for sections[0]
};

enum class BlockKind : std::uint8_t { paragraph, list_item, table_row, fence, quote };

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// The smallest thing that is quoted. Bytes [begin, end) of Page::text, without the trailing line break; a table's
/// header and rule rows are no blocks of their own (a row's `context_begin/end` holds the header).
struct Block {
  BlockKind kind = BlockKind::paragraph;
  std::uint32_t begin = 0, end = 0;
  std::uint32_t line_begin = 0, line_end = 0;  ///< 1-based, inclusive, counting all lines of the file
  std::uint32_t section = 0;
  std::uint32_t paragraph =
      0;  ///< ¶ number inside the section, from 1; items of one list and rows of one table share theirs
  std::uint32_t context_begin = kNone,
                context_end = kNone;  ///< a list's lead line, a table's header row, a fence's caption
};

/// About 700 characters of consecutive blocks of one section: the unit of search (RETRIEVAL §7).
struct Passage {
  std::uint32_t first_block = 0, last_block = 0;  ///< inclusive
  std::uint32_t section = 0;
  std::uint32_t begin = 0, end = 0;  ///< bytes of Page::text
  std::uint32_t line_begin = 0, line_end = 0;
};

struct Page {
  std::string path;
  BlobId blob{};
  Encoding encoding = Encoding::utf8;
  std::string text;   ///< decoded UTF-8 without BOM; line ends as in the file; lines count as in the file
  std::string title;  ///< front matter title, else the first level-1 heading, else the file name without extension
  FrontMatter front;
  PageKind kind = PageKind::evidence;
  PageRole role = PageRole::other;
  std::vector<Section> sections;
  std::vector<Block> blocks;
  std::vector<Passage> passages;
  std::vector<std::string>
      links;  ///< targets of [[wikilinks]] and relative Markdown links, as written, without repeats

  [[nodiscard]] std::string_view bytes(Block const& b) const {
    return std::string_view(text).substr(b.begin, b.end - b.begin);
  }
  [[nodiscard]] std::string_view bytes(Passage const& p) const {
    return std::string_view(text).substr(p.begin, p.end - p.begin);
  }
  /// "A > B > C" of a section, outermost first.
  [[nodiscard]] std::string heading_path(std::uint32_t section) const;
};

/// Never fails: what does not parse is text. `raw` is the blob's content. Pure. O(bytes).
[[nodiscard]] Page parse_page(std::string path, BlobId blob, std::string_view raw);

[[nodiscard]] PageKind kind_of(std::string_view path) noexcept;
[[nodiscard]] PageRole role_of(std::string_view path) noexcept;
/// The `<id>` of `projects/<id>/…`, else empty.
[[nodiscard]] std::string_view project_of(std::string_view path) noexcept;

/// `section 'Heading' ¶2`: the same paragraph has the same locator in every output (ACCEPTANCE 1.5). A `'` in a heading
/// is doubled.
[[nodiscard]] std::string locator(Page const& page, Block const& block);

}  // namespace kb::kbrepo
