#include <algorithm>

#include "kbrepo/lines.hpp"
#include "kbrepo/markdown.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kPassageCharacters = 700;  // RETRIEVAL §7
constexpr std::size_t kLargeBlock = 2000;

std::size_t characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

class Cutter {
 public:
  explicit Cutter(Page& page) : page_(page) {}

  void run() {
    for (std::uint32_t i = 0; i < page_.blocks.size(); ++i) add(i);
    flush();
  }

 private:
  void add(std::uint32_t i) {
    Block const& block = page_.blocks[i];
    std::size_t const size = characters(page_.bytes(block));
    bool const other_section = open_ && passage_.section != block.section;
    if (open_ && (other_section || size_ + size > kPassageCharacters)) flush();
    if (size > kLargeBlock) {
      flush();
      cut_at_lines(i);
      return;
    }
    if (!open_) {
      passage_ = {i, i, block.section, start_of(i), block.end, block.line_begin, block.line_end};
      open_ = true;
      size_ = 0;
    }
    passage_.last_block = i;
    passage_.end = block.end;
    passage_.line_end = block.line_end;
    size_ += size;
  }

  /// A table's first row takes the header above it along.
  [[nodiscard]] std::uint32_t start_of(std::uint32_t i) const {
    Block const& block = page_.blocks[i];
    bool const first_row =
        block.kind == BlockKind::table_row &&
        (i == 0 || page_.blocks[i - 1].paragraph != block.paragraph || page_.blocks[i - 1].section != block.section);
    return first_row ? std::min(block.begin, block.context_begin) : block.begin;
  }

  void cut_at_lines(std::uint32_t i) {
    Block const& block = page_.blocks[i];
    LineReader reader(std::string_view(page_.text).substr(0, block.end), block.begin);
    std::uint32_t number = block.line_begin;
    Passage piece{i, i, block.section, block.begin, block.begin, number, number};
    std::size_t size = 0;
    while (auto const line = reader.next()) {
      std::size_t const more = characters(line->of(page_.text));
      if (more == 0) {  // no piece ends on an empty line
        ++number;
        continue;
      }
      if (size > 0 && size + more > kPassageCharacters) {
        page_.passages.push_back(piece);
        piece.begin = static_cast<std::uint32_t>(line->begin);
        piece.line_begin = number;
        size = 0;
      }
      piece.end = static_cast<std::uint32_t>(line->end);
      piece.line_end = number++;
      size += more;
    }
    page_.passages.push_back(piece);
  }

  void flush() {
    if (open_) page_.passages.push_back(passage_);
    open_ = false;
  }

  Page& page_;
  Passage passage_;
  bool open_ = false;
  std::size_t size_ = 0;
};

}  // namespace

void cut_passages(Page& page) { Cutter(page).run(); }

}  // namespace kb::kbrepo
