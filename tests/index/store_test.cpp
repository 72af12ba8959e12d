#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

#include "tests/index/corpus.hpp"

using namespace kb::test;
namespace fs = std::filesystem;

namespace {

struct StoredIndex {
  StoredIndex() : folder(fs::temp_directory_path() / ("kb-store-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
    Author author(5);
    for (int i = 0; i < 30; ++i) documents.push_back(author.document());
    std::vector<MadeDocument> const half(documents.begin(), documents.begin() + 15);
    std::vector<MadeDocument> const rest(documents.begin() + 15, documents.end());
    index = std::move(Index::assemble({segment_of(half), segment_of(rest)}, keys_of(documents)).value());
    REQUIRE(index.save(file()).has_value());
  }
  ~StoredIndex() { fs::remove_all(folder); }

  [[nodiscard]] fs::path file() const { return folder / "a.idx"; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(std::string_view bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] bool corrupt() const {
    auto const read = Index::load(file());
    return !read && read.error().code == kb::Errc::corrupt;
  }

  fs::path folder;
  std::vector<MadeDocument> documents;
  Index index;
};

}  // namespace

TEST_CASE("the same content at paths that differ in a few digits is told apart") {
  std::vector<std::uint64_t> hashes;
  for (char const* const folder : {"docsfaq-zh/d", "notes/2026-"}) {
    for (int page = 10'000; page < 19'000; ++page) {
      for (int copy = 0; copy < 24; ++copy) {
        hashes.push_back(doc_key({}, folder + std::to_string(page) + "#" + std::to_string(copy)).path_hash);
      }
    }
  }
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
}

TEST_CASE("what is stored is read back, and nothing else is left beside it") {
  StoredIndex const stored;
  auto segments = Index::load(stored.file());
  REQUIRE(segments.has_value());
  CHECK_EQ(segments->size(), 2);
  auto const again = Index::assemble(std::move(*segments), keys_of(stored.documents));
  REQUIRE(again.has_value());
  auto const terms = query_terms("how to restore the cluster 数据库备份");
  CHECK_EQ(printed(again->search(terms, {})), printed(stored.index.search(terms, {})));
  CHECK_EQ(std::distance(fs::directory_iterator(stored.folder), {}), 1);
}

TEST_CASE("any damaged byte is corrupt") {
  StoredIndex const stored;
  std::string const good = stored.bytes();
  std::mt19937 random(11);
  for (std::size_t at = 0; at < good.size(); at += at < 200 ? 1 : 1 + random() % 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1 + random() % 255));
    stored.put(bad);
    CAPTURE(at);
    REQUIRE(stored.corrupt());
  }
}

TEST_CASE("a file cut short or grown is corrupt") {
  StoredIndex const stored;
  std::string const good = stored.bytes();
  for (std::size_t size = 0; size < good.size(); size += size < 200 ? 1 : 131) {
    stored.put(std::string_view(good).substr(0, size));
    CAPTURE(size);
    REQUIRE(stored.corrupt());
  }
  stored.put(good + "x");
  CHECK(stored.corrupt());
}

TEST_CASE("no file is not_found, and an index of nothing can be stored") {
  StoredIndex const stored;
  auto const missing = Index::load(stored.folder / "none.idx");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == kb::Errc::not_found);
  REQUIRE(Index().save(stored.file()).has_value());
  auto const empty = Index::load(stored.file());
  REQUIRE(empty.has_value());
  CHECK(empty->empty());
}

TEST_CASE("an index that cannot be written says so and leaves nothing") {
  StoredIndex const stored;
  auto const saved = stored.index.save(stored.folder / "no-such" / "a.idx");
  REQUIRE_FALSE(saved.has_value());
  CHECK(saved.error().code == kb::Errc::unavailable);
}
