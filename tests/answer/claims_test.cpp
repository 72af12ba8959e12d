#include "answer/claims.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kbrepo/page.hpp"
#include "tests/answer/answer_fixture.hpp"
#include "tests/answer/corruptions.hpp"

namespace kb::answer {
namespace {

constexpr char const* kDecisions =
    "# Atlas 决策记录\n\n- `2026-03-12` 数据库采用 PostgreSQL 16，端口 5433。\n- 不采用 Kafka，消息走数据库队列。\n"
    "- 负责人：王敏\n- 状态：开发中\n\n如果磁盘满了，删除日志。李雷负责测试，王敏负责检索。\n\n"
    "Keys are rotated every 90 days, and the on-call engineer does it. Do we use Vault?\n\n"
    "## 服务\n\n| 服务 | 端口 | 机房 |\n|---|---|---|\n| 网关 | 8443 | 上海 |\n| 评测 | 9100 | 北京 |\n";
constexpr char const* kOther = "# Borealis\n\nBorealis runs in Frankfurt and keeps 16 GB of cache.\n";

class Pages {
 public:
  Pages() : pages_{kbrepo::parse_page("a.md", {}, kDecisions), kbrepo::parse_page("b.md", {}, kOther)} {}

  [[nodiscard]] ClaimVerdict check(Claim const& claim) const {
    std::vector<kbrepo::Page const*> const pages{&pages_[0], &pages_[1]};
    return ClaimCheck(pages).check(claim);
  }
  [[nodiscard]] ClaimVerdict check(std::string const& sentence, std::string const& quote, std::size_t page = 0) const {
    return check({sentence, {{page, quote}}});
  }
  [[nodiscard]] ClaimVerdict find(std::string const& quote, std::size_t page = 0) const {
    std::vector<kbrepo::Page const*> const pages{&pages_[0], &pages_[1]};
    return ClaimCheck(pages).find({page, quote});
  }
  [[nodiscard]] std::string bytes(Carrier const& c) const {
    return pages_[c.page].text.substr(c.begin, c.end - c.begin);
  }

 private:
  std::vector<kbrepo::Page> pages_;
};

}  // namespace

TEST_CASE("a quote is found with the page's own bytes, however it is written") {
  struct Row {
    char const* quote;
    Verdict want;
    char const* bytes;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"数据库采用 PostgreSQL 16，端口 5433。", Verdict::verbatim,
       "- `2026-03-12` 数据库采用 PostgreSQL 16，端口 5433。", "widened to its sentence"},
      {"數據庫採用postgresql 16, 端口 5433", Verdict::normalised,
       "- `2026-03-12` 数据库采用 PostgreSQL 16，端口 5433。", "Traditional, case, width, end mark"},
      {"数据库采用 … 端口 5433", Verdict::ellipsis, "- `2026-03-12` 数据库采用 PostgreSQL 16，端口 5433。",
       "a part left out"},
      {"消息 … 队列", Verdict::ellipsis, "- 不采用 Kafka，消息走数据库队列。", "the whole sentence is shown"},
      {"如果磁盘满了，就删除日志。", Verdict::repaired, "如果磁盘满了，删除日志。", "one place is nearly this"},
      {"Borealis runs in Frankfurt", Verdict::misattributed, "Borealis runs in Frankfurt and keeps 16 GB of cache.",
       "another page"},
      {"数据库采用 PostgreSQL 16，runs in Frankfurt", Verdict::stitched, "", "halves of two pages"},
      {"服务部署在火星", Verdict::absent, "", "nowhere"},
  };
  Pages const pages;
  for (auto const& row : rows) {
    CAPTURE(row.quote);
    CAPTURE(row.why);
    ClaimVerdict const got = pages.find(row.quote);
    CHECK_EQ(to_string(got.verdict), to_string(row.want));
    if (*row.bytes == '\0') continue;
    REQUIRE_EQ(got.carriers.size(), 1);
    CHECK_EQ(pages.bytes(got.carriers[0]), row.bytes);
  }
}

