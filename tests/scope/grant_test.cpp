#include "scope/grant.hpp"

#include <doctest/doctest.h>
#include <type_traits>
#include <vector>

#include "scope/resolve.hpp"

using kb::RepoId;
using kb::scope::GrantedRepo;
using kb::scope::Label;
using kb::scope::ReadGrant;

// A grant comes from the resolver or the operator's command line; nobody else can make one.
static_assert(!std::is_default_constructible_v<ReadGrant>);
static_assert(!std::is_constructible_v<ReadGrant, std::vector<GrantedRepo>>);
static_assert(!std::is_constructible_v<ReadGrant, RepoId, Label>);
static_assert(!std::is_constructible_v<ReadGrant, std::initializer_list<GrantedRepo>>);
static_assert(!std::is_convertible_v<std::vector<GrantedRepo>, ReadGrant>);
static_assert(!std::is_aggregate_v<ReadGrant>);
static_assert(std::is_copy_constructible_v<ReadGrant>);
// What it shows cannot be changed through it.
static_assert(std::is_same_v<decltype(std::declval<ReadGrant&>().repos()[0]), GrantedRepo const&>);

TEST_CASE("an operator's grant opens the one repository it names") {
  auto const grant = kb::scope::operator_grant(RepoId("ann", "kb"), Label::personal);
  REQUIRE_EQ(grant.repos().size(), 1);
  CHECK(grant.allows(RepoId("ann", "kb")));
  CHECK_FALSE(grant.allows(RepoId("ann", "kb2")));
  CHECK_FALSE(grant.allows(RepoId("an", "nkb")));
  CHECK_FALSE(grant.allows(RepoId()));
  CHECK_EQ(static_cast<int>(grant.label(RepoId("ann", "kb"))), static_cast<int>(Label::personal));
}
