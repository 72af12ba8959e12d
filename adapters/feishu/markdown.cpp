#include "adapters/feishu/markdown.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/feishu/escape.hpp"

namespace kb::feishu {
namespace {

constexpr std::size_t kMaxTableBytes = 8'000;  // as sent; a bigger one could not be cut
constexpr std::size_t kMaxColumns = 12;
constexpr std::size_t kMaxHeadingBytes = 400;  // a longer one is a paragraph, which can be cut
constexpr std::size_t kMaxDepth = 4;

std::size_t longest_run(std::string_view text, char c) noexcept {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const run = std::min(text.find_first_not_of(c, at), text.size()) - at;
    longest = std::max(longest, run);
    at += std::max<std::size_t>(run, 1);
  }
  return longest;
}

Piece code_piece(Block const& block) {
  Piece out;
  out.code = true;
  out.text = without_mentions(block.text);
  std::string const fence(std::max<std::size_t>(3, longest_run(block.text, '`') + 1), '`');
  out.open = fence + block.language + '\n';
  out.reopen = out.open;
  out.close = '\n' + fence;
  return out;
}

std::string bold(std::string const& text) { return text.empty() ? text : "**" + text + "**"; }

std::size_t columns_of(Block const& block) {
  std::size_t columns = 0;
  for (auto const& row : block.rows) columns = std::max(columns, row.size());
  return columns;
}

std::string table_text(Block const& block) {
  std::size_t const columns = columns_of(block);
  std::string out;
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    if (i > 0) out += '\n';
    for (std::size_t column = 0; column < columns; ++column) {
      bool const given = column < block.rows[i].size();
      out += "| " + (given ? escape_markdown(block.rows[i][column]) : std::string()) + ' ';
    }
    out += '|';
    if (i > 0) continue;
    out += '\n';
    for (std::size_t column = 0; column < columns; ++column) out += "| --- ";
    out += '|';
  }
  return out;
}

class Writer {
 public:
  explicit Writer(std::size_t max_tables) : tables_left_(max_tables) {}

  std::vector<Piece> write(std::vector<Block> const& blocks) && {
    Block const* before = nullptr;
    for (Block const& block : blocks) {
      // Without a blank line, what follows a quote or an item would go on within it.
      bool const other = before == nullptr || before->kind != block.kind || before->quoted != block.quoted;
      paragraph_ = block.after_blank || other;
      if (block.kind != Block::Kind::item || paragraph_) depth_ = number_ = 0;
      if (before == nullptr || before->kind != Block::Kind::item) last_indent_ = 0;
      add(block);
      before = &block;
    }
    return std::move(out_);
  }

 private:
  void add(Block const& block) {
    switch (block.kind) {
      case Block::Kind::code:
        paragraph_ = true;
        return put(code_piece(block), false);
      case Block::Kind::table:
        return add_table(block);
      case Block::Kind::item:
        return add_item(block);
      case Block::Kind::heading:
        if (block.text.size() <= kMaxHeadingBytes) {
          return put(Piece{.text = bold(escape_markdown(block.text))}, block.quoted);
        }
        break;
      case Block::Kind::line:
        break;
    }
    put(Piece{.text = escape_markdown(block.text)}, block.quoted);
  }

  void put(Piece piece, bool quoted) {
    if (quoted) {
      piece.open.insert(0, "> ");
      piece.reopen.insert(0, "> ");
    }
    piece.paragraph = std::exchange(paragraph_, false);
    out_.push_back(std::move(piece));
  }

  void add_item(Block const& block) {
    if (block.indent > last_indent_) {
      depth_ = std::min(depth_ + 1, kMaxDepth);
    } else if (block.indent < last_indent_) {
      depth_ = std::min(depth_, block.indent / 2);
    }
    last_indent_ = block.indent;
    Piece piece{.text = escape_markdown(block.text)};
    piece.open = std::string(depth_ * 4, ' ') + marker_of(block) + ' ';
    put(std::move(piece), block.quoted);
  }

  /// A number that the list would not count by itself is text: a list shows its own numbers.
  std::string marker_of(Block const& block) {
    if (block.marker == "-") {
      number_ = 0;
      return block.marker;
    }
    int value = 0;
    std::from_chars(block.marker.data(), block.marker.data() + block.marker.size(), value);
    bool const counts =
        block.marker.ends_with('.') && depth_ == 0 && (value == 1 || (number_ > 0 && value == number_ + 1));
    number_ = counts ? value : 0;
    if (counts) return block.marker;
    std::string out = block.marker;
    return out.insert(out.size() - 1, kZeroWidth);
  }

  void add_table(Block const& block) {
    bool const small = columns_of(block) <= kMaxColumns;
    if (small && tables_left_ > 0) {
      Piece piece{.text = table_text(block)};
      if (sent_size(piece.text) <= kMaxTableBytes) {
        --tables_left_;
        paragraph_ = true;
        return put(std::move(piece), false);
      }
    }
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      Piece piece;
      piece.open = "- ";
      for (std::string const& cell : block.rows[i]) {
        if (cell.empty()) continue;
        std::string text = escape_markdown(cell);
        if (i == 0 && text.size() <= kMaxHeadingBytes) text = bold(text);
        piece.text.append(piece.text.empty() ? "" : " &#124; ").append(text);
      }
      if (!piece.text.empty()) put(std::move(piece), block.quoted);
    }
  }

  std::size_t tables_left_;
  std::vector<Piece> out_;
  bool paragraph_ = true;
  std::size_t depth_ = 0;
  std::size_t last_indent_ = 0;
  int number_ = 0;
};

}  // namespace

std::vector<Piece> to_markdown(std::vector<Block> const& blocks, std::size_t max_tables) {
  return Writer(max_tables).write(blocks);
}

}  // namespace kb::feishu
