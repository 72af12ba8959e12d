#include "kbrepo/page.hpp"

#include <algorithm>

#include "kbrepo/ascii.hpp"
#include "kbrepo/front_matter.hpp"
#include "kbrepo/inline_text.hpp"
#include "kbrepo/markdown.hpp"
#include "kbrepo/pdf_page.hpp"
#include "kbrepo/pdf_text.hpp"

namespace kb::kbrepo {
namespace {

std::string_view stem_of(std::string_view path) noexcept {
  std::string_view const name = path.substr(path.rfind('/') + 1);
  std::size_t const dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string title_of(Page const& page) {
  if (!page.front.title.empty()) return page.front.title;
  auto const top = std::find_if(page.sections.begin(), page.sections.end(),
                                [](Section const& s) { return s.level == 1 && !s.heading.empty(); });
  return top != page.sections.end() ? top->heading : std::string(stem_of(page.path));
}

/// The item or row does nothing but point somewhere: a link first, whatever remark follows.
bool only_points(Page const& page, Block const& block) {
  std::string_view s = page.bytes(block);
  if (block.kind == BlockKind::list_item) {
    s = s.substr(std::min(s.find_first_of(" \t"), s.size()));
    s = trimmed(s);
    if (s.starts_with("[ ]") || s.starts_with("[x]")) s.remove_prefix(3);
  } else if (block.kind == BlockKind::fence || block.kind == BlockKind::quote) {
    return false;
  }
  return starts_with_link(s);
}

/// index.md, README.md and their like are navigation only while they hold little but links (C-34): many wikis keep
/// their best pages under these names.
bool is_navigation(Page const& page) {
  if (page.path == "catalog.json") return true;
  auto const pointing =
      std::count_if(page.blocks.begin(), page.blocks.end(), [&page](Block const& b) { return only_points(page, b); });
  return static_cast<std::size_t>(pointing) * 3 >= page.blocks.size() * 2;
}

void read_text(Page& page, std::string_view raw) {
  if (auto decoded = decode(raw)) {
    page.text = std::move(decoded->text);
    page.encoding = decoded->encoding;
  }
  page.front = parse_front_matter(page.text);
  scan_blocks(page);
}

}  // namespace

std::string Page::heading_path(std::uint32_t section) const {
  std::string out;
  for (; section != 0; section = sections[section].parent) {
    out.insert(0, out.empty() ? sections[section].heading : sections[section].heading + " > ");
  }
  return out;
}

Page parse_page(std::string path, BlobId blob, std::string_view raw) {
  Page page;
  page.path = std::move(path);
  page.blob = blob;
  if (is_pdf(page.path)) {
    read_pdf(page, raw);
  } else {
    read_text(page, raw);
  }
  cut_passages(page);
  page.title = title_of(page);
  page.role = role_of(page.path);
  page.kind = kind_of(page.path);
  if (page.kind == PageKind::navigation && !is_navigation(page)) page.kind = PageKind::evidence;
  for (Block const& block : page.blocks) {
    if (block.kind != BlockKind::fence) collect_links(page.bytes(block), page.links);
  }
  return page;
}

std::string locator(Page const& page, Block const& block) {
  std::string const& heading = page.sections[block.section].heading;
  if (is_pdf(page.path)) return heading;  // S4-41: "page 12"
  std::string out = "section '";
  for (char const c : heading) out.append(c == '\'' ? 2 : 1, c);
  out += '\'';
  // A heading that stands more than once on the page: its second place is (2).
  auto const end = page.sections.begin() + block.section;
  auto const before = std::count_if(page.sections.begin(), end, [&](Section const& s) { return s.heading == heading; });
  if (before > 0) out += " (" + std::to_string(before + 1) + ")";
  return out + " ¶" + std::to_string(block.paragraph);
}

}  // namespace kb::kbrepo
