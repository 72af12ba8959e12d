/// The block structure of a Markdown page, line by line: CommonMark and GFM as people write them, not as a renderer
/// must. Indented code is read as text (lists and fences inside admonitions and tabs are indented too).
#pragma once

#include "kbrepo/page.hpp"

namespace kb::kbrepo {

/// Fills `page.sections` and `page.blocks` from `page.text`, leaving out `page.front.lines`. Blocks are in order, do
/// not overlap and hold every line a reader sees, except headings, a table's header and rule, HTML comments, scripts,
/// styles, lines of tags or box marks alone, rules and link reference definitions. O(bytes).
void scan_blocks(Page& page);

/// Cuts `page.blocks` into `page.passages`: up to about 700 characters of whole blocks of one section; a block over
/// 2,000 characters is cut at its lines.
void cut_passages(Page& page);

}  // namespace kb::kbrepo
