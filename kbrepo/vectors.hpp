/// Vectors of passages under one embedding model, by blob: what was embedded once is never embedded again. A value: a
/// set with more in it is a new one that shares what was there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/result.hpp"
#include "config/roomy_map.hpp"
#include "kbrepo/ids.hpp"
#include "kbrepo/snapshot.hpp"

namespace kb::kbrepo {

/// What of each passage is embedded: its heading path and its text. The blob decides it alone, so that a renamed page
/// keeps its vectors.
[[nodiscard]] std::vector<std::string> embedded_texts(Page const& page);

/// One blob's vectors, passage after passage.
struct BlobVectors {
  BlobId blob{};
  std::vector<float> values;  ///< passages × dimension, each passage's of length 1
};

/// What a text means: its vector, and the cosine that texts reach under its model that have nothing to do with each
/// other (some models know nothing below .7).
struct Meaning {
  std::vector<float> vector;
  float noise = 0;

  /// 0…1: how much of the way from noise to the same text.
  [[nodiscard]] float nearness(float cosine) const noexcept;
};
using MeaningPtr = std::shared_ptr<Meaning const>;

/// A passage and how near it is: the cosine of the angle between its vector and the question's.
struct NearPassage {
  std::uint32_t doc = 0, passage = 0;
  float cosine = 0;
};

/// From this many vectors on a graph (HNSW) is searched instead of each of them.
inline constexpr std::size_t kExactVectors = 50'000;

class Vectors {
 public:
  /// An empty set of this model. `exact`: see kExactVectors.
  explicit Vectors(std::string model, std::size_t exact = kExactVectors);

  [[nodiscard]] std::string const& model() const noexcept;
  [[nodiscard]] std::size_t dimension() const noexcept;  ///< 0 while empty
  [[nodiscard]] std::size_t passages() const noexcept;
  [[nodiscard]] bool holds(BlobId const& blob) const;
  /// With these too; blobs that are there stay as they are. Beyond `exact` this builds on the graph: work for a pool.
  /// invalid_input: vectors of another dimension.
  [[nodiscard]] Result<Vectors> with(std::size_t dimension, std::vector<BlobVectors> more) const;
  /// Without the blobs that no page has, once these are more than a third; else the same.
  [[nodiscard]] Vectors pruned(std::span<PageInfo const> pages) const;

  /// The nearest passages of `pages` (a snapshot's, in its order), nearest first. `sees` empty: all of them; else only
  /// those, and exactly. Empty for a question of another dimension. Any number of threads.
  [[nodiscard]] std::vector<NearPassage> nearest(std::span<float const> question, std::size_t limit,
                                                 std::span<PageInfo const> pages,
                                                 std::function<bool(PageInfo const&)> const& sees) const;

  /// Of one passage; 0 when it has no vector here.
  [[nodiscard]] float cosine(std::span<float const> question, BlobId const& blob, std::uint32_t passage) const;

  /// Checksum and model inside; a temporary name, then renamed; not synced, for it can be made again. The graph's links
  /// go into `<file>.graph`.
  [[nodiscard]] Result<void> save(std::filesystem::path const& file) const;
  /// corrupt: it fails its check. not_found: no file, or one of another model. A graph file that is not there, broken
  /// or of other vectors costs building the graph again, which the service log says, and is written anew.
  [[nodiscard]] static Result<Vectors> load(std::filesystem::path const& file, std::string const& model,
                                            std::size_t exact = kExactVectors);

 private:
  struct State;
  explicit Vectors(std::shared_ptr<State const> state);
  std::shared_ptr<State const> state_;
};
using VectorsPtr = std::shared_ptr<Vectors const>;
using VectorSets = config::RoomyMap<RepoId, VectorsPtr>;

/// Beside the index of the repository.
[[nodiscard]] std::filesystem::path vectors_file(config::Settings const& settings, RepoId const& id);

}  // namespace kb::kbrepo
