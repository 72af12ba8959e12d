#include "kbrepo/front_matter.hpp"

#include <doctest/doctest.h>
#include <string>

using kb::kbrepo::parse_front_matter;

TEST_CASE("front matter gives title, aliases, tags, date and staleness") {
  auto const front = parse_front_matter(
      "---\ntitle: Atlas\ntype: project\naliases: [阿特拉斯, atlas-2]\ntags:\n  - a\n  - b\nupdated: 2026-03-01\n"
      "date: 2020-01-01\nstale: true\nnested: {title: not this}\n---\n# Body\n");
  CHECK_EQ(front.title, "Atlas");
  CHECK_EQ(front.type, "project");
  REQUIRE_EQ(front.aliases.size(), 2u);
  CHECK_EQ(front.aliases[0], "阿特拉斯");
  REQUIRE_EQ(front.tags.size(), 2u);
  CHECK_EQ(front.date, "2026-03-01");  // C-33: updated goes before date
  CHECK(front.stale);
  CHECK_EQ(front.fault, "");
  CHECK_EQ(front.lines, 12u);
}

TEST_CASE("dates are taken in the order of C-33") {
  struct Row {
    char const* head;
    char const* date;
  };
  static constexpr Row rows[] = {
      {"date: d\nupdated_at: a\nupdated: b\n", "a"},
      {"date: d\nlast_updated: l\n", "l"},
      {"generated_at: g\ndate: d\n", "g"},
      {"date: 2026-1-2\n", "2026-1-2"},
      {"other: x\n", ""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.head);
    CHECK_EQ(parse_front_matter("---\n" + std::string(row.head) + "---\n").date, row.date);
  }
}

TEST_CASE("a fault costs the values and names its line; the head is left out of the text all the same") {
  struct Row {
    std::string text;
    std::uint32_t lines;
    char const* fault;  ///< part of it
    char const* why;
  };
  std::string bomb = "---\na: &a [x, x]\n";
  for (char c = 'b'; c < 'm'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + ", *" + static_cast<char>(c - 1) + "]\n";
  }
  std::string deep = "---\nt: ";
  for (int i = 0; i < 100; ++i) deep += "[";
  std::string const rows_deep = deep + "\n---\n";
  Row const rows[] = {
      {"---\ntitle: a: b\n---\nx", 3, "line 2", "a colon in a plain value"},
      {"---\ntitle: [open\n---\nx", 3, "line ", "an open bracket"},
      {bomb + "---\n", 14, "aliases", "aliases that multiply"},
      {rows_deep, 3, "nested", "nesting without end"},
      {"---\njust text\n---\n", 3, "not a map", "no keys"},
      {"---\n- a\n- b\n---\n", 4, "not a map", "a list"},
      {"+++\ntitle = \"x\"\n+++\n", 3, "TOML", "another language"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    auto const front = parse_front_matter(row.text);
    CAPTURE(front.fault);
    CHECK_EQ(front.lines, row.lines);
    CHECK_NE(front.fault.find(row.fault), std::string::npos);
    CHECK_EQ(front.title, "");
  }
}

TEST_CASE("text that only looks like a head has none") {
  struct Row {
    std::string text;
    char const* why;
  };
  Row const rows[] = {
      {"", "empty"},
      {"text\n---\na: b\n---\n", "does not start the file"},
      {"---\nnever closed\n", "a rule"},
      {"----\na: b\n----\n", "four dashes"},
      {"---\n" + std::string(70'000, 'x') + "\n---\n", "closed too far down"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    CHECK_EQ(parse_front_matter(row.text).lines, 0u);
  }
}

TEST_CASE("heads end with dots too, and any line end will do") {
  CHECK_EQ(parse_front_matter("---\r\ntitle: A\r\n...\r\nx").title, "A");
  CHECK_EQ(parse_front_matter("---\rtitle: A\r---\rx").lines, 3u);
  CHECK_EQ(parse_front_matter("--- \ntitle: A\n---").title, "A");
}
