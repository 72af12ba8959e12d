#include "config/atomic_file.hpp"

#include <sys/stat.h>

#include "tests/config/scratch.hpp"

using kb::Errc;
using kb::config::read_file;
using kb::config::replace_file;
using kb::test::content_of;
using kb::test::names_in;
using kb::test::Scratch;

namespace {

unsigned mode_of(std::filesystem::path const& file) {
  struct stat info {};
  REQUIRE_EQ(::stat(file.c_str(), &info), 0);
  return info.st_mode & 07777u;
}

}  // namespace

TEST_CASE("a file is read whole, up to the limit and not beyond") {
  Scratch dir;
  std::string const content("bytes\0with anything\xFF", 20);
  auto const file = dir.write("a", content);
  CHECK_EQ(read_file(file, 20).value(), content);
  auto const over = read_file(file, 19);
  CHECK_EQ(over.error().code, Errc::exhausted);
  CHECK_EQ(over.error().what, "reading " + file.string() + ": larger than 19 bytes");
  CHECK_EQ(read_file(dir.write("empty", ""), 0).value(), "");
  std::string const large(300'000, 'x');
  CHECK_EQ(read_file(dir.write("large", large), large.size()).value(), large);
}

TEST_CASE("what cannot be read names the path and the reason") {
  Scratch dir;
  auto const absent = read_file(dir / "absent", 10);
  CHECK_EQ(absent.error().code, Errc::not_found);
  CHECK(absent.error().what.find((dir / "absent").string()) != std::string::npos);
  CHECK_EQ(read_file(dir.path(), 10).error().code, Errc::unavailable);
  REQUIRE_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  CHECK_EQ(read_file(dir / "pipe", 10).error().code, Errc::unavailable);  // and does not wait for a writer
}

TEST_CASE("a new file is private; a replaced one keeps its mode and leaves nothing beside it") {
  Scratch dir;
  REQUIRE(replace_file(dir / "new", "one"));
  CHECK_EQ(content_of(dir / "new"), "one");
  CHECK_EQ(mode_of(dir / "new"), 0600);

  auto const old = dir.write("old", "before");
  REQUIRE_EQ(::chmod(old.c_str(), 0640), 0);
  REQUIRE(replace_file(old, "after"));
  CHECK_EQ(content_of(old), "after");
  CHECK_EQ(mode_of(old), 0640);
  CHECK_EQ(names_in(dir.path()), std::vector<std::string>{"new", "old"});
}

TEST_CASE("readers of the old file keep the old content: it is replaced, not written over") {
  Scratch dir;
  auto const file = dir.write("a", "old content");
  std::ifstream reader(file);
  REQUIRE(replace_file(file, "new"));
  std::string seen;
  std::getline(reader, seen);
  CHECK_EQ(seen, "old content");
}

TEST_CASE("a link stays a link; what it points to is replaced") {
  Scratch dir;
  auto const real = dir.write("store/real.json", "old");
  std::filesystem::create_symlink(real, dir / "link.json");
  REQUIRE(replace_file(dir / "link.json", "new"));
  CHECK(std::filesystem::is_symlink(dir / "link.json"));
  CHECK_EQ(content_of(real), "new");
}

TEST_CASE("when replacing fails, the old state stands and nothing is left behind") {
  Scratch dir;
  CHECK_EQ(replace_file(dir / "no/such/file", "x").error().code, Errc::not_found);

  // The last step, the rename, cannot put a file in the place of a directory.
  dir.write("taken/inside", "kept");
  auto const refused = replace_file(dir / "taken", "x");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().what.find((dir / "taken").string()) != std::string::npos);
  CHECK_EQ(content_of(dir / "taken/inside"), "kept");
  CHECK_EQ(names_in(dir.path()), std::vector<std::string>{"taken"});

  // A file system that takes no files, whoever we are.
  CHECK_FALSE(replace_file("/proc/kbgate.json", "x"));
}
