#include "kbrepo/vector_graph.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
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
constexpr int kMostLevels = 64;  // of links that are read: a level more for each 16 times as many rows

using Graph = hnswlib::HierarchicalNSW<float>;
using Row = hnswlib::tableint;
using Head = hnswlib::linklistsizeint;  // of a list of links: their number

template <class T>
void put(std::string& out, T const& value) {
  out.append(reinterpret_cast<char const*>(&value), sizeof value);
}

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}
  template <class T>
  bool take(T& value) {
    return take(&value, sizeof value);
  }
  bool take(void* to, std::size_t size) {
    if (size > in_.size()) return false;
    if (size > 0) std::memcpy(to, in_.data(), size);
    in_.remove_prefix(size);
    return true;
  }
  [[nodiscard]] bool at_end() const noexcept { return in_.empty(); }

 private:
  std::string_view in_;
};

/// A row's links on a level, as they lie in the graph's memory.
Head* list_of(Graph const& graph, Row row, int level) {
  return level == 0 ? graph.get_linklist0(row) : graph.get_linklist(row, level);
}

bool take_list(Reader& in, Graph& graph, Head* list, std::size_t most) {
  std::uint8_t count = 0;
  if (!in.take(count) || count > most) return false;
  graph.setListCount(list, count);
  return in.take(list + 1, count * sizeof(Row));
}

/// Every link leads to a row that stands on its level.
bool links_fit(Graph const& graph) {
  for (Row row = 0; row < graph.cur_element_count; ++row) {
    for (int level = 0; level <= graph.element_levels_[row]; ++level) {
      Head* const list = list_of(graph, row, level);
      Row const* const links = list + 1;
      for (std::size_t i = 0; i < graph.getListCount(list); ++i) {
        if (links[i] >= graph.cur_element_count || graph.element_levels_[links[i]] < level) return false;
      }
    }
  }
  return true;
}

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

Result<std::shared_ptr<VectorGraph>> VectorGraph::load(std::size_t dimension, std::string_view links,
                                                       std::function<float const*(std::uint32_t row)> const& row) {
  Error const corrupt(Errc::corrupt, "the links of the graph do not add up");
  auto out = std::make_shared<VectorGraph>(dimension);
  State& s = *out->state_;
  Graph& graph = s.graph;
  Reader in(links);
  std::uint32_t rows = 0;
  std::int32_t top = 0;
  Row entry = 0;
  bool const head = in.take(rows) && in.take(top) && in.take(entry) && rows > 0 && rows <= links.size() &&
                    entry < rows && top >= 0 && top <= kMostLevels;
  if (!head) return corrupt;
  if (rows > graph.max_elements_) graph.resizeIndex(rows);
  for (Row at = 0; at < rows; ++at) {
    std::uint8_t levels = 0;
    if (!in.take(levels) || levels > top) return corrupt;
    std::memset(graph.get_linklist0(at), 0, graph.size_data_per_element_);
    std::memcpy(graph.getDataByInternalId(at), row(at), dimension * sizeof(float));
    graph.setExternalLabel(at, at);
    graph.label_lookup_[at] = at;
    if (levels > 0) {
      graph.linkLists_[at] = static_cast<char*>(std::calloc(levels, graph.size_links_per_element_));
      if (graph.linkLists_[at] == nullptr) throw std::bad_alloc();
    }
    graph.element_levels_[at] = levels;
    graph.cur_element_count = at + 1;  // what is counted is freed with the graph
    for (int level = 0; level <= levels; ++level) {
      if (!take_list(in, graph, list_of(graph, at, level), level == 0 ? graph.maxM0_ : graph.maxM_)) return corrupt;
    }
  }
  if (!in.at_end() || graph.element_levels_[entry] != top || !links_fit(graph)) return corrupt;
  graph.maxlevel_ = top;
  graph.enterpoint_node_ = entry;
  s.rows = rows;
  return out;
}

std::string VectorGraph::links() const {
  State const& s = *state_;
  std::shared_lock const together(s.lock);
  Graph const& graph = s.graph;
  std::string out;
  put(out, static_cast<std::uint32_t>(graph.cur_element_count));
  put(out, static_cast<std::int32_t>(graph.maxlevel_));
  put(out, Row{graph.enterpoint_node_});
  for (Row row = 0; row < graph.cur_element_count; ++row) {
    put(out, static_cast<std::uint8_t>(graph.element_levels_[row]));
    for (int level = 0; level <= graph.element_levels_[row]; ++level) {
      Head* const list = list_of(graph, row, level);
      std::size_t const count = graph.getListCount(list);
      put(out, static_cast<std::uint8_t>(count));
      out.append(reinterpret_cast<char const*>(list + 1), count * sizeof(Row));
    }
  }
  return out;
}

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
