/// A PDF as a page of a knowledge base: each of its pages is a section, "page 12".
#pragma once

#include <string_view>

#include "kbrepo/page.hpp"

namespace kb::kbrepo {

/// Fills text, sections, blocks and the title's front matter. What cannot be read is an empty page whose
/// `front.fault` says why.
void read_pdf(Page& page, std::string_view raw);

}  // namespace kb::kbrepo
