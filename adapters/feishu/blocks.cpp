#include "adapters/feishu/blocks.hpp"

#include <algorithm>
#include <utility>

#include "adapters/feishu/escape.hpp"

namespace kb::feishu {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t run_of(std::string_view text, char c) noexcept { return std::min(text.find_first_not_of(c), text.size()); }

struct Fence {
  char mark = '`';
  std::size_t length = 0;  ///< 0: none is open
  bool quoted = false;
};

/// Whether the line opens code, and with which marks.
bool opens_code(std::string_view line, Fence& fence, std::string& info) {
  line = trim_blanks(line);
  for (char const mark : {'`', '~'}) {
    std::size_t const length = run_of(line, mark);
    if (length < 3) continue;
    std::string_view const rest = trim_blanks(line.substr(length));
    if (mark == '`' && rest.find('`') != rest.npos) return false;  // code within a line
    fence = {.mark = mark, .length = length, .quoted = fence.quoted};
    info = rest;
    return true;
  }
  return false;
}

/// A name of a language, as an editor would know it.
bool is_language(std::string_view info) noexcept {
  constexpr std::size_t kMaxLength = 20;
  return info.size() <= kMaxLength && std::all_of(info.begin(), info.end(), [](char c) {
           bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
           return letter || std::string_view("+#-_.").find(c) != std::string_view::npos;
         });
}

bool closes_code(std::string_view line, Fence const& fence) noexcept {
  line = trim_blanks(line);
  return run_of(line, fence.mark) >= fence.length && run_of(line, fence.mark) == line.size();
}

bool is_row(std::string_view line) noexcept {
  line = trim_blanks(line);
  return line.starts_with('|') && line.find('|', 1) != line.npos;
}

/// The mark of a source, "[3]", which an answer sets behind the last line of a quote.
bool is_mark(std::string_view cell) noexcept {
  return cell.size() > 2 && cell.front() == '[' && cell.back() == ']' &&
         std::all_of(cell.begin() + 1, cell.end() - 1, is_digit);
}

std::vector<std::string> cells_of(std::string_view line) {
  line = trim_blanks(line).substr(1);
  std::vector<std::string> out(1);
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && line.substr(at + 1).starts_with('|')) {
      out.back() += line[++at];
    } else if (line[at] == '|') {
      out.emplace_back();
    } else {
      out.back() += line[at];
    }
  }
  for (std::string& cell : out) cell = std::string(trim_blanks(cell));
  if (out.size() > 1 && out.back().empty()) {
    out.pop_back();
  } else if (out.size() > 1 && is_mark(out.back())) {
    std::string const mark = out.back();
    out.pop_back();
    out.back().append(out.back().empty() ? "" : " ").append(mark);
  }
  return out;
}

/// `--- | :---:`, which says where a table's header ends.
bool is_rule(std::vector<std::string> const& cells) noexcept {
  return std::all_of(cells.begin(), cells.end(), [](std::string const& cell) {
    return cell.find('-') != cell.npos && cell.find_first_not_of("-:") == cell.npos;
  });
}

bool read_item(std::string_view line, Block& out) {
  std::size_t const indent = std::min(line.find_first_not_of(" \t"), line.size());
  std::string_view rest = line.substr(indent);
  std::size_t marker = 0;
  if (!rest.empty() && std::string_view("-*+").find(rest.front()) != rest.npos) {
    marker = 1;
  } else {
    while (marker < rest.size() && marker < 4 && is_digit(rest[marker])) ++marker;
    bool const numbered =
        marker > 0 && marker < 4 && marker < rest.size() && (rest[marker] == '.' || rest[marker] == ')');
    marker = numbered ? marker + 1 : 0;
  }
  if (marker == 0 || marker >= rest.size() || rest[marker] != ' ') return false;
  std::string_view const text = trim_blanks(rest.substr(marker));
  if (text.empty()) return false;
  out.kind = Block::Kind::item;
  out.marker = marker == 1 ? "-" : std::string(rest.substr(0, marker));
  out.indent = indent;
  out.text = text;
  return true;
}

bool read_heading(std::string_view line, Block& out) {
  line = trim_blanks(line);
  std::size_t const level = run_of(line, '#');
  if (level == 0 || level > 6 || level >= line.size() || line[level] != ' ') return false;
  std::string_view const text = trim_blanks(line.substr(level));
  if (text.empty()) return false;
  out.kind = Block::Kind::heading;
  out.text = text;
  return true;
}

class Reader {
 public:
  std::vector<Block> read(std::string_view text) && {
    while (!text.empty()) read_line(take_line(text));
    end_table();
    return std::move(out_);
  }

 private:
  void read_line(std::string_view line) {
    bool const quoted = line.starts_with('>');
    std::string_view content = line;
    if (quoted) content = content.substr(line.starts_with("> ") ? 2 : 1);
    if (fence_.length > 0 && (quoted || !fence_.quoted)) return read_code(fence_.quoted ? content : line);
    fence_.length = 0;  // the quote ended, and the code in it
    bool const row = is_row(content);
    if (!row || quoted != rows_quoted_) end_table();
    if (trim_blanks(content).empty()) {
      blank_ = true;
      return;
    }
    if (row) {
      if (rows_.empty()) rows_after_blank_ = std::exchange(blank_, false);
      rows_quoted_ = quoted;
      rows_.emplace_back(trim_blanks(content));
      return;
    }
    Block block;
    block.quoted = quoted;
    block.after_blank = std::exchange(blank_, false);
    if (std::string info; opens_code(content, fence_, info)) {
      fence_.quoted = quoted;
      if (!is_language(info))
        add_line(block, std::move(info));  // words, which are not to get lost
      else
        block.language = std::move(info);
      block.kind = Block::Kind::code;
      empty_ = true;
    } else if (!read_item(content, block) && !read_heading(content, block)) {
      block.text = trim_blanks(content);
    }
    out_.push_back(std::move(block));
  }

  void add_line(Block line, std::string text) {
    line.text = std::move(text);
    out_.push_back(std::move(line));
  }

  void read_code(std::string_view line) {
    if (closes_code(line, fence_)) {
      fence_.length = 0;
      return;
    }
    std::string& text = out_.back().text;
    if (!std::exchange(empty_, false)) text += '\n';
    text += line;
  }

  /// Rows that make no table are lines.
  void end_table() {
    if (rows_.empty()) return;
    Block table;
    table.kind = Block::Kind::table;
    table.quoted = rows_quoted_;
    table.after_blank = rows_after_blank_;
    for (std::string const& row : rows_) table.rows.push_back(cells_of(row));
    if (table.rows.size() > 1 && is_rule(table.rows[1])) table.rows.erase(table.rows.begin() + 1);
    if (table.rows.size() > 1) {
      out_.push_back(std::move(table));
    } else {
      for (std::string& row : rows_) {
        Block line;
        line.quoted = rows_quoted_;
        line.after_blank = std::exchange(rows_after_blank_, false);
        line.text = std::move(row);
        out_.push_back(std::move(line));
      }
    }
    rows_.clear();
  }

  std::vector<Block> out_;
  Fence fence_;
  bool blank_ = false;
  bool empty_ = false;  ///< no line of the open code was read yet
  std::vector<std::string> rows_;
  bool rows_quoted_ = false;
  bool rows_after_blank_ = false;
};

}  // namespace

std::string_view take_line(std::string_view& text) noexcept {
  auto const end = std::min(text.find('\n'), text.size());
  std::string_view const line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<Block> read_blocks(std::string_view text) { return Reader().read(text); }

}  // namespace kb::feishu
