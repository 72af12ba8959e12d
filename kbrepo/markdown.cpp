#include "kbrepo/markdown.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kbrepo/ascii.hpp"
#include "kbrepo/inline_text.hpp"
#include "kbrepo/line_syntax.hpp"
#include "kbrepo/lines.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxSetextLines = 3;  ///< more lines over `---` are text over a rule
constexpr std::size_t kMaxMathLines = 200;

class Scanner {
 public:
  explicit Scanner(Page& page) : page_(page), text_(page.text) {
    LineReader reader(text_);
    while (auto const line = reader.next()) lines_.push_back(*line);
    page_.sections.emplace_back();
  }

  void run() {
    for (std::size_t i = page_.front.lines; i < lines_.size();) i = take(i);
    close();
  }

 private:
  /// The block that is growing: lines [first, last].
  struct Open {
    BlockKind kind = BlockKind::paragraph;
    std::size_t first = 0, last = 0;
    std::uint32_t paragraph = 0;
    std::uint32_t context_begin = kNone, context_end = kNone;
  };
  /// An item that later, deeper ones lie under.
  struct Item {
    std::size_t indent = 0;
    std::uint32_t lead_begin = kNone, lead_end = kNone;  ///< its first line
  };
  struct List {
    std::uint32_t paragraph = 0;
    std::uint32_t lead_begin = kNone, lead_end = kNone;
    std::vector<Item> items;
  };

  [[nodiscard]] std::string_view line(std::size_t i) const { return lines_[i].of(text_); }

  /// Takes line `i` and what belongs to it; the first line not taken.
  std::size_t take(std::size_t i) {
    std::string_view const s = trimmed(line(i));
    if (s.empty()) {
      close();
      return i + 1;
    }
    if (s.starts_with("<!--")) return skip_through(i, "-->");
    if (starts_with_ascii(s, "<script")) return skip_through(i, "</script>");
    if (starts_with_ascii(s, "<style")) return skip_through(i, "</style>");
    if (auto const fence = syntax::opening_fence(line(i))) return take_fence(i, *fence);
    if (auto const found = syntax::heading(line(i))) {
      close();
      open_section(found->level, plain_text(found->text), i);
      return i + 1;
    }
    if (auto const level = syntax::setext_level(line(i)); level > 0 && close_as_heading(level)) return i + 1;
    if (syntax::is_thematic_break(line(i))) {
      close();
      list_.reset();
      return i + 1;
    }
    if (starts_table(i)) return take_table(i);
    if (s.starts_with('>')) return take_quote(i);
    if (auto const marker = syntax::list_marker(line(i)); marker && may_start_item(*marker)) {
      open_item(i, marker->indent);
      return i + 1;
    }
    if (!open_ && syntax::is_reference_definition(line(i))) return i + 1;
    if (syntax::is_only_tags(line(i)) || syntax::is_container_mark(line(i))) {
      close();
      return i + 1;
    }
    if (syntax::is_admonition(line(i))) {
      close();
      take_text(i);
      close();
      return i + 1;
    }
    return take_text(i);
  }

  std::size_t skip_through(std::size_t i, std::string_view end) {
    close();
    while (i < lines_.size() && !contains(line(i), end)) ++i;
    return i + 1;
  }
  static bool contains(std::string_view s, std::string_view part) {
    return std::search(s.begin(), s.end(), part.begin(), part.end(),
                       [](char a, char b) { return lower(a) == lower(b); }) != s.end();
  }

  std::size_t take_fence(std::size_t i, syntax::Fence const& fence) {
    close();
    end_list_unless_indented(i);
    std::size_t last = i + 1;
    while (last < lines_.size() && !syntax::closes(fence, line(last))) ++last;
    last = std::min(last, lines_.size() - 1);
    Open block{BlockKind::fence, i, last, next_paragraph()};
    bool const captioned =
        !page_.blocks.empty() && page_.blocks.back().kind <= BlockKind::list_item && gap_before(i) <= 1;
    if (captioned) set_context(block, last_line(page_.blocks.back()));
    emit(block);
    return last + 1;
  }

