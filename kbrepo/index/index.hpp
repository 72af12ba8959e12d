/// In-memory BM25F over passages. Segments are immutable and keyed by document; an Index is a live set of documents
/// over segments, so a commit is a set of live blobs. Parameters: RETRIEVAL §7, in one constexpr table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/result.hpp"
#include "kbrepo/ids.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::kbrepo::index {

/// A document is a blob under a path: path words are part of its title field, so a rename is a new document.
struct DocKey {
  BlobId blob{};
  std::uint64_t path_hash = 0;
  friend auto operator<=>(DocKey const&, DocKey const&) = default;
};
[[nodiscard]] DocKey doc_key(BlobId const& blob, std::string_view path) noexcept;

struct PassageText {
  std::string_view heading;  ///< heading path
  std::string_view body;
  std::uint32_t line_begin = 0, line_end = 0;
};

struct DocumentText {
  DocKey key;
  std::string title;  ///< title, aliases and path words
  std::vector<PassageText> passages;
};

class Segment;
using SegmentPtr = std::shared_ptr<Segment const>;

/// Analyses each document once. O(bytes). Deterministic.
[[nodiscard]] SegmentPtr build_segment(std::span<DocumentText const> documents);

/// They add up to the score, before the document's prior.
struct ScoreParts {
  float bm25 = 0, page = 0, proximity = 0;
  float support = 0;  ///< other passages of the document speak of the question too
  float title = 0;    ///< the title names what is asked about
};

struct ScoredPassage {
  std::uint32_t doc = 0;      ///< position in the live list given to assemble()
  std::uint32_t passage = 0;  ///< position in that document's passages
  std::uint32_t line_begin = 0, line_end = 0;
  float score = 0;       ///< comparable within one query and index only
  float normalised = 0;  ///< score ÷ the query's ideal score, 0…1: comparable between repositories
  ScoreParts parts;
};

struct SearchOptions {
  std::size_t limit = 20;
  std::size_t candidates = 100;  ///< kept before the page prior
  std::size_t rerank = 50;       ///< of these get the proximity score
  /// Multiplies a document's score (page-kind priors by intent); empty: all 1. 0 hides a document.
  std::function<float(std::uint32_t doc)> prior;
};

struct IndexStats {
  std::size_t documents = 0, passages = 0, segments = 0, bytes = 0, dead_passages = 0;
};

/// Immutable view; copy is cheap; safe to search from any number of threads. Scores depend on live passages alone,
/// never on how the segments came about.
class Index {
 public:
  Index();  ///< empty
  /// The live documents in their order. Documents found in no segment: invalid_input naming how many.
  /// Merges by itself when segments exceed 8 or 30 % of their passages are dead.
  [[nodiscard]] static Result<Index> assemble(std::vector<SegmentPtr> segments, std::span<DocKey const> live);

  [[nodiscard]] std::span<SegmentPtr const> segments() const noexcept;
  [[nodiscard]] bool holds(DocKey const& key) const;  ///< in any of its segments, live or not
  [[nodiscard]] std::vector<ScoredPassage> search(std::span<QueryTerm const> query, SearchOptions const& options) const;
  /// ln(1 + (N - df + .5)/(df + .5)) over live passages; for a term nobody has, the largest value.
  [[nodiscard]] float idf(std::string_view term) const;
  [[nodiscard]] std::uint32_t document_frequency(std::string_view term) const;  ///< live passages that hold it
  /// What a mistyped Latin word must have meant: of the terms that one letter more, less or other, or two swapped, make
  /// of `term`, the one most passages hold. Empty for one that some passage holds, for short ones, and when there is
  /// none.
  [[nodiscard]] std::string mended(std::string_view term) const;
  [[nodiscard]] IndexStats stats() const;

  /// Format version and checksum inside; written to a temporary name and renamed. Anything odd on load is `corrupt`:
  /// rebuild.
  [[nodiscard]] Result<void> save(std::filesystem::path const& file) const;
  [[nodiscard]] static Result<std::vector<SegmentPtr>> load(std::filesystem::path const& file);

 private:
  struct State;
  explicit Index(std::shared_ptr<State const> state);
  std::shared_ptr<State const> state_;
};

}  // namespace kb::kbrepo::index
