// A small part of what tests/bench/model_bench.cpp does over large knowledge bases.
#include "tests/model/model_questions.hpp"

#include <doctest/doctest.h>

#include "logging/service_log.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::test {

TEST_CASE("the reader that checks replies knows what no page says") {
  std::vector<std::string> const pages{
      "# 服务清单\n\n数据库采用 [PostgreSQL](https://a.example) 16。不采用 Kafka。\n\n| 服务 | 端口 |\n|---|---|\n| "
      "网关 | 8443 |\n"};
  struct Row {
    char const* reply;
    bool stands;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"数据库采用 PostgreSQL 16。 [1]\n\n来源：\n1. 《服务清单》", true, "a line, its link's target left out"},
      {"数据库采用 PostgreSQL 17。 [1]", false, "a digit"},
      {"数据库不采用 PostgreSQL 16。 [1]", false, "a denial"},
      {"采用 MySQL。 [1]", false, "another name"},
      {"网关的端口是 8443。\n> | 网关 | 8443 | [1]", true, "made of the row and its headings"},
      {"网关的端口是 8444。\n> | 网关 | 8443 | [1]", false, "with a digit changed"},
      {"网关的端口不是 8443。\n> | 网关 | 8443 | [1]", false, "with a denial"},
      {"网关的端口是 8443。 [1]", false, "without its quote"},
      {"服务清单：网关 [8443](https://evil.example)。\n> | 网关 | 8443 | [1]", false, "with a link of its own"},
      {"网关的端口是 8443。\n> | 网关 | 8444 | [1]", false, "with a quote that no page has"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    CHECK_EQ(unsupported_lines(row.reply, pages).empty(), row.stands);
  }
}

TEST_CASE("whatever kind of model is asked about whatever page, nothing is to be sent that no page says") {
  log::set_level(log::Level::error);
  TempRepo repo;
  repo.commit(pages_below("tests/demo/team"));
  config::RepoSettings settings;
  settings.id = {"nlp", "team-kb"};
  settings.git = repo.path();
  TempDir const state;  // where the index is kept: else in the folder the test runs in
  config::Settings of_daemon;
  of_daemon.state_dir = state.path();
  Result<kbrepo::SnapshotPtr> const book = kbrepo::open_snapshot(of_daemon, settings);
  REQUIRE(book.has_value());
  ModelQuestions questions(*book, 20260312);
  std::size_t by_model = 0, dropped = 0;
  for (KindName const& kind : kAllKinds) {
    CAPTURE(kind.name);
    bool const waits = kind.kind == ModelKind::slow;
    ModelQuestions::Tally const tally = questions.ask(kind.kind, waits ? 2 : 12);
    for (std::string const& line : tally.unsupported) FAIL_CHECK(line);
    by_model += tally.by_model;
    dropped += tally.dropped;
  }
  CHECK(by_model > 20);
  CHECK(dropped > 20);
}

}  // namespace kb::test
