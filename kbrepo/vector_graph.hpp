/// Approximate nearest vectors by a graph (HNSW, of hnswlib). Grows in place: rows that are gone stay in it, and
/// whoever asks passes over them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kb::kbrepo {

class VectorGraph {
 public:
  explicit VectorGraph(std::size_t dimension);
  ~VectorGraph();

  /// Rows are numbered in the order they come. Waits for searches under way. The same rows in the same order make the
  /// same graph.
  void add(std::span<float const> rows);
  [[nodiscard]] std::size_t rows() const;
  /// Row and cosine, nearest first. Any number of threads.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, float>> nearest(std::span<float const> question,
                                                                     std::size_t limit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kb::kbrepo
