#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kbrepo/page.hpp"

using kb::kbrepo::Block;
using kb::kbrepo::BlockKind;
using kb::kbrepo::Page;
using kb::kbrepo::parse_page;

namespace {

/// One line a block: kind, lines, paragraph, text (line breaks as ⏎), and « context.
std::vector<std::string> blocks_of(std::string const& text) {
  static constexpr char const* kKinds[] = {"p", "li", "tr", "code", "q"};
  Page const page = parse_page("a.md", {}, text);
  auto const flat = [](std::string_view bytes) {
    std::string out;
    for (char const c : bytes) out += c == '\n' ? std::string("⏎") : c == '\r' ? std::string("␍") : std::string(1, c);
    return out;
  };
  std::vector<std::string> out;
  for (Block const& b : page.blocks) {
    std::string line = kKinds[static_cast<int>(b.kind)];
    line += " " + std::to_string(b.line_begin);
    if (b.line_end != b.line_begin) line += "-" + std::to_string(b.line_end);
    line += " ¶" + std::to_string(b.paragraph) + " " + flat(page.bytes(b));
    if (b.context_begin != kb::kbrepo::kNone) {
      line += " « " + flat(std::string_view(page.text).substr(b.context_begin, b.context_end - b.context_begin));
    }
    out.push_back(std::move(line));
  }
  return out;
}

struct Row {
  char const* why;
  std::string text;
  std::vector<std::string> want;
};

void check(std::vector<Row> const& rows) {
  for (Row const& row : rows) {
    CAPTURE(row.why);
    CAPTURE(row.text);
    auto const got = blocks_of(row.text);
    std::string joined, wanted;
    for (auto const& line : got) joined += line + "\n";
    for (auto const& line : row.want) wanted += line + "\n";
    CHECK_EQ(joined, wanted);
  }
}

}  // namespace

TEST_CASE("paragraphs are runs of lines") {
  check({
      {"two", "a\nb\n\nc", {"p 1-2 ¶1 a⏎b", "p 4 ¶2 c"}},
      {"no line break at the end", "a", {"p 1 ¶1 a"}},
      {"white space around goes", "   a  \n b \n", {"p 1-2 ¶1 a  ⏎ b"}},
      {"CRLF", "a\r\nb\r\n\r\nc\r\n", {"p 1-2 ¶1 a␍⏎b", "p 4 ¶2 c"}},
      {"a lone CR ends a line", "a\rb\r\rc", {"p 1-2 ¶1 a␍b", "p 4 ¶2 c"}},
      {"front matter lines count", "---\ntitle: x\n---\n\na", {"p 5 ¶1 a"}},
      {"indented code is text", "    code\n", {"p 1 ¶1 code"}},
      {"nothing", "", {}},
      {"only space", " \n\t\n", {}},
  });
}

TEST_CASE("headings start sections and numbers") {
  check({
      {"ATX", "# A\na\n\nb\n## B\nc", {"p 2 ¶1 a", "p 4 ¶2 b", "p 6 ¶1 c"}},
      {"Setext", "A\n===\na\n\nB\n---\nb", {"p 3 ¶1 a", "p 7 ¶1 b"}},
      {"many lines over a rule stay text", "a\nb\nc\nd\n---\ne", {"p 1-4 ¶1 a⏎b⏎c⏎d", "p 6 ¶2 e"}},
      {"a hashtag is text", "#tag here", {"p 1 ¶1 #tag here"}},
      {"four columns in is text", "    # a", {"p 1 ¶1 # a"}},
      {"rules are not seen", "a\n\n***\n- - -\n\nb", {"p 1 ¶1 a", "p 6 ¶2 b"}},
  });
}

