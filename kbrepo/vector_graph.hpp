/// Approximate nearest vectors by a graph (HNSW, of hnswlib). Grows in place: rows that are gone stay in it, and
/// whoever asks passes over them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/result.hpp"

namespace kb::kbrepo {

class VectorGraph {
 public:
  explicit VectorGraph(std::size_t dimension);
  ~VectorGraph();
  /// From what links() gave and the same rows, asked for by their numbers: no distance is computed. corrupt: links that
  /// no graph has.
  [[nodiscard]] static Result<std::shared_ptr<VectorGraph>> load(
      std::size_t dimension, std::string_view links, std::function<float const*(std::uint32_t row)> const& row);

  /// Rows are numbered in the order they come. Waits for searches under way.
  void add(std::span<float const> rows);
  /// Which rows lead to which, without the rows themselves: a tenth of their size and less.
  [[nodiscard]] std::string links() const;
  [[nodiscard]] std::size_t rows() const;
  /// Row and cosine, nearest first. Any number of threads.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, float>> nearest(std::span<float const> question,
                                                                     std::size_t limit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kb::kbrepo
