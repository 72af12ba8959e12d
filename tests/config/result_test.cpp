#include "config/result.hpp"

#include <doctest/doctest.h>

#include "config/ids.hpp"

using kb::Errc;
using kb::Error;

TEST_CASE("a step puts itself in front of the error it passes on") {
  Error const inner(Errc::not_found, "no such file");
  Error const outer = kb::at("reading users.json", inner);
  CHECK_EQ(outer.what, "reading users.json: no such file");
  CHECK_EQ(outer.code, Errc::not_found);
}

TEST_CASE("taking the value of an error is a fault of ours and says which error") {
  kb::Result<int> const failed = Error(Errc::denied, "not yours");
  CHECK_THROWS_WITH_AS((void)failed.value(), "value() on error: not yours", std::logic_error);
}

TEST_CASE("every cause has a name of its own") {
  CHECK_EQ(kb::to_string(Errc::invalid_input), "invalid_input");
  CHECK_EQ(kb::to_string(Errc::not_found), "not_found");
  CHECK_EQ(kb::to_string(Errc::denied), "denied");
  CHECK_EQ(kb::to_string(Errc::unavailable), "unavailable");
  CHECK_EQ(kb::to_string(Errc::exhausted), "exhausted");
  CHECK_EQ(kb::to_string(Errc::corrupt), "corrupt");
  CHECK_EQ(kb::to_string(Errc::cancelled), "cancelled");
}

TEST_CASE("repositories are ordered by owner, then by name") {
  CHECK_LT(kb::RepoId("a", "z"), kb::RepoId("b", "a"));
  CHECK_LT(kb::RepoId("a", "a"), kb::RepoId("a", "b"));
  CHECK_EQ(kb::RepoId("nlp", "team-kb").str(), "nlp/team-kb");
}
