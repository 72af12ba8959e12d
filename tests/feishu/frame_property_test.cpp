#include "tests/feishu/frame_property.hpp"

#include <doctest/doctest.h>
#include <random>

#include "tests/feishu/golden.hpp"

using namespace kb;

TEST_CASE("frames and fragments keep their promises for damaged bytes") {
  constexpr int kRounds = 300;
  std::string all;
  for (auto const& vector : test::golden()["frames"]) {
    all += test::in_exchange(test::bytes_of(vector["hex"].get<std::string>()));
  }
  CHECK_EQ(test::broken_exchange(all), "");
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::string damaged = all;
    for (unsigned i = 0; i < 1 + seed % 40; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    REQUIRE_EQ(test::broken_exchange(damaged), "");
  }
}
