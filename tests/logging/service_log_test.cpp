#include "logging/service_log.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/support/temp_repo.hpp"

using namespace kb;

namespace {

/// Standard error, for as long as this lives, as a file; at the end the level is what it is in every test.
class Captured {
 public:
  Captured() : file_(dir_.path() / "stderr"), kept_(::dup(STDERR_FILENO)) {
    int const to = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE_GE(to, 0);
    REQUIRE_GE(::dup2(to, STDERR_FILENO), 0);
    ::close(to);
  }
  ~Captured() {
    log::flush();
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
    log::set_level(log::Level::warn);
  }
  Captured(Captured const&) = delete;
  Captured& operator=(Captured const&) = delete;

  [[nodiscard]] std::vector<std::string> lines() const {
    log::flush();
    std::ifstream in(file_);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

 private:
  test::TempDir dir_;
  std::filesystem::path file_;
  int kept_;
};

}  // namespace

TEST_CASE("an event is one JSON object on one line, with its fields in order") {
  Captured const captured;
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
  Captured const captured;
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
  Captured const captured;
  log::write(log::Level::warn, "odd", {{"text", "\xff\xfe"}, {"nan", 0.0 / 0.0}});
  auto const lines = captured.lines();
  REQUIRE_EQ(lines.size(), 1);
  CHECK(nlohmann::json::accept(lines[0]));
}
