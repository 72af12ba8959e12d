/// The structure that an answer's text really has: lines, items, headings, code and tables, quoted or not. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb::feishu {

struct Block {
  enum class Kind { line, item, heading, code, table };
  Kind kind = Kind::line;
  bool quoted = false;       ///< stood behind `>`: words of a page
  bool after_blank = false;  ///< a blank line stood before it
  std::string text;          ///< of a line, item or heading, without its marker; code without its fences
  std::string marker;        ///< of an item: "-" or as numbered, "3." or "3)"
  std::size_t indent = 0;    ///< of an item: blanks before the marker
  std::string language;      ///< of code; may be empty
  std::vector<std::vector<std::string>> rows;  ///< of a table: at least two, the first is the header
};

/// `text` is clean (clean_text). Every word of it is in one of the blocks.
[[nodiscard]] std::vector<Block> read_blocks(std::string_view text);

/// Takes the first line off, without its line feed.
[[nodiscard]] std::string_view take_line(std::string_view& text) noexcept;

}  // namespace kb::feishu