TEST_CASE("lists: an item with its lines; deeper items are blocks of their own under their parent") {
  check({
      {"lead line", "Steps:\n- a\n- b", {"p 1 ¶1 Steps:", "li 2 ¶2 - a « Steps:", "li 3 ¶2 - b « Steps:"}},
      {"lead line over a blank one",
       "步骤：\n\n1. a\n2. b",
       {"p 1 ¶1 步骤：", "li 3 ¶2 1. a « 步骤：", "li 4 ¶2 2. b « 步骤："}},
      {"text that announces nothing", "Done.\n\n- a", {"p 1 ¶1 Done.", "li 3 ¶2 - a"}},
      {"nested", "- a\n  - b\n    - c\n- d", {"li 1 ¶1 - a", "li 2 ¶1 - b « - a", "li 3 ¶1 - c « - b", "li 4 ¶1 - d"}},
      {"continuation lines", "- a\n  more\nlazy\n- b", {"li 1-3 ¶1 - a⏎  more⏎lazy", "li 4 ¶1 - b"}},
      {"blank lines between items", "- a\n\n- b\n\n- c", {"li 1 ¶1 - a", "li 3 ¶1 - b", "li 5 ¶1 - c"}},
      {"a second paragraph of an item", "- a\n\n  more\n- b", {"li 1 ¶1 - a", "li 3 ¶1 more « - a", "li 4 ¶1 - b"}},
      {"text after a list", "- a\n\nb", {"li 1 ¶1 - a", "p 3 ¶2 b"}},
      {"two lists", "- a\n\nb\n\n- c", {"li 1 ¶1 - a", "p 3 ¶2 b", "li 5 ¶3 - c"}},
      {"a year does not start a list in a sentence", "It was\n1986. A year", {"p 1-2 ¶1 It was⏎1986. A year"}},
      {"tasks and other marks", "* [ ] a\n+ b\n3) c", {"li 1 ¶1 * [ ] a", "li 2 ¶1 + b", "li 3 ¶1 3) c"}},
      {"no space, no item", "-a\n*b*", {"p 1-2 ¶1 -a⏎*b*"}},
  });
}

TEST_CASE("tables: rows under their header") {
  check({
      {"rows", "|k|v|\n|-|:-:|\n|a|1|\n|b|2|", {"tr 3 ¶1 |a|1| « |k|v|", "tr 4 ¶1 |b|2| « |k|v|"}},
      {"no outer bars", "k | v\n--|--\na | 1\n\nx", {"tr 3 ¶1 a | 1 « k | v", "p 5 ¶2 x"}},
      {"after text", "text\n|k|\n|-|\n|a|", {"p 1 ¶1 text", "tr 4 ¶2 |a| « |k|"}},
      {"only a header is text", "|k|v|\n|-|-|\n", {"p 1 ¶1 |k|v|"}},
      {"a bar in text is no table", "a | b\nc", {"p 1-2 ¶1 a | b⏎c"}},
      {"widths must agree", "|a|b|c|\n|-|-|\n", {"p 1-2 ¶1 |a|b|c|⏎|-|-|"}},
      {"an escaped bar", "|a\\|b|c|\n|-|-|\n|1|2|", {"tr 3 ¶1 |1|2| « |a\\|b|c|"}},
  });
}

TEST_CASE("fences are one block with their caption") {
  check({
      {"caption",
       "Run:\n```sh\nls\n\n# no heading\n```\nb",
       {"p 1 ¶1 Run:", "code 2-6 ¶2 ```sh⏎ls⏎⏎# no heading⏎``` « Run:", "p 7 ¶3 b"}},
      {"tildes, longer closing", "~~~\n```\n~~~~\n", {"code 1-3 ¶1 ~~~⏎```⏎~~~~"}},
      {"never closed", "```\na\nb", {"code 1-3 ¶1 ```⏎a⏎b"}},
      {"in an item", "- a\n  ```\n  x\n  ```\n- b", {"li 1 ¶1 - a", "code 2-4 ¶2 ```⏎  x⏎  ``` « - a", "li 5 ¶1 - b"}},
      {"a span on one line is text", "```a``` b", {"p 1 ¶1 ```a``` b"}},
      {"far from its caption", "a\n\n\n```\n```", {"p 1 ¶1 a", "code 4-5 ¶2 ```⏎```"}},
  });
}