TEST_CASE("a sentence is proven when it says what its quotes say") {
  struct Row {
    char const* sentence;
    char const* quote;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"数据库采用 PostgreSQL 16，端口 5433。", "数据库采用 PostgreSQL 16", "a clause as it stands"},
      {"Atlas 的数据库采用 PostgreSQL 16，端口 5433。", "数据库采用 PostgreSQL 16", "behind the subject of its title"},
      {"2026-03-12，数据库采用 PostgreSQL 16，端口 5433。", "数据库采用 PostgreSQL 16", "behind its date"},
      {"负责人是王敏。", "负责人：王敏", "a value read out"},
      {"负责人：王敏；状态：开发中。", "- 负责人：王敏\n- 状态：开发中", "items of one list"},
      {"网关的端口是 8443。", "| 网关 | 8443 | 上海 |", "a cell"},
      {"服务：网关，机房：上海", "| 网关 | 8443 | 上海 |", "cells behind their headings"},
      {"The 端口 of 网关 is 8443", "| 网关 | 8443 | 上海 |", "in English words"},
      {"keys are rotated every ９０ days", "Keys are rotated every 90 days", "width and case"},
  };
  Pages const pages;
  for (auto const& row : rows) {
    CAPTURE(row.sentence);
    CAPTURE(row.why);
    ClaimVerdict const got = pages.check(row.sentence, row.quote);
    CHECK_EQ(to_string(got.guard), "none");
    CHECK(got.proven());
    CHECK_FALSE(got.carriers.empty());
  }
}

TEST_CASE("a sentence that departs from its quotes is not proven, and it is said in what") {
  struct Row {
    char const* sentence;
    char const* quote;
    Guard want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"数据库采用 PostgreSQL 17，端口 5433。", "数据库采用 PostgreSQL 16", Guard::number, "a digit"},
      {"数据库不采用 PostgreSQL 16，端口 5433。", "数据库采用 PostgreSQL 16", Guard::negation, "a denial"},
      {"采用 Kafka，消息走数据库队列。", "不采用 Kafka", Guard::negation, "a denial lost"},
      {"Keys are rotated every 90 weeks, and the on-call engineer does it.", "Keys are rotated every 90 days",
       Guard::unit, "a unit"},
      {"Keys should be rotated every 90 days, and the on-call engineer does it.", "Keys are rotated every 90 days",
       Guard::modality, "a degree"},
      {"王敏负责测试，李雷负责检索。", "李雷负责测试，王敏负责检索。", Guard::swapped, "roles changed"},
      {"删除日志。", "如果磁盘满了，删除日志。", Guard::none, "a condition lost"},
      {"网关的端口是 9100。", "| 网关 | 8443 | 上海 |", Guard::number, "another row's cell"},
      {"网关的端口是上海。", "| 网关 | 8443 | 上海 |", Guard::none, "another column's cell"},
      {"We use Vault.", "Do we use Vault?", Guard::name, "a question is no statement"},
      {"Borealis 的数据库采用 PostgreSQL 16，端口 5433。", "数据库采用 PostgreSQL 16", Guard::name, "another subject"},
      {"[数据库](https://evil.example)采用 PostgreSQL 16，端口 5433。", "数据库采用 PostgreSQL 16", Guard::link,
       "a link"},
  };
  Pages const pages;
  for (auto const& row : rows) {
    CAPTURE(row.sentence);
    CAPTURE(row.why);
    ClaimVerdict const got = pages.check(row.sentence, row.quote);
    CHECK_FALSE(got.proven());
    CHECK_EQ(to_string(got.guard), to_string(row.want));
  }
}

