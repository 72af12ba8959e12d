#include "logging/service_log.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/captured_log.hpp"

using namespace kb;

TEST_CASE("an event is one JSON object on one line, with its fields in order") {
  test::CapturedLog const captured;
  log::write(
      log::Level::warn, "link.lost",
      {{"peer", "a\"b\\c\nd\x7f"}, {"tries", 3}, {"big", std::uint64_t{1} << 63}, {"share", 0.25}, {"again", true}});
  auto const lines = captured.lines();
  REQUIRE_EQ(lines.size(), 1);
  CHECK(lines[0].find(R"(","level":"warn","event":"link.lost","peer":"a\"b\\c\u000ad\u007f","tries":3,)") !=
        std::string::npos);
  auto const json = nlohmann::json::parse(lines[0]);
  CHECK_EQ(json.at("peer"), "a\"b\\c\nd\x7f");
  CHECK_EQ(json.at("big").get<std::uint64_t>(), std::uint64_t{1} << 63);
  CHECK_EQ(json.at("share"), 0.25);
  CHECK_EQ(json.at("again"), true);
  CHECK_EQ(json.at("time").get<std::string>().size(), 20);
}

TEST_CASE("below the level nothing is written, above it everything") {
  test::CapturedLog const captured;
  log::set_level(log::Level::warn);
  log::write(log::Level::info, "quiet");
  log::write(log::Level::error, "loud");
  log::set_level(log::Level::debug);
  log::write(log::Level::debug, "now");
  auto const lines = captured.lines();
  REQUIRE_EQ(lines.size(), 2);
  CHECK(lines[0].find("\"loud\"") != std::string::npos);
  CHECK(lines[1].find("\"now\"") != std::string::npos);
}

TEST_CASE("text that is no UTF-8, and numbers that JSON has not, still give valid JSON") {
  test::CapturedLog const captured;
  log::write(log::Level::warn, "odd", {{"text", "\xff\xfe"}, {"nan", 0.0 / 0.0}});
  auto const lines = captured.lines();
  REQUIRE_EQ(lines.size(), 1);
  CHECK(nlohmann::json::accept(lines[0]));
}
