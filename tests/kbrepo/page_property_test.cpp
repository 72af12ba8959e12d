#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "kbrepo/page.hpp"

using namespace kb::kbrepo;

namespace {

/// What parse_page promises for any bytes at all. Empty: kept; else what broke.
std::string broken_page(std::string_view raw) {
  Page const page = parse_page("a.md", {}, raw);
  std::vector<std::uint32_t> line_of(page.text.size() + 1, 1);
  for (std::size_t i = 0; i < page.text.size(); ++i) {
    bool const pair = page.text[i] == '\r' && i + 1 < page.text.size() && page.text[i + 1] == '\n';
    bool const ends = page.text[i] == '\n' || (page.text[i] == '\r' && !pair);
    line_of[i + 1] = line_of[i] + (ends ? 1 : 0);
  }
  std::uint32_t last_end = 0;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> owners;
  for (Block const& b : page.blocks) {
    if (b.begin >= b.end || b.end > page.text.size()) return "a block's range";
    if (b.begin < last_end) return "blocks overlap or are out of order";
    last_end = b.end;
    if (b.section >= page.sections.size() || b.paragraph == 0) return "a block's place";
    if (line_of[b.begin] != b.line_begin || line_of[b.end - 1] != b.line_end) return "a block's lines";
    if (b.line_begin <= page.sections[b.section].line) return "a block above its heading";
    if (b.context_begin != kNone && (b.context_end > b.begin || b.context_begin > b.context_end)) return "a context";
    auto const [owner, fresh] = owners.emplace(locator(page, b), std::pair(b.section, b.paragraph));
    if (!fresh && owner->second != std::pair(b.section, b.paragraph)) return "two paragraphs with one locator";
  }
  std::uint32_t next = 0;
  for (Passage const& p : page.passages) {
    if (p.begin > p.end || p.end > page.text.size()) return "a passage's range";
    if (p.first_block > p.last_block || p.last_block >= page.blocks.size()) return "a passage's blocks";
    if (p.first_block != next && !(next > 0 && p.first_block == next - 1)) return "a block in no passage";
    next = p.last_block + 1;
    for (std::uint32_t i = p.first_block; i <= p.last_block; ++i) {
      if (page.blocks[i].section != p.section) return "a passage over two sections";
    }
    if (p.first_block != p.last_block && page.blocks[p.last_block].end != p.end) return "a passage's end";
    if (line_of[p.end - (p.end > p.begin ? 1 : 0)] != p.line_end) return "a passage's last line";
  }
  return next == page.blocks.size() ? "" : "blocks behind the last passage";
}

/// Markdown-ish text: pieces that open, close and interrupt each other.
std::string random_text(std::uint32_t seed) {
  static char const* const kPieces[] = {
      "# A",        "## B ##",    "A",     "===",   "---",     "- a",    "  - b",  "1. c",    "   more",
      "text",       "文字，。",   "> q",   ">",     "|a|b|",   "|-|-|",  "|1|2|",  "```",     "~~~",
      "",           "",           "<!--",  "-->",   "<div>",   "</div>", "[x]: y", "[[l|m]]", "$$",
      "***",        "    code",   "\t- t", "!!! n", ":::",     "* * *",  "+",      "-",       "<script>",
      "</script>",  "- [ ] task", "#",     "字#\\", "[^1]: f", "a | b",  "--|--",  "\\|",     "=",
      "<h1>x</h1>", "***b***",    "`",     "[a](b", "\xFF\xC3"};
  static char const* const kBreaks[] = {"\n", "\n", "\n", "\r\n", "\r", "", " "};
  auto const next = [&seed](std::size_t bound) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % bound;
  };
  std::string out;
  if (next(5) == 0) out += "---\ntitle: x\n---\n";
  std::size_t const count = next(60);
  for (std::size_t i = 0; i < count; ++i) {
    out += kPieces[next(std::size(kPieces))];
    if (next(40) == 0) out += std::string(next(3000), 'y');
    out += kBreaks[next(std::size(kBreaks))];
  }
  return out;
}

}  // namespace

TEST_CASE("any text parses into ordered, disjoint blocks with true lines, and passages that hold them all") {
  for (std::uint32_t seed = 1; seed <= 4000; ++seed) {
    CAPTURE(seed);
    std::string const text = random_text(seed);
    std::string const broken = broken_page(text);
    if (!broken.empty()) CAPTURE(text);
    REQUIRE_EQ(broken, "");
  }
}

TEST_CASE("hostile pages cost time in proportion to their size") {
  for (char const* const piece :
       {"[", "<", "![", "[[", "> ", "- ", "\\", "`", "<!--", "|", "#", "a\n", "\t", "$$\n", "**"}) {
    CAPTURE(piece);
    std::string text;
    while (text.size() < 200'000) text += piece;
    REQUIRE_EQ(broken_page(text), "");
  }
}
