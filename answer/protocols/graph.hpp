/// graph.json of a project (ACCEPTANCE 1.1): nodes and edges, whatever kinds a later version adds (N-7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kb::protocols {

struct GraphNode {
  std::string id, label, type, kb_doc;
};
struct GraphEdge {
  std::string source, target, relation, confidence;
};
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;

  /// By id, `ext:` id or label, whatever the case.
  [[nodiscard]] GraphNode const* find(std::string_view name) const;
  [[nodiscard]] std::string label_of(std::string_view id) const;
};

/// Nothing when it does not parse or lacks its arrays.
[[nodiscard]] std::optional<Graph> parse_graph(std::string_view json);

/// The node with the edges that come in and go out, within the budget, never cut inside an edge (S0-42, S0-43).
[[nodiscard]] std::string relations_text(Graph const& graph, GraphNode const& node, std::size_t budget);
/// Edges that touch a service or datastore (N-8).
[[nodiscard]] std::vector<std::string> service_edges(Graph const& graph);

}  // namespace kb::protocols
