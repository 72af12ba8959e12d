#include "kbrepo/vector_graph.hpp"

#include <algorithm>
#include <hnswlib/hnswlib.h>
#include <mutex>
#include <shared_mutex>

namespace kb::kbrepo {
namespace {

// The paper's advice for some hundred dimensions (Malkov & Yashunin 2018): degree 16, wide at building, and wider than
// what is wanted at searching.
constexpr std::size_t kDegree = 16;
constexpr std::size_t kBuildWidth = 120;
constexpr std::size_t kSearchWidth = 160;
constexpr std::size_t kFirstRoom = 4096;

}  // namespace

struct VectorGraph::State {
  explicit State(std::size_t wide) : dimension(wide), space(wide), graph(&space, kFirstRoom, kDegree, kBuildWidth) {
    graph.setEf(kSearchWidth);
  }

  std::size_t dimension;
  hnswlib::InnerProductSpace space;
  hnswlib::HierarchicalNSW<float> graph;
  std::size_t rows = 0;
  mutable std::shared_mutex lock;
};

VectorGraph::VectorGraph(std::size_t dimension) : state_(std::make_unique<State>(dimension)) {}
VectorGraph::~VectorGraph() = default;

void VectorGraph::add(std::span<float const> rows) {
  State& s = *state_;
  std::unique_lock const alone(s.lock);
  std::size_t const count = rows.size() / s.dimension;
  std::size_t const room = s.graph.max_elements_;
  if (s.rows + count > room) s.graph.resizeIndex(std::max(s.rows + count, room * 2));
  for (std::size_t i = 0; i < count; ++i) s.graph.addPoint(rows.data() + i * s.dimension, s.rows++);
}

std::size_t VectorGraph::rows() const {
  std::shared_lock const together(state_->lock);
  return state_->rows;
}

std::vector<std::pair<std::uint32_t, float>> VectorGraph::nearest(std::span<float const> question,
                                                                  std::size_t limit) const {
  State const& s = *state_;
  std::shared_lock const together(s.lock);
  std::vector<std::pair<std::uint32_t, float>> out;
  if (s.rows == 0 || question.size() != s.dimension) return out;
  auto found = s.graph.searchKnn(question.data(), std::min(limit, s.rows));
  for (; !found.empty(); found.pop()) {
    out.emplace_back(static_cast<std::uint32_t>(found.top().second), 1 - found.top().first);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace kb::kbrepo
