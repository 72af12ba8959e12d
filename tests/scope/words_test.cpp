#include "scope/words.hpp"

#include <doctest/doctest.h>
#include <ostream>
#include <string>

namespace kb::scope {
static std::ostream& operator<<(std::ostream& out, Ownership const& o) {
  return out << (o.personal ? "personal " : "") << (o.team ? "team" : "");
}
}  // namespace kb::scope

namespace {

using kb::scope::Ownership;
using kb::scope::ownership_of;

constexpr Ownership kNone{false, false};
constexpr Ownership kMine{true, false};
constexpr Ownership kOurs{false, true};
constexpr Ownership kBoth{true, true};

struct Row {
  char const* question;
  Ownership want;
  char const* why;
};

template <std::size_t N>
void check(Row const (&rows)[N]) {
  for (auto const& row : rows) {
    CAPTURE(row.question);
    CAPTURE(row.why);
    CHECK_EQ(ownership_of(row.question), row.want);
  }
}

}  // namespace

TEST_CASE("the speaker's own material is personal") {
  static constexpr Row rows[] = {
      {"我的", kMine, "S1-20"},
      {"我之前存的论文", kMine, "S1-22"},
      {"我存的那篇综述在哪", kMine, "word of the origin"},
      {"我自己的实验记录", kMine, "word of the origin"},
      {"我的资料", kMine, "word of the origin"},
      {"我的笔记里怎么写的", kMine, "我的 stays whatever is asked"},
      {"我上次写的周报", kMine, "time behind 我"},
      {"我记过什么", kMine, "a thing done"},
      {"我做过哪些实验", kMine, "bare 我 as the subject asked about"},
      {"我", kMine, "S1-20 names bare 我"},
  };
  check(rows);
}
