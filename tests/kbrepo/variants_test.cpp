#include "kbrepo/variants.hpp"

#include <doctest/doctest.h>

#include "kbrepo/snapshot.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::kbrepo {
namespace {

struct Bench {
  test::TempRepo repo;
  test::TempDir home;
  config::RepoSettings settings;
  SnapshotPtr base;
  scope::ReadGrant grant;

  Bench()
      : settings(settings_of()),
        base(build(settings, nullptr)),
        grant(scope::operator_grant(settings.id, scope::Label::team)) {}

  config::RepoSettings settings_of() {
    repo.commit({{"a.md", "# A\nThe budget is 5300.\n"}, {"deep/in/b.md", "# B\nWe meet on Monday.\n"}});
    config::RepoSettings out;
    out.id = RepoId("nlp", "kb");
    out.git = repo.path();
    return out;
  }
  SnapshotPtr build(config::RepoSettings const& where, SnapshotPtr const& previous) const {
    return build(where, *CommitId::parse(repo.head()), previous);
  }
  static SnapshotPtr build(config::RepoSettings const& where, CommitId const& commit, SnapshotPtr const& previous) {
    auto built = Snapshot::build(where, commit, previous, {});
    if (!built) FAIL(built.error().what);
    return *built;
  }
};

}  // namespace

TEST_CASE("a variant differs from its commit in one file and leaves the repository as it was") {
  Bench b;
  std::string const head = b.repo.head();
  auto const variants = Variants::open(b.settings, b.home.path() / "v.git");
  REQUIRE(variants.has_value());
  auto const changed = variants->commit(b.base->commit(), "deep/in/b.md", "# B\nWe meet on Friday.\n");
  REQUIRE(changed.has_value());
  SnapshotPtr const now = Bench::build(variants->settings(), *changed, b.base);
  CHECK_EQ((*now->read(b.grant, "deep/in/b.md"))->text, "# B\nWe meet on Friday.\n");
  CHECK_EQ((*now->read(b.grant, "a.md"))->text, "# A\nThe budget is 5300.\n");
  CHECK_EQ(now->stats().analysed, 1);

  auto const without = variants->commit(b.base->commit(), "a.md", std::nullopt);
  REQUIRE(without.has_value());
  SnapshotPtr const rest = Bench::build(variants->settings(), *without, b.base);
  CHECK(rest->find(b.grant, "a.md") == nullptr);
  CHECK(rest->find(b.grant, "deep/in/b.md") != nullptr);

  CHECK_EQ(b.repo.head(), head);
  CHECK_FALSE(Snapshot::build(b.settings, *changed, nullptr, {}).has_value());
}

TEST_CASE("the same variant is the same commit") {
  Bench b;
  auto const variants = Variants::open(b.settings, b.home.path() / "v.git");
  REQUIRE(variants.has_value());
  auto const one = variants->commit(b.base->commit(), "a.md", "# A\n");
  auto const two = variants->commit(b.base->commit(), "a.md", "# A\n");
  auto const other = variants->commit(b.base->commit(), "a.md", "# a\n");
  REQUIRE(one.has_value());
  REQUIRE(two.has_value());
  REQUIRE(other.has_value());
  CHECK(*one == *two);
  CHECK_FALSE(*one == *other);
}

TEST_CASE("a variant of a file that is not there is an error that names it") {
  Bench b;
  auto const variants = Variants::open(b.settings, b.home.path() / "v.git");
  REQUIRE(variants.has_value());
  auto const gone = variants->commit(b.base->commit(), "no/such.md", std::nullopt);
  REQUIRE_FALSE(gone.has_value());
  CHECK(gone.error().what.find("no/such.md") != std::string::npos);
}

}  // namespace kb::kbrepo