TEST_CASE("quotes are cut at their blank lines") {
  check({
      {"one", "> a\n> b\nlazy", {"q 1-3 ¶1 > a⏎> b⏎lazy"}},
      {"two paragraphs", "> a\n>\n> b", {"q 1 ¶1 > a", "q 3 ¶2 > b"}},
      {"between text", "x\n> a\n\ny", {"p 1 ¶1 x", "q 2 ¶2 > a", "p 4 ¶3 y"}},
  });
}

TEST_CASE("what a reader does not see is no block") {
  check({
      {"comment", "a\n<!-- secret\nstill -->\nb", {"p 1 ¶1 a", "p 4 ¶2 b"}},
      {"comment without end", "a\n<!-- secret\nb", {"p 1 ¶1 a"}},
      {"script and style", "<script>\nx\n</script>\na\n<STYLE>y</STYLE>\nb", {"p 4 ¶1 a", "p 6 ¶2 b"}},
      {"tags alone", "<div align=\"center\">\na\n</div>", {"p 2 ¶1 a"}},
      {"a link in angles is text", "<https://example.org>", {"p 1 ¶1 <https://example.org>"}},
      {"reference definitions", "a\n\n[x]: http://e.org \"t\"\n\nb", {"p 1 ¶1 a", "p 5 ¶2 b"}},
      {"a footnote is text", "[^1]: note", {"p 1 ¶1 [^1]: note"}},
      {"a label with a sentence is text", "[Note]: this matters much", {"p 1 ¶1 [Note]: this matters much"}},
      {"box marks", ":::info\na\n:::", {"p 2 ¶1 a"}},
  });
}

TEST_CASE("dialects people write") {
  check({
      {"admonition", "!!! note \"T\"\n    a\n    - b", {"p 1 ¶1 !!! note \"T\"", "p 2 ¶2 a", "li 3 ¶3 - b « a"}},
      {"display formula", "$$\n- a\n+ b\n$$\nc", {"p 1-5 ¶1 $$⏎- a⏎+ b⏎$$⏎c"}},
      {"glued Chinese heading", "##标题\na", {"p 2 ¶1 a"}},
  });
}

TEST_CASE("headings are plain text, with their level, line and place") {
  struct Want {
    char const* source;
    char const* heading;
    int level;
  };
  static constexpr Want rows[] = {
      {"# Title", "Title", 1},
      {"## Title ##", "Title", 2},
      {"### C# ###", "C#", 3},
      {"# Title {#anchor}", "Title", 1},
      {"# Title {.cls} #", "Title", 1},
      {"# **Bold** `code` [link](x.md) [[a|b]]", "Bold code link b", 1},
      {"# snake_case and _em_", "snake_case and em", 1},
      {"# a \\# b", "a # b", 1},
      {"#", "", 1},
      {"###### six", "six", 6},
      {"##标题", "标题", 2},
      {"<h2 align=\"center\">Mid</h2>", "Mid", 2},
      {"A **b**\nc\n---", "A b c", 2},
      {"# ![logo](x.png) Name", "logo Name", 1},
      {"# a < b", "a < b", 1},
  };
  for (auto const& row : rows) {
    CAPTURE(row.source);
    Page const page = parse_page("a.md", {}, row.source);
    REQUIRE_EQ(page.sections.size(), 2u);
    CHECK_EQ(page.sections[1].heading, row.heading);
    CHECK_EQ(static_cast<int>(page.sections[1].level), row.level);
    CHECK_EQ(page.sections[1].line, 1u);
  }
}

TEST_CASE("sections know what they stand under") {
  Page const page = parse_page("a.md", {}, "# A\n### C\nx\n## B\n# D\n");
  REQUIRE_EQ(page.sections.size(), 5u);
  CHECK_EQ(page.heading_path(2), "A > C");
  CHECK_EQ(page.heading_path(3), "A > B");
  CHECK_EQ(page.heading_path(4), "D");
  CHECK_EQ(page.heading_path(0), "");
}
