#include "adapters/feishu/fragments.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>

#include "adapters/feishu/frame.hpp"
#include "tests/feishu/golden.hpp"
#include "tests/feishu/wire_frame.hpp"

using namespace kb;
using namespace std::chrono_literals;
using feishu::Fragments;
using feishu::Frame;
using test::data_frame;
using test::part;
using Instant = Fragments::Instant;

namespace {

constexpr Instant kStart{};

std::optional<std::string> add(Fragments& fragments, std::string const& bytes, Instant now = kStart) {
  Result<Frame> const frame = Frame::decode(bytes);
  REQUIRE(frame.has_value());
  return fragments.add(*frame, now);
}

}  // namespace

TEST_CASE("three parts in any order make the event, though a cut falls inside a character") {
  std::array<std::string, 3> const parts = {test::golden_bytes("event_fragment_0_of_3"),
                                            test::golden_bytes("event_fragment_1_of_3"),
                                            test::golden_bytes("event_fragment_2_of_3")};
  std::string want;
  for (auto const& bytes : parts) want += Frame::decode(bytes)->payload();
  REQUIRE(nlohmann::json::accept(want));
  std::array<std::size_t, 3> order = {0, 1, 2};
  do {
    CAPTURE(order[0]);
    CAPTURE(order[1]);
    Fragments fragments({});
    CHECK_FALSE(add(fragments, parts[order[0]]));
    CHECK_FALSE(add(fragments, parts[order[1]]));
    auto const whole = add(fragments, parts[order[2]]);
    REQUIRE(whole);
    CHECK(*whole == want);
    CHECK_EQ(fragments.open(), 0);
    CHECK_EQ(fragments.bytes(), 0);
    CHECK_EQ(fragments.dropped(), 0);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a repeated part changes nothing") {
  Fragments fragments({});
  CHECK_FALSE(add(fragments, part("m", 2, 0, "a")));
  CHECK_FALSE(add(fragments, part("m", 2, 0, "other")));
  CHECK_EQ(add(fragments, part("m", 2, 1, "b")), "ab");
}

TEST_CASE("sets of several events do not mix") {
  Fragments fragments({});
  CHECK_FALSE(add(fragments, part("m", 2, 0, "a")));
  CHECK_FALSE(add(fragments, part("n", 2, 1, "d")));
  CHECK_EQ(fragments.open(), 2);
  CHECK_EQ(fragments.bytes(), 2);
  CHECK_EQ(add(fragments, part("m", 2, 1, "b")), "ab");
  CHECK_EQ(add(fragments, part("n", 2, 0, "c")), "cd");
}

TEST_CASE("a frame with odd metadata is an event by itself, or dropped") {
  struct Row {
    std::vector<std::pair<std::string, std::string>> headers;
    bool whole;
    char const* why;
  };
  Row const rows[] = {
      {{}, true, "no metadata at all"},
      {{{"message_id", "m"}, {"sum", "1"}, {"seq", "0"}}, true, "one of one"},
      {{{"message_id", "m"}}, true, "no sum"},
      {{{"message_id", "m"}, {"sum", "0"}}, true, "sum 0"},
      {{{"message_id", "m"}, {"sum", "x"}}, true, "sum unreadable"},
      {{{"message_id", "m"}, {"sum", "-3"}}, true, "sum unreadable"},
      {{{"message_id", "m"}, {"sum", "99999999999999999999999"}}, true, "sum unreadable"},
      {{{"sum", "3"}, {"seq", "1"}}, true, "no message_id"},
      {{{"message_id", "m"}, {"sum", "1"}}, true, "one of one, unnumbered"},
      {{{"message_id", "m"}, {"sum", "1"}, {"seq", "1"}}, false, "seq not below sum"},
      {{{"message_id", "m"}, {"sum", "3"}, {"seq", "3"}}, false, "seq not below sum"},
      {{{"message_id", "m"}, {"sum", "3"}}, false, "one of three, unnumbered"},
      {{{"message_id", "m"}, {"sum", "3"}, {"seq", "-1"}}, false, "seq unreadable"},
      {{{"message_id", "m"}, {"sum", "65"}, {"seq", "0"}}, false, "too many parts"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Fragments fragments({});
    auto const got = add(fragments, data_frame(row.headers, "{}"));
    CHECK_EQ(got.has_value(), row.whole);
    CHECK_EQ(fragments.dropped(), row.whole ? 0 : 1);
    CHECK_EQ(fragments.open(), 0);
  }
}

TEST_CASE("a set whose sum changes is dropped, and can begin anew") {
  Fragments fragments({});
  CHECK_FALSE(add(fragments, part("m", 3, 0, "a")));
  CHECK_FALSE(add(fragments, part("m", 2, 1, "b")));
  CHECK_EQ(fragments.open(), 0);
  CHECK_EQ(fragments.dropped(), 2);
  CHECK_FALSE(add(fragments, part("m", 2, 1, "b")));
  CHECK_EQ(add(fragments, part("m", 2, 0, "a")), "ab");
}

TEST_CASE("an incomplete set lives ten seconds from its last part") {
  Fragments fragments({});
  CHECK_FALSE(add(fragments, part("m", 3, 0, "a"), kStart));
  CHECK_FALSE(add(fragments, part("m", 3, 1, "b"), kStart + 10s));
  CHECK_EQ(add(fragments, part("m", 3, 2, "c"), kStart + 20s), "abc");

  CHECK_FALSE(add(fragments, part("n", 2, 0, "a"), kStart));
  CHECK_FALSE(add(fragments, part("n", 2, 1, "b"), kStart + 10'001ms));
  CHECK_EQ(fragments.dropped(), 1);
  fragments.expire(kStart + 60s);
  CHECK_EQ(fragments.open(), 0);
  CHECK_EQ(fragments.bytes(), 0);
  CHECK_EQ(fragments.dropped(), 2);
}

TEST_CASE("what is kept is bounded, and the oldest goes first") {
  Fragments::Limits limits;
  SUBCASE("in number") {
    limits.max_sets = 2;
    Fragments fragments(limits);
    for (char const* id : {"a", "b", "c"}) CHECK_FALSE(add(fragments, part(id, 2, 0, "1")));
    CHECK_EQ(fragments.open(), 2);
    CHECK_EQ(add(fragments, part("c", 2, 1, "2")), "12");
    CHECK_EQ(add(fragments, part("b", 2, 1, "2")), "12");
    CHECK_FALSE(add(fragments, part("a", 2, 1, "2")));
  }
  SUBCASE("in bytes") {
    limits.max_bytes = 10;
    Fragments fragments(limits);
    CHECK_FALSE(add(fragments, part("a", 2, 0, "123456")));
    CHECK_FALSE(add(fragments, part("b", 2, 0, "123456")));
    CHECK_EQ(fragments.open(), 1);
    CHECK_EQ(fragments.bytes(), 6);
    CHECK_EQ(add(fragments, part("b", 2, 1, "1234")), "1234561234");
    CHECK_FALSE(add(fragments, part("c", 2, 0, "12345678901")));  // too large by itself
    CHECK_EQ(fragments.open(), 0);
    CHECK_EQ(fragments.bytes(), 0);
    CHECK_EQ(fragments.dropped(), 2);
  }
}
