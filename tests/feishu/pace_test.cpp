#include "adapters/feishu/pace.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

using namespace kb::feishu;
using namespace std::chrono_literals;

namespace {

Pace::Time const kStart{1h};

/// The most turns that fall into any span of this length.
std::size_t most_within(std::vector<Pace::Time> const& turns, std::chrono::milliseconds span) {
  std::size_t most = 0;
  for (auto first = turns.begin(); first != turns.end(); ++first) {
    auto const past = std::find_if(first, turns.end(), [&](Pace::Time at) { return at >= *first + span; });
    most = std::max(most, static_cast<std::size_t>(past - first));
  }
  return most;
}

}  // namespace

TEST_CASE("turns never bunch up beyond a limit, in any second or minute") {
  Pace pace({45, 950, 4});
  std::vector<Pace::Time> turns;
  for (int i = 0; i < 3000; ++i) turns.push_back(pace.app_turn(kStart + std::chrono::milliseconds(i * 7)));
  CHECK(std::is_sorted(turns.begin(), turns.end()));
  CHECK_EQ(most_within(turns, 1s), 45);
  CHECK_EQ(most_within(turns, 60s), 950);
}

TEST_CASE("an idle app goes at once, and a burst waits no longer than it must") {
  Pace pace({3, 100, 4});
  for (int i = 0; i < 3; ++i) CHECK(pace.app_turn(kStart) == kStart);
  CHECK(pace.app_turn(kStart) == kStart + 1s);
  CHECK(pace.app_turn(kStart + 10s) == kStart + 10s);
}

TEST_CASE("each chat has a pace of its own") {
  Pace pace({45, 950, 2});
  std::vector<Pace::Time> turns;
  for (int i = 0; i < 7; ++i) turns.push_back(pace.chat_turn("a", kStart));
  CHECK_EQ(most_within(turns, 1s), 2);
  CHECK(turns.back() == kStart + 3s);
  CHECK(pace.chat_turn("b", kStart) == kStart);
}

TEST_CASE("a held app or chat gets its turns after the hold, and the longer hold counts") {
  Pace pace({45, 950, 4});
  pace.hold_app(kStart + 5s);
  pace.hold_app(kStart + 2s);
  CHECK(pace.app_held(kStart + 4s));
  CHECK_FALSE(pace.app_held(kStart + 5s));
  CHECK(pace.app_turn(kStart) == kStart + 5s);
  pace.hold_chat("a", kStart + 3s);
  CHECK(pace.chat_held("a", kStart + 2s));
  CHECK_FALSE(pace.chat_held("b", kStart + 2s));
  CHECK(pace.chat_turn("a", kStart) == kStart + 3s);
  CHECK(pace.chat_turn("b", kStart) == kStart);
}

TEST_CASE("there is a turn to spare while less than half is used, and none while held") {
  Pace pace({4, 950, 4});
  CHECK(pace.spare_turn(kStart));
  CHECK(pace.spare_turn(kStart));
  CHECK_FALSE(pace.spare_turn(kStart));
  CHECK(pace.spare_turn(kStart + 1s));
  pace.hold_app(kStart + 60s);
  CHECK_FALSE(pace.spare_turn(kStart + 30s));
}

TEST_CASE("quiet chats are forgotten, held ones are not") {
  Pace pace({45, 950, 4});
  pace.hold_chat("held", kStart + 1h);
  for (int i = 0; i < 5000; ++i) (void)pace.chat_turn(std::to_string(i), kStart + std::chrono::seconds(2 * i / 100));
  CHECK(pace.chat_held("held", kStart + 1min));
  CHECK(pace.chat_turn("0", kStart + 200s) == kStart + 200s);
}
