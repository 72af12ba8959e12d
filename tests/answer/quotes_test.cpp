#include "answer/quotes.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "answer/extractive.hpp"
#include "answer/render.hpp"
#include "answer/source_block.hpp"

namespace kb::answer {

TEST_CASE("marks, width and white space do not count; letters, digits and signs do") {
  struct Case {
    char const* markdown;
    char const* normal;
  };
  constexpr Case cases[] = {
      {"- **端口** 是 `5433`。", "端口是5433。"},
      {"使用 PostgreSQL　16", "使用PostgreSQL 16"},
      {"see [the run book](https://x/y)", "see the run book"},
      {"[[people/王敏|王敏]] 负责", "王敏负责"},
      {"> quoted\n> text", "quoted text"},
      {"2*3 and a_b", "2*3 and a_b"},
      {"１２３", "123"},
      {"~~旧方案~~", "~~旧方案~~"},
      {"3. third", "3. third"},
      {"", ""},
      {"\xff", "\uFFFD"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.markdown);
    CHECK(normalise(c.markdown).text == c.normal);
  }
}

TEST_CASE("the paragraph around a byte reads as it does in the whole text") {
  constexpr char const* text =
      "# Title\n\nA first\nparagraph.\n\n```sh\none  two\n\nthree\n```\n- item\n- more\n>\n> quoted\n> text\n \t\n| a "
      "| b |\n\n~~~\nopen *fence*\n\n# no heading\n";
  NormalText const whole = normalise(text);
  for (std::size_t at = 0; at < std::string_view(text).size(); ++at) {
    CAPTURE(at);
    NormalText const part = normalise_around(text, at);
    auto const found = whole.text.find(part.text);
    REQUIRE(found != std::string::npos);
    for (std::uint32_t const begin : part.breaks) {
      CHECK(std::find(whole.breaks.begin(), whole.breaks.end(), found + begin) != whole.breaks.end());
    }
    auto const inside = std::count_if(whole.breaks.begin(), whole.breaks.end(), [&](std::uint32_t begin) {
      return begin >= found && begin < found + part.text.size();
    });
    CHECK(static_cast<std::size_t>(inside) == part.breaks.size());
  }
}

TEST_CASE("normalising twice changes nothing") {
  for (char const* const text : {"a **b** c", "- 端口：`5433`", "x [y](z) w", "１ ２", "| a | b |"}) {
    auto const once = normalise(text).text;
    CHECK(normalise(once).text == once);
  }
}

TEST_CASE("a quote is not cut where that turns its sense") {
  auto const page = normalise(
      "A 不支持 B，但是支持 C。\n\n- 如果磁盘满了，删除日志。\n\nWe do not\nsupport XML. Use Y (version 2).\n\n端口 "
      "15433");
  CHECK(find_quote(page, normalise("A 不支持 B，但是支持 C。").text));
  CHECK(find_quote(page, "A不支持B"));
  CHECK_FALSE(find_quote(page, normalise("支持 B，但是支持 C。").text));
  CHECK_FALSE(find_quote(page, "删除日志。"));
  CHECK_FALSE(find_quote(page, "support XML."));
  CHECK(find_quote(page, "Use Y (version 2)."));
  CHECK_FALSE(find_quote(page, "5433"));
  CHECK_FALSE(find_quote(page, ""));
}

TEST_CASE("a quote may begin behind a line that only opens a box, or holds tags alone") {
  auto const page = normalise(":::danger\n大家寫文案\n:::\n\n<tr>\n<td>General questions</td>\n</tr>\n");
  CHECK(find_quote(page, "大家寫文案"));
  CHECK(find_quote(page, normalise("大家寫文案\n:::").text));
  CHECK(find_quote(page, normalise("<td>General questions</td>").text));
  auto const code = normalise("```\n:::\ndo not\nrun\n```\n\n:::info do not\na box");
  CHECK_FALSE(find_quote(code, "a box"));
}

TEST_CASE("sentences end at their marks, not inside numbers, names or abbreviations") {
  CHECK(sentences_of("版本是 1.5。用 e.g. Redis. Done!").size() == 3);
  CHECK(sentences_of("1. first step").size() == 1);
  CHECK(sentences_of("他说：“好。”然后走了。").size() == 2);
  CHECK(sentences_of("").empty());
}

TEST_CASE("numbers and denials are counted as written") {
  CHECK(numbers_of("2026-03-12 有 1,024 台，v2.5，三台") ==
        std::vector<std::string>{"2026", "03", "12", "1,024", "2.5", "三"});
  CHECK(negations_in("不支持，没有，特别好") == 2);
  CHECK(negations_in("It doesn't and will not; a knot") == 2);
}

TEST_CASE("links of a source are compared decoded and without lines (S1-37)") {
  CHECK(plain_link("https://h/o/r/src/commit/0a/a%20%E4%B8%AD.md#L1-L2") == "https://h/o/r/src/commit/0a/a 中.md");
  CHECK(plain_link("o/r:a.md#L3-L4") == "o/r:a.md");
  CHECK(plain_link("https://h/a.md#L1 and more") == "https://h/a.md#L1 and more");
  CHECK(path_in_link("o/r:docs/a.md#L1").value() == "docs/a.md");
  CHECK(path_in_link("https://h/o/r/src/branch/main/docs/a.md").value() == "docs/a.md");
  CHECK_FALSE(path_in_link("https://h/docs/a.md").has_value());
}

TEST_CASE("chat lines join wrapped text, keep items apart and show links as their text") {
  CHECK(chat_lines("one\ntwo", false) == std::vector<std::string>{"one two"});
  CHECK(chat_lines("中文\n换行", false) == std::vector<std::string>{"中文换行"});
  CHECK(chat_lines("lead:\n- a\n- b [c](d)", false) == std::vector<std::string>{"lead:", "- a", "- b c"});
  CHECK(chat_lines("x\ny", true) == std::vector<std::string>{"x", "y"});
  CHECK(chat_lines("", false).empty());
  CHECK(chat_lines("- ![](a.png)\n- b", false) == std::vector<std::string>{"- b"});
  CHECK(chat_lines("run:\n```sh\nmake [all](x)\n\n  make test\n```", false) ==
        std::vector<std::string>{"run:", "```sh", "make [all](x)", "  make test", "```"});
}

TEST_CASE("lines with invite codes are told from others (N-31)") {
  CHECK(holds_invite_code("邀请码：NLP-7F3K"));
  CHECK(holds_invite_code("Invite code is NLP-7F3K"));
  CHECK(holds_invite_code("加群邀请 NLP-7F3K"));
  CHECK(holds_invite_code("BIND-12AB"));
  CHECK_FALSE(holds_invite_code("邀请王敏参加组会"));
  CHECK_FALSE(holds_invite_code("标准是 ISO-8601"));
}

}  // namespace kb::answer
