#include <doctest/doctest.h>

#include "tests/index/corpus.hpp"

namespace kb::test {
namespace {

Index library() {
  return index_of({{"a.md", "Orders", {"", ""}, {"a new computer and its replacement", "the replacement of a lamp"}},
                   {"b.md", "Money", {""}, {"reimbursement of travel, placement of adverts"}}});
}

}  // namespace

TEST_CASE("a mistyped word is mended to what the pages have, one letter or one swap away") {
  Index const index = library();
  CHECK_EQ(index.mended("placemnt"), "placement");
  CHECK_EQ(index.mended("reimbrus"), "reimburs");  // as the index has it: stemmed
  CHECK_EQ(index.mended("comptur"), "");           // two letters away
}

TEST_CASE("of several forms the commonest is meant; known, short and numbered words stay") {
  Index const index = index_of({{"a.md", "", {"", "", ""}, {"candle", "candle", "candie"}}});
  CHECK_EQ(index.mended("candxe"), "");
  CHECK_EQ(index.mended("cand"), "");
  CHECK_EQ(index.mended("candl"), "");       // it is known: the stem of candle
  CHECK_EQ(index.mended("candi"), "");       // so is this one
  CHECK_EQ(index.mended("candk"), "candl");  // two pages against one
  CHECK_EQ(index.mended("candl2"), "");
}

TEST_CASE("what only a page that is gone had mends nothing") {
  std::vector<MadeDocument> const documents{{"a.md", "", {""}, {"lantern"}}, {"b.md", "", {""}, {"candle"}}};
  Index const index = std::move(Index::assemble({segment_of(documents)}, std::vector{documents[1].key()}).value());
  CHECK_EQ(index.mended("lantrn"), "");
  CHECK_EQ(index.mended("canddl"), "candl");
}

}  // namespace kb::test
