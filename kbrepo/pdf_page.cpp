#include "kbrepo/pdf_page.hpp"

#include <algorithm>

#include "kbrepo/ascii.hpp"
#include "kbrepo/encoding.hpp"
#include "kbrepo/lines.hpp"
#include "kbrepo/pdf_text.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kLongestTitle = 200;

std::size_t characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

bool ends_sentence(std::string_view line) noexcept {
  for (std::string_view const mark : {".", "!", "?", ":", ";", "。", "！", "？", "：", "；"}) {
    if (line.ends_with(mark)) return true;
  }
  return false;
}

class Writer {
 public:
  explicit Writer(Page& page) : page_(page) { page_.sections.push_back({"", 0, 0, 0}); }

  void add_page(std::size_t number, std::string_view text) {
    page_.sections.push_back({"page " + std::to_string(number), 1, 0, line_});
    paragraph_ = 0;
    std::size_t widest = 0;
    for (LineReader lines(text); auto const line = lines.next();) {
      widest = std::max(widest, characters(trimmed(line->of(text))));
    }
    for (LineReader lines(text); auto const line = lines.next();) {
      std::string_view const one = trimmed(line->of(text));
      if (one.empty()) {
        close();
        continue;
      }
      take(one);
      // The layout has no paragraphs: a short line that ends a sentence ends one.
      if (ends_sentence(one) && characters(one) * 6 < widest * 5) close();
    }
    close();
  }

 private:
  void take(std::string_view line) {
    if (!open_) {
      auto const begin = static_cast<std::uint32_t>(page_.text.size());
      auto const section = static_cast<std::uint32_t>(page_.sections.size() - 1);
      Block block;
      block.begin = begin;
      block.line_begin = line_;
      block.section = section;
      block.paragraph = ++paragraph_;
      page_.blocks.push_back(block);
      open_ = true;
    }
    page_.text += line;
    page_.blocks.back().end = static_cast<std::uint32_t>(page_.text.size());
    page_.blocks.back().line_end = line_;
    page_.text += '\n';
    ++line_;
  }
  void close() {
    if (!open_) return;
    page_.text += '\n';
    ++line_;
    open_ = false;
  }

  Page& page_;
  std::uint32_t line_ = 1, paragraph_ = 0;
  bool open_ = false;
};

}  // namespace

void read_pdf(Page& page, std::string_view raw) {
  Result<PdfText> const pdf = pdf_text(raw);
  Writer writer(page);
  if (!pdf) {
    page.front.fault = pdf.error().what;
    return;
  }
  for (std::size_t i = 0; i < pdf->pages.size(); ++i) {
    std::optional<Decoded> const text = decode(pdf->pages[i]);
    writer.add_page(i + 1, text ? text->text : std::string_view());
  }
  std::string_view const title = trimmed(pdf->title);
  if (!title.empty() && title.size() <= kLongestTitle && title.find('\n') == title.npos) page.front.title = title;
}

}  // namespace kb::kbrepo
