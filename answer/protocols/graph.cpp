#include "answer/protocols/graph.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer/protocols/budget.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::protocols {
namespace {

using Json = nlohmann::json;

std::string text_of(Json const& object, char const* name) {
  auto const at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string edge_line(Graph const& graph, GraphEdge const& edge) {
  std::string line = "- " + graph.label_of(edge.source) + " " + edge.relation + " " + graph.label_of(edge.target);
  if (!edge.confidence.empty()) line += " (" + edge.confidence + ")";
  return line;
}

}  // namespace

GraphNode const* Graph::find(std::string_view name) const {
  std::string const wanted = kbrepo::index::fold(name);
  auto const by = [&](auto const& text_of_node) {
    auto const at = std::find_if(nodes.begin(), nodes.end(), [&](GraphNode const& node) {
      return kbrepo::index::fold(text_of_node(node)) == wanted;
    });
    return at == nodes.end() ? nullptr : &*at;
  };
  if (GraphNode const* node = by([](GraphNode const& n) { return n.id; })) return node;
  if (GraphNode const* node = by([](GraphNode const& n) { return n.id.starts_with("ext:") ? n.id.substr(4) : n.id; })) {
    return node;
  }
  return by([](GraphNode const& n) { return n.label; });
}

std::string Graph::label_of(std::string_view id) const {
  auto const at = std::find_if(nodes.begin(), nodes.end(), [id](GraphNode const& node) { return node.id == id; });
  return at == nodes.end() || at->label.empty() ? std::string(id) : at->label;
}

std::optional<Graph> parse_graph(std::string_view json) {
  Json const root = Json::parse(json, nullptr, false);
  bool const whole = root.is_object() && root.contains("nodes") && root["nodes"].is_array() && root.contains("edges") &&
                     root["edges"].is_array();
  if (!whole) return std::nullopt;
  Graph out;
  for (Json const& node : root["nodes"]) {
    if (!node.is_object()) return std::nullopt;
    out.nodes.push_back({text_of(node, "id"), text_of(node, "label"), text_of(node, "type"), text_of(node, "kb_doc")});
  }
  for (Json const& edge : root["edges"]) {
    if (!edge.is_object()) return std::nullopt;
    out.edges.push_back(
        {text_of(edge, "source"), text_of(edge, "target"), text_of(edge, "relation"), text_of(edge, "confidence")});
  }
  return out;
}

std::string relations_text(Graph const& graph, GraphNode const& node, std::size_t budget) {
  std::vector<std::string> in, out;
  for (GraphEdge const& edge : graph.edges) {
    if (edge.target == node.id) in.push_back(edge_line(graph, edge));
    if (edge.source == node.id) out.push_back(edge_line(graph, edge));
  }
  LineBudget lines(budget, "edges");
  lines.add((node.label.empty() ? node.id : node.label) + " (" + node.type + "): " + std::to_string(in.size()) +
            " incoming, " + std::to_string(out.size()) + " outgoing");
  for (std::string const& line : in) lines.add(line);
  for (std::string const& line : out) lines.add(line);
  return lines.take();
}

std::vector<std::string> service_edges(Graph const& graph) {
  auto const serves = [&](std::string const& id) {
    auto const at =
        std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](GraphNode const& n) { return n.id == id; });
    return at != graph.nodes.end() && (at->type == "service" || at->type == "datastore");
  };
  std::vector<std::string> out;
  for (GraphEdge const& edge : graph.edges) {
    if (serves(edge.source) || serves(edge.target)) out.push_back(edge_line(graph, edge));
  }
  return out;
}

}  // namespace kb::protocols