  [[nodiscard]] bool starts_table(std::size_t i) const {
    if (i + 1 >= lines_.size()) return false;
    std::size_t const width = syntax::cells(line(i));
    return width > 0 && syntax::is_table_rule(line(i + 1)) && syntax::cells(line(i + 1)) == width;
  }

  std::size_t take_table(std::size_t i) {
    close();
    end_list_unless_indented(i);
    std::size_t row = i + 2;
    Open block{BlockKind::table_row, row, row, next_paragraph()};
    set_context(block, content_of(i, i));
    while (row < lines_.size() && is_row(row)) {
      block.first = block.last = row++;
      emit(block);
    }
    if (row == i + 2) emit(Open{BlockKind::paragraph, i, i, block.paragraph});  // a header alone is still seen
    return row;
  }
  [[nodiscard]] bool is_row(std::size_t i) const {
    std::string_view const s = trimmed(line(i));
    return syntax::cells(s) > 0 && !syntax::opening_fence(s) && !syntax::heading(s) && !s.starts_with('>') &&
           !s.starts_with("<!--");
  }

  std::size_t take_quote(std::size_t i) {
    bool const blank = trimmed(line(i)).find_first_not_of("> \t") == std::string_view::npos;
    if (!open_ || open_->kind != BlockKind::quote) {
      close();
      end_list_unless_indented(i);
      if (!blank) open_ = Open{BlockKind::quote, i, i, next_paragraph()};
    } else if (blank) {
      close();
    } else {
      open_->last = i;
    }
    return i + 1;
  }

  [[nodiscard]] bool may_start_item(syntax::ListMarker const& marker) const {
    bool const inside_text = open_ && open_->kind == BlockKind::paragraph;
    return !inside_text || !marker.ordered || marker.starts_at_one;
  }

  void open_item(std::size_t i, std::size_t indent) {
    close();
    if (!list_) start_list(i);
    auto& items = list_->items;
    while (!items.empty() && indent < items.back().indent + 2) items.pop_back();
    Open block{BlockKind::list_item, i, i, list_->paragraph, list_->lead_begin, list_->lead_end};
    if (!items.empty()) {
      block.context_begin = items.back().lead_begin;
      block.context_end = items.back().lead_end;
    }
    auto const [begin, end] = content_of(i, i);
    items.push_back({indent, begin, end});
    open_ = block;
  }

  void start_list(std::size_t i) {
    list_.emplace();
    list_->paragraph = next_paragraph();
    if (page_.blocks.empty() || page_.blocks.back().kind != BlockKind::paragraph) return;
    Block const& before = page_.blocks.back();
    if (before.section != section()) return;
    auto const [begin, end] = last_line(before);
    if (gap_before(i) > 0 && !announces(std::string_view(text_).substr(begin, end - begin))) return;
    list_->lead_begin = begin;
    list_->lead_end = end;
  }
  /// "Steps:", "步骤：" or a line in bold: it speaks of the list even across a blank line.
  static bool announces(std::string_view lead) {
    if (lead.starts_with("**") && lead.ends_with("**")) return true;
    std::size_t const last = lead.find_last_not_of("*_ \t");
    lead = last == std::string_view::npos ? std::string_view() : lead.substr(0, last + 1);
    return lead.ends_with(':') || lead.ends_with("：");
  }

