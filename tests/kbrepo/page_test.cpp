#include "kbrepo/page.hpp"

#include <doctest/doctest.h>
#include <ostream>
#include <string>

using namespace kb::kbrepo;

namespace kb::kbrepo {
std::ostream& operator<<(std::ostream& out, PageKind kind) { return out << "kind " << static_cast<int>(kind); }
std::ostream& operator<<(std::ostream& out, PageRole role) { return out << "role " << static_cast<int>(role); }
}  // namespace kb::kbrepo

TEST_CASE("a path says what a page is for") {
  struct Row {
    char const* path;
    PageKind kind;
    PageRole role;
    char const* project;
  };
  static constexpr Row rows[] = {
      {"log.md", PageKind::log, PageRole::other, ""},
      {"docs/math/log.md", PageKind::evidence, PageRole::other, ""},
      {"TEAM_INFO.md", PageKind::control, PageRole::other, ""},
      {"sub/team_info.md", PageKind::control, PageRole::other, ""},
      {"AGENTS.md", PageKind::control, PageRole::other, ""},
      {"identity/group-bindings.md", PageKind::control, PageRole::other, ""},
      {".obsidian/a.md", PageKind::control, PageRole::other, ""},
      {"a/.github/b.md", PageKind::control, PageRole::other, ""},
      {"catalog.json", PageKind::navigation, PageRole::other, ""},
      {"index.md", PageKind::navigation, PageRole::other, ""},
      {"docs/README.md", PageKind::navigation, PageRole::other, ""},
      {"SUMMARY.md", PageKind::navigation, PageRole::other, ""},
      {"projects/atlas/index.md", PageKind::evidence, PageRole::project, "atlas"},
      {"projects/atlas/notes/index.md", PageKind::navigation, PageRole::project, "atlas"},
      {"projects/index.md", PageKind::navigation, PageRole::project, ""},
      {"brain/projects/x/README.md", PageKind::navigation, PageRole::project, "x"},
      {"people/李雷.md", PageKind::evidence, PageRole::person, ""},
      {"concepts/a.md", PageKind::evidence, PageRole::concept_page, ""},
      {"resources/a.md", PageKind::evidence, PageRole::resource, ""},
      {"summaries/papers/a.md", PageKind::evidence, PageRole::material, ""},
      {"notes/projects/a.md", PageKind::evidence, PageRole::other, ""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.path);
    CHECK_EQ(kind_of(row.path), row.kind);
    CHECK_EQ(role_of(row.path), row.role);
    CHECK_EQ(project_of(row.path), row.project);
  }
}

TEST_CASE("an index is navigation while it holds little but links (C-34)") {
  struct Row {
    char const* path;
    char const* text;
    PageKind kind;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"index.md", "# I\n- [[a]] — about a\n- [b](b.md)\n- [[c]]\n", PageKind::navigation, "links with briefs"},
      {"index.md", "# I\n\n|p|\n|-|\n|[a](a.md)|\n", PageKind::navigation, "rows of links"},
      {"README.md", "# R\nWe meet on Mondays.\n\nThe budget is 5.\n\n- [a](a.md)\n", PageKind::evidence, "real text"},
      {"README.md", "", PageKind::navigation, "nothing in it"},
      {"index.md", "- plain\n- items\n", PageKind::evidence, "a list of facts"},
      {"links.md", "- [a](a.md)\n", PageKind::evidence, "another name"},
      {"AGENTS.md", "Real text.", PageKind::control, "control whatever it says"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    CHECK_EQ(parse_page(row.path, {}, row.text).kind, row.kind);
  }
}

TEST_CASE("a title comes from the head, the first level-1 heading or the name") {
  CHECK_EQ(parse_page("a.md", {}, "---\ntitle: T\n---\n# H\n").title, "T");
  CHECK_EQ(parse_page("a.md", {}, "## Sub\n# H\n").title, "H");
  CHECK_EQ(parse_page("x/名 字.v2.md", {}, "text").title, "名 字.v2");
}

TEST_CASE("locators name heading and paragraph (ACCEPTANCE 1.5)") {
  Page const page = parse_page("a.md", {}, "t\n\n# Don't\na\n\n- b\n- c\n# Other\nx\n# Don't\nd\n");
  auto const at = [&page](std::size_t i) { return locator(page, page.blocks.at(i)); };
  CHECK_EQ(at(0), "section '' ¶1");
  CHECK_EQ(at(1), "section 'Don''t' ¶1");
  CHECK_EQ(at(2), "section 'Don''t' ¶2");
  CHECK_EQ(at(3), "section 'Don''t' ¶2");  // items of one list share it
  CHECK_EQ(at(5), "section 'Don''t' (2) ¶1");
}

TEST_CASE("links are the targets inside the repository, once, as written") {
  Page const page = parse_page("a.md", {},
                               "[[concepts/a|A]] [[b#c]] [x](../y%20z.md \"t\") [x](../y%20z.md) [w](https://e.org)\n"
                               "![i](img.png) [m](mailto:a@b.c) [h](#here) [p](a(1).md) [s](<with space.md>)\n\n"
                               "```\n[[in code]]\n```\n");
  std::string all;
  for (auto const& link : page.links) all += link + "|";
  CHECK_EQ(all, "concepts/a|b#c|../y%20z.md|img.png|a(1).md|with space.md|");
}

TEST_CASE("passages are whole blocks of one section, about 700 characters") {
  std::string text = "# A\n";
  for (int i = 0; i < 30; ++i) {
    for (int c = 0; c < 100; ++c) text += "字";
    text += "\n\n";
  }
  text += "# B\nshort\n";
  Page const page = parse_page("a.md", {}, text);
  REQUIRE_EQ(page.passages.size(), 6u);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_EQ(page.passages[i].last_block - page.passages[i].first_block, 6u);  // seven of 100
  }
  CHECK_EQ(page.bytes(page.passages.back()), "short");
  CHECK_EQ(page.passages.back().section, 2u);
}

TEST_CASE("a block over 2,000 characters is cut at its lines; a smaller one stays whole") {
  std::string fence = "```\n";
  for (int i = 0; i < 100; ++i) fence += std::string(50, 'x') + "\n";
  fence += "```\n";
  Page const large = parse_page("a.md", {}, fence);
  REQUIRE_EQ(large.blocks.size(), 1u);
  REQUIRE_GT(large.passages.size(), 5u);
  for (Passage const& p : large.passages) {
    CHECK_LE(p.end - p.begin, 760u);
    CHECK_EQ(p.first_block, 0u);
  }
  CHECK_EQ(large.passages.front().line_begin, 1u);
  CHECK_EQ(large.passages.back().line_end, 102u);
  Page const whole = parse_page("a.md", {}, "```\n" + std::string(1500, 'x') + "\n```\n\nafter\n");
  CHECK_EQ(whole.passages.size(), 2u);
}

TEST_CASE("a table's first passage takes the header along") {
  Page const page = parse_page("a.md", {}, "| key | value |\n|---|---|\n| a | 1 |\n| b | 2 |\n");
  REQUIRE_EQ(page.passages.size(), 1u);
  CHECK(page.bytes(page.passages[0]).starts_with("| key | value |"));
}

TEST_CASE("a GB18030 page is read as text and says so") {
  Page const page = parse_page("a.md", {}, "# \xB1\xEA\xCC\xE2\n\n\xD5\xFD\xCE\xC4\n");
  CHECK(page.encoding == Encoding::gb18030);
  CHECK_EQ(page.title, "标题");
  REQUIRE_EQ(page.blocks.size(), 1u);
  CHECK_EQ(page.bytes(page.blocks[0]), "正文");
}
