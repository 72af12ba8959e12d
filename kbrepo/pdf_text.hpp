/// The text of a PDF, read by poppler in a process of its own (kbrepo/pdf): whatever a file does, it does it there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/result.hpp"

namespace kb::kbrepo {

[[nodiscard]] bool is_pdf(std::string_view path) noexcept;

struct PdfText {
  std::string title;               ///< of the document's own data; may be empty
  std::vector<std::string> pages;  ///< UTF-8, lines as they stand
};
/// Blocks for as long as the file takes, at most 20 s. invalid_input: damaged, locked, or poppler came to grief over
/// it; exhausted: too long, too many pages (5,000) or too much text (8 MiB); unavailable: kbgate-pdf is not installed.
[[nodiscard]] Result<PdfText> pdf_text(std::string_view raw);

}  // namespace kb::kbrepo