TEST_CASE("a table's cells are read behind their own headings and their own row, and a number is nobody's subject") {
  kbrepo::Page const page = kbrepo::parse_page("a.md", {},
                                               "# 2. Atlas 部署\n\n1. 进入目录，确认地址指向正确的位置。\n\n| k | 0 | "
                                               "1 | 2 |\n|---|---|---|---|\n| p(2,k) | 0 | 1 | 1 |\n\n"
                                               "| 服务 | 状态 |\n|---|---|\n| 网关 | 偏高但安全 |\n");
  kbrepo::Page const* const pages[] = {&page};
  struct Row {
    char const* sentence;
    char const* quote;
    bool proven;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"| p(2,k) | 0 | 1 | 1 |", "| p(2,k) | 0 | 1 | 1 |", true, "the row"},
      {"| p(2,k) | 0 | 2 | 1 |", "| p(2,k) | 0 | 1 | 1 |", false, "2 is a heading, and 1 its cell"},
      {"网关的状态是偏高但安全。", "| 网关 | 偏高但安全 |", true, "its own row"},
      {"Atlas 的状态是偏高但安全。", "| 网关 | 偏高但安全 |", false, "the page's subject for the row's"},
      {"1. 进入目录，确认地址指向正确的位置。", "进入目录，确认地址指向正确的位置。", true, "as it stands"},
      {"2. 进入目录，确认地址指向正确的位置。", "进入目录，确认地址指向正确的位置。", false, "the heading's number"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.sentence);
    CAPTURE(row.why);
    CHECK_EQ(ClaimCheck(pages).check({row.sentence, {{std::size_t{0}, row.quote}}}).proven(), row.proven);
  }
}

TEST_CASE("what another page or another line says carries nothing") {
  Pages const pages;
  CHECK_EQ(
      to_string(
          pages.check("Borealis runs in Frankfurt and keeps 16 GB of cache.", "Borealis runs in Frankfurt", 0).verdict),
      "misattributed");
  CHECK_EQ(to_string(pages.check("负责人：王敏", "状态：开发中").verdict), "misattributed");
  CHECK_EQ(to_string(pages.check({"负责人：王敏", {}}).verdict), "misattributed");
  CHECK_FALSE(pages.check("Borealis keeps 16 gb of cache.", "Borealis runs in Frankfurt", 1).proven());
  CHECK_FALSE(pages.check({"负责人：王敏", {{std::nullopt, "负责人：某人"}}}).proven());
}

TEST_CASE("of a page named wrongly the right quote still carries; of two good quotes each carries its part") {
  Pages const pages;
  Claim const claim{"负责人：王敏；状态：开发中", {{std::size_t{0}, "负责人：王敏"}, {std::size_t{0}, "状态：开发中"}}};
  ClaimVerdict const got = pages.check(claim);
  CHECK(got.proven());
  REQUIRE_EQ(got.carriers.size(), 1);
  CHECK_EQ(pages.bytes(got.carriers[0]), "- 负责人：王敏\n- 状态：开发中");
}

TEST_CASE("a short quote that stands in several places carries nothing") {
  Pages const pages;
  CHECK_EQ(to_string(pages.find("16", 0).guard), "none");
  CHECK_EQ(to_string(pages.find("负责", 0).guard), "too_short");
}

TEST_CASE("a line to be sent shows every character it has") {
  CHECK_EQ(plain_line("a\u202Eb\u200Bc\n d\x07"), "abc d");
  CHECK_EQ(plain_line("  好 的  "), "好 的");
}

TEST_CASE("no false claim over the pages of the demo and of the tests passes, and few faithful ones are stopped") {
  std::vector<kbrepo::Page> pages;
  for (auto const& files :
       {test::team_pages(), test::pages_below("tests/demo/team"), test::pages_below("tests/demo/personal")}) {
    for (auto const& [path, text] : files) {
      if (path.ends_with(".md")) pages.push_back(kbrepo::parse_page(path, {}, text));
    }
  }
  test::ClaimSource source(pages, 20260312);
  REQUIRE_FALSE(source.empty());
  int stopped = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    auto const sample = source.faithful(i % test::ClaimSource::kForms.size());
    stopped += ClaimCheck(sample.pages).check(test::claim_of(sample)).proven() ? 0 : 1;
  }
  CHECK_LE(stopped, 4);
  int made = 0;
  for (std::size_t i = 0; made < 2000 && i < 40'000; ++i) {
    auto const kind = i % test::Corruptor::kKinds.size();
    auto const sample = test::Corruptor(source).corrupted(kind);
    if (!sample) continue;
    ++made;
    CAPTURE(test::Corruptor::kKinds[kind]);
    CAPTURE(sample->sentence);
    CAPTURE(sample->quotes[0]);
    CHECK_FALSE(ClaimCheck(sample->pages).check(test::claim_of(*sample)).proven());
  }
  CHECK_EQ(made, 2000);
}

}  // namespace kb::answer
