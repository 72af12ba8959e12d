// An index that grew commit by commit is the index built at once.
#include <doctest/doctest.h>
#include <filesystem>

#include "tests/index/corpus.hpp"

using namespace kb::test;

namespace {

/// A repository's life: documents come, change, move, go and come back.
struct History {
  explicit History(std::uint32_t seed) : author(seed) {}

  void step() {
    for (std::uint32_t i = author.below(6); i > 0; --i) live.insert(live.begin() + place(), author.document());
    for (std::uint32_t i = author.below(4); i > 0 && !live.empty(); --i) {
      auto const at = live.begin() + place() % static_cast<std::ptrdiff_t>(live.size());
      switch (author.below(3)) {
        case 0:
          gone.push_back(*at);
          live.erase(at);
          break;
        case 1:
          at->path += "x";  // a rename is another document
          break;
        default:
          gone.push_back(*at);
          at->headings.push_back("changed");
          at->bodies.push_back(author.words(20));
      }
    }
    if (author.below(3) == 0 && !gone.empty()) {
      live.push_back(gone.back());
      gone.pop_back();
    }
    if (author.below(12) == 0) live.resize(live.size() / 2);
    drop_repeats();
  }

  Author author;
  std::vector<MadeDocument> live, gone;

 private:
  std::ptrdiff_t place() { return author.below(static_cast<std::uint32_t>(live.size() + 1)); }
  void drop_repeats() {
    std::vector<MadeDocument> once;
    for (MadeDocument& document : live) {
      bool const seen = std::any_of(once.begin(), once.end(), [&](auto const& d) { return d.key() == document.key(); });
      if (!seen) once.push_back(std::move(document));
    }
    live = std::move(once);
  }
};

/// The next index from the one before: only what it does not hold is analysed.
Index grown(Index const& before, std::vector<MadeDocument> const& live) {
  std::vector<MadeDocument> fresh;
  for (MadeDocument const& document : live) {
    if (!before.holds(document.key())) fresh.push_back(document);
  }
  std::vector<SegmentPtr> segments(before.segments().begin(), before.segments().end());
  if (!fresh.empty()) segments.push_back(segment_of(fresh));
  return std::move(Index::assemble(std::move(segments), keys_of(live)).value());
}

std::string broken_equality(Index const& grown, Index const& fresh, Author& author) {
  for (int i = 0; i < 4; ++i) {
    auto const terms = query_terms(author.words(1 + author.below(8)));
    for (QueryTerm const& term : terms) {
      if (grown.document_frequency(term.text) != fresh.document_frequency(term.text)) return "df of " + term.text;
    }
    SearchOptions options;
    options.candidates = 5 + author.below(100);
    if (printed(grown.search(terms, options)) != printed(fresh.search(terms, options))) return "results differ";
  }
  IndexStats const stats = grown.stats();
  if (stats.passages != fresh.stats().passages) return "number of passages";
  if (stats.segments > 8) return "more than 8 segments";
  if (stats.dead_passages * 10 > 3 * (stats.passages + stats.dead_passages)) return "more than 30 % dead";
  return {};
}

}  // namespace

TEST_CASE("an index that grew is bit for bit the one built at once") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    History history(seed);
    Index index;
    for (int step = 0; step < 25; ++step) {
      history.step();
      index = grown(index, history.live);
      CAPTURE(seed);
      CAPTURE(step);
      REQUIRE_EQ(broken_equality(index, index_of(history.live), history.author), "");
    }
  }
}

TEST_CASE("it still is after being stored and read back") {
  auto const file = std::filesystem::temp_directory_path() / ("kb-history-" + std::to_string(getpid()) + ".idx");
  History history(99);
  Index index;
  for (int step = 0; step < 20; ++step) {
    history.step();
    index = grown(index, history.live);
    REQUIRE(index.save(file).has_value());
    auto segments = Index::load(file);
    REQUIRE(segments.has_value());
    auto again = Index::assemble(std::move(*segments), keys_of(history.live));
    REQUIRE(again.has_value());
    index = std::move(*again);
    CAPTURE(step);
    REQUIRE_EQ(broken_equality(index, index_of(history.live), history.author), "");
  }
  std::filesystem::remove(file);
}

TEST_CASE("the same documents give the same bytes") {
  Author one(3);
  Author two(3);
  std::vector<MadeDocument> documents;
  std::vector<MadeDocument> again;
  for (int i = 0; i < 50; ++i) {
    documents.push_back(one.document());
    again.insert(again.begin(), two.document());
  }
  CHECK_EQ(index_of(documents).stats().bytes, index_of(again).stats().bytes);
}

TEST_CASE("documents that no segment holds are named by number") {
  MadeDocument const known{"a.md", "A", {""}, {"alpha"}};
  MadeDocument const unknown{"b.md", "B", {""}, {"beta"}};
  auto const index = Index::assemble({segment_of({known})}, keys_of({known, unknown}));
  REQUIRE_FALSE(index.has_value());
  CHECK(index.error().code == kb::Errc::invalid_input);
  CHECK(index.error().what.find('1') != std::string::npos);
  CHECK_FALSE(Index::assemble({segment_of({known})}, keys_of({known, known})).has_value());
}

TEST_CASE("a document without passages is live and finds nothing") {
  MadeDocument const empty{"a.md", "Alpha", {}, {}};
  Index const index = index_of({empty});
  CHECK_EQ(index.stats().documents, 1);
  CHECK(index.holds(empty.key()));
  CHECK(index.search(query_terms("alpha"), {}).empty());
}
