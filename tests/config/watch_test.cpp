#include "config/watch.hpp"

#include <poll.h>

#include "config/atomic_file.hpp"
#include "tests/config/scratch.hpp"

using kb::config::Watch;
using kb::test::Scratch;

namespace {

/// inotify queues events before the call that made them returns, so there is nothing to wait for.
bool readable(Watch const& watch) {
  pollfd p{watch.descriptor(), POLLIN, 0};
  return ::poll(&p, 1, 0) == 1;
}

}  // namespace

TEST_CASE("a change of a watched file is seen however it is made") {
  Scratch dir;
  auto const file = dir.write("users.json", "{}");
  Watch watch = Watch::open({file, dir / "teams.json"}).value();
  CHECK_FALSE(readable(watch));
  CHECK_FALSE(watch.drain());

  SUBCASE("written in place") { dir.write("users.json", "{ }"); }
  SUBCASE("replaced by rename, as editors and we do") { REQUIRE(kb::config::replace_file(file, "{ }")); }
  SUBCASE("removed") { std::filesystem::remove(file); }
  SUBCASE("moved away") { std::filesystem::rename(file, dir / "users.json~"); }
  SUBCASE("made anew") { dir.write("teams.json", "{}"); }
  SUBCASE("the directory goes") { std::filesystem::remove_all(dir.path()); }
  CHECK(readable(watch));
  CHECK(watch.drain());
  CHECK_FALSE(readable(watch));
  CHECK_FALSE(watch.drain());
}

TEST_CASE("other files of the directory are no change") {
  Scratch dir;
  auto const file = dir.write("users.json", "{}");
  Watch watch = Watch::open({file}).value();
  dir.write("users.json.swp", "x");
  dir.write("notes", "x");
  CHECK(readable(watch));
  CHECK_FALSE(watch.drain());
}

TEST_CASE("a linked file is watched where it really is, too") {
  Scratch dir;
  auto const real = dir.write("store/users.json", "{}");
  std::filesystem::create_symlink(real, dir / "users.json");
  Watch watch = Watch::open({dir / "users.json"}).value();
  SUBCASE("the file behind the link") { dir.write("store/users.json", "{ }"); }
  SUBCASE("the link itself") { std::filesystem::remove(dir / "users.json"); }
  CHECK(watch.drain());
}

TEST_CASE("more events than the kernel keeps count as a change") {
  Scratch dir;
  auto const file = dir.write("users.json", "{}");
  Watch watch = Watch::open({file}).value();
  std::ifstream limit_file("/proc/sys/fs/inotify/max_queued_events");
  std::size_t limit = 0;
  limit_file >> limit;
  REQUIRE_GT(limit, 0);
  std::string const other = (dir / "x").string();
  for (std::size_t i = 0; i <= limit / 2; ++i) {  // each round is a creation and a deletion
    std::FILE* const made = std::fopen(other.c_str(), "w");
    REQUIRE(made != nullptr);
    std::fclose(made);
    std::filesystem::remove(other);
  }
  CHECK(watch.drain());
}

TEST_CASE("a missing directory is said, with its name") {
  Scratch dir;
  auto const watch = Watch::open({dir / "absent/users.json"});
  REQUIRE_FALSE(watch.has_value());
  CHECK_EQ(watch.error().code, kb::Errc::unavailable);
  CHECK(watch.error().what.find((dir / "absent").string()) != std::string::npos);
}

TEST_CASE("a watch can be moved") {
  Scratch dir;
  auto const file = dir.write("users.json", "{}");
  Watch first = Watch::open({file}).value();
  Watch second = std::move(first);
  dir.write("users.json", "{ }");
  CHECK(second.drain());
}