  std::size_t take_text(std::size_t i) {
    if (!open_) {
      bool const in_item = list_ && syntax::indent_of(line(i)) >= 2;
      if (in_item) {
        open_ = Open{BlockKind::list_item,         i, i, list_->paragraph, list_->items.front().lead_begin,
                     list_->items.front().lead_end};
      } else {
        list_.reset();
        open_ = Open{BlockKind::paragraph, i, i, next_paragraph()};
      }
    }
    open_->last = math_end(i);
    return open_->last + 1;
  }
  /// A display formula may hold lines that look like lists or rules: it is taken whole.
  [[nodiscard]] std::size_t math_end(std::size_t i) const {
    std::string_view const s = trimmed(line(i));
    if (!s.starts_with("$$") || s.find("$$", 2) != std::string_view::npos) return i;
    std::size_t const limit = std::min(lines_.size(), i + kMaxMathLines);
    for (std::size_t at = i + 1; at < limit; ++at) {
      if (line(at).find("$$") != std::string_view::npos) return at;
    }
    return i;
  }

  bool close_as_heading(std::uint8_t level) {
    bool const fits = open_ && open_->kind == BlockKind::paragraph && open_->last - open_->first < kMaxSetextLines;
    if (!fits) return false;
    Open const lines = *open_;
    open_.reset();
    auto const [begin, end] = content_of(lines.first, lines.last);
    std::string_view const marked = syntax::without_attributes(text_.substr(begin, end - begin));
    open_section(level, plain_text(marked), lines.first);
    return true;
  }

  void open_section(std::uint8_t level, std::string heading, std::size_t i) {
    list_.reset();
    std::uint32_t parent = section();
    while (parent != 0 && page_.sections[parent].level >= level) parent = page_.sections[parent].parent;
    page_.sections.push_back({std::move(heading), level, parent, static_cast<std::uint32_t>(i + 1)});
    paragraphs_ = 0;
  }

  void close() {
    if (open_) emit(*open_);
    open_.reset();
  }

  void emit(Open open) {
    while (open.last > open.first && trimmed(line(open.last)).empty()) --open.last;  // a fence that nothing closes
    auto const [begin, end] = content_of(open.first, open.last);
    page_.blocks.push_back({open.kind, begin, end, static_cast<std::uint32_t>(open.first + 1),
                            static_cast<std::uint32_t>(open.last + 1), section(), open.paragraph, open.context_begin,
                            open.context_end});
  }

  using Range = std::pair<std::uint32_t, std::uint32_t>;
  /// Bytes of lines [first, last] without the white space around them.
  [[nodiscard]] Range content_of(std::size_t first, std::size_t last) const {
    auto const is_blank = [this](std::size_t at) { return text_[at] == ' ' || text_[at] == '\t'; };
    std::size_t begin = lines_[first].begin;
    while (begin < text_.size() && is_blank(begin)) ++begin;
    std::size_t end = lines_[last].end;
    while (end > begin && (is_blank(end - 1) || text_[end - 1] == '\r' || text_[end - 1] == '\n')) --end;
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  [[nodiscard]] Range last_line(Block const& block) const { return content_of(block.line_end - 1, block.line_end - 1); }
  static void set_context(Open& block, Range range) { std::tie(block.context_begin, block.context_end) = range; }

  /// Lines between the last block and line `i`; many when there is none or it lies in another section.
  [[nodiscard]] std::size_t gap_before(std::size_t i) const {
    bool const none = page_.blocks.empty() || page_.blocks.back().section != section();
    return none ? kNone : i - page_.blocks.back().line_end;
  }
  void end_list_unless_indented(std::size_t i) {
    if (syntax::indent_of(line(i)) < 2) list_.reset();
  }
  [[nodiscard]] std::uint32_t section() const { return static_cast<std::uint32_t>(page_.sections.size() - 1); }
  std::uint32_t next_paragraph() { return ++paragraphs_; }

  Page& page_;
  std::string_view text_;
  std::vector<Line> lines_;
  std::optional<Open> open_;
  std::optional<List> list_;
  std::uint32_t paragraphs_ = 0;  ///< given out in the current section
};

}  // namespace

void scan_blocks(Page& page) { Scanner(page).run(); }

}  // namespace kb::kbrepo
