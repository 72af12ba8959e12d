#include "kbrepo/glob.hpp"

#include <doctest/doctest.h>
#include <string>

using kb::kbrepo::glob_match;
using kb::kbrepo::PageFilter;

TEST_CASE("patterns match whole paths") {
  struct Row {
    char const* pattern;
    char const* path;
    bool match;
  };
  static constexpr Row rows[] = {
      {"**/*.md", "a.md", true},
      {"**/*.md", "a/b/c.md", true},
      {"**/*.md", "a/b.txt", false},
      {"*.md", "a.md", true},
      {"*.md", "a/b.md", false},
      {"docs/**", "docs/a/b.md", true},
      {"docs/**", "docs", false},
      {"docs/**", "mydocs/a.md", false},
      {"a/**/b.md", "a/b.md", true},
      {"a/**/b.md", "a/x/y/b.md", true},
      {"a/**/b.md", "a/xb.md", false},
      {"**/node_modules/**", "x/node_modules/y/z.md", true},
      {"?.md", "中.md", true},
      {"?.md", "ab.md", false},
      {"a?b", "a/b", false},
      {"*.{md,markdown}", "a.markdown", true},
      {"{a,b}/{c,d}.md", "b/c.md", true},
      {"{a,b}/{c,d}.md", "c/a.md", false},
      {"*a*b*c", "xaybzc", true},
      {"*a*b*c", "xaybz", false},
      {"**", "any/thing", true},
      {"", "", true},
      {"a", "", false},
      {"资料/*.md", "资料/一.md", true},
      {"[a].md", "[a].md", true},
  };
  for (auto const& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.path);
    CHECK_EQ(glob_match(row.pattern, row.path), row.match);
  }
}

TEST_CASE("patterns that backtrack end") {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "**/*a";
  CHECK_FALSE(glob_match(pattern, std::string(3000, 'a') + "/b"));
}

TEST_CASE("without include every Markdown file is a page, in any case; exclude takes away") {
  kb::config::RepoSettings settings;
  CHECK(PageFilter(settings).takes("a/b.MD"));
  CHECK(PageFilter(settings).takes("a.markdown"));
  CHECK_FALSE(PageFilter(settings).takes("a.txt"));
  CHECK_FALSE(PageFilter(settings).takes("md"));
  settings.exclude = {"drafts/**", "**/*.{tmp,bak}.md"};
  CHECK_FALSE(PageFilter(settings).takes("drafts/a.md"));
  CHECK_FALSE(PageFilter(settings).takes("x/a.bak.md"));
  settings.include = {"**/*.txt"};
  CHECK(PageFilter(settings).takes("a.txt"));
  CHECK_FALSE(PageFilter(settings).takes("a.md"));
}
