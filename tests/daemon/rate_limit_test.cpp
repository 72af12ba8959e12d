#include "daemon/rate_limit.hpp"

#include <doctest/doctest.h>

namespace kb::daemon {
namespace {

using namespace std::chrono_literals;
RateLimit::Time const kStart{};

}  // namespace

TEST_CASE("the question after the last allowed one of a minute is refused") {
  RateLimit limit;
  for (int i = 0; i < 20; ++i) CHECK(limit.admit("ou_1", 20, kStart + std::chrono::seconds(i)));
  CHECK_FALSE(limit.admit("ou_1", 20, kStart + 20s));
}

TEST_CASE("a refused question does not count, so asking on does not lock anyone out") {
  RateLimit limit;
  CHECK(limit.admit("ou_1", 1, kStart));
  for (int i = 1; i < 60; ++i) CHECK_FALSE(limit.admit("ou_1", 1, kStart + std::chrono::seconds(i)));
  CHECK(limit.admit("ou_1", 1, kStart + 60s));
}

TEST_CASE("each person has a limit of their own") {
  RateLimit limit;
  CHECK(limit.admit("ou_1", 1, kStart));
  CHECK(limit.admit("ou_2", 1, kStart));
  CHECK_FALSE(limit.admit("ou_1", 1, kStart));
}

TEST_CASE("zero means no limit") {
  RateLimit limit;
  for (int i = 0; i < 1000; ++i) CHECK(limit.admit("ou_1", 0, kStart));
}

TEST_CASE("ten thousand people who asked once are forgotten after their minute") {
  RateLimit limit;
  for (int i = 0; i < 10'000; ++i) CHECK(limit.admit("ou_" + std::to_string(i), 1, kStart));
  CHECK(limit.people() == 10'000);
  CHECK(limit.admit("one more", 1, kStart + 61s));
  CHECK(limit.people() == 1);
}

}  // namespace kb::daemon
