#include "answer/protocols/chunk_graph.hpp"

#include <algorithm>
#include <map>

#include "answer/protocols/graph.hpp"

namespace kb::protocols {
namespace {

constexpr std::size_t kMaxGraphFile = 16 * 1024 * 1024;

/// The seed's node types (ACCEPTANCE 1.3), from what a page is for.
std::string_view type_of(kbrepo::PageRole role) noexcept {
  switch (role) {
    case kbrepo::PageRole::project:
      return "project";
    case kbrepo::PageRole::person:
      return "person";
    case kbrepo::PageRole::concept_page:
      return "concept";
    default:
      return "resource";
  }
}

/// `a/b/../c/./d` → `a/c/d`.
std::string normal(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    auto const end = std::min(path.find('/'), path.size());
    std::string_view const part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  std::string out;
  for (std::string_view const part : parts) out.append(out.empty() ? "" : "/").append(part);
  return out;
}

std::string_view stem(std::string_view path) noexcept {
  std::string_view const name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

class Context {
 public:
  explicit Context(VisiblePages const& pages) : pages_(pages) {}

  GraphContext run(std::span<Chunk const> chunks) {
    std::vector<kbrepo::PageInfo const*> returned;
    for (Chunk const& chunk : chunks) {
      kbrepo::PageInfo const* const page = pages_.find(chunk.path);
      if (page != nullptr && std::find(returned.begin(), returned.end(), page) == returned.end())
        returned.push_back(page);
    }
    for (kbrepo::PageInfo const* page : returned) add(*page);
    for (kbrepo::PageInfo const* page : returned) links_of(*page);
    add_graph(returned);
    return std::move(out_);
  }

 private:
  bool add_node(std::string const& id, std::string const& label, std::string_view type) {
    bool const known =
        std::any_of(out_.nodes.begin(), out_.nodes.end(), [&](ContextNode const& node) { return node.id == id; });
    if (known) return true;
    if (out_.nodes.size() >= kMaxContextNodes) return false;
    out_.nodes.push_back({id, label, std::string(type)});
    return true;
  }
  bool add(kbrepo::PageInfo const& page) { return add_node(page.path, page.title, type_of(page.role)); }
  void relate(std::string const& source, std::string const& target, std::string const& type) {
    bool const known = std::any_of(out_.relations.begin(), out_.relations.end(), [&](ContextRelation const& relation) {
      return relation.source == source && relation.target == target && relation.type == type;
    });
    if (!known && out_.relations.size() < kMaxContextRelations) out_.relations.push_back({source, target, type});
  }

  void links_of(kbrepo::PageInfo const& page) {
    auto const text = pages_.read(page);
    if (!text) return;
    for (std::string const& link : (*text)->links) {
      kbrepo::PageInfo const* const target = resolve(page.path, link);
      if (target == nullptr || target == &page || !add(*target)) continue;
      relate(page.path, target->path, "mentions");
    }
  }

  /// Relative to the page, then from the root, then by the name of the one visible page that has it.
  kbrepo::PageInfo const* resolve(std::string_view from, std::string_view link) {
    link = link.substr(0, link.find_first_of("#|"));
    if (link.empty()) return nullptr;
    auto const slash = from.rfind('/');
    std::string const folder(from.substr(0, slash == from.npos ? 0 : slash + 1));
    for (std::string const& path : {normal(folder + std::string(link)), normal(link)}) {
      if (auto const* page = pages_.find(kbrepo::Snapshot::normal_path(path))) return page;
    }
    if (by_stem_.empty()) {
      for (kbrepo::PageInfo const& page : pages_.pages()) {
        if (VisiblePages::holds_chunks(page)) by_stem_[stem(page.path)].push_back(&page);
      }
    }
    auto const at = by_stem_.find(stem(link));
    return at != by_stem_.end() && at->second.size() == 1 ? at->second.front() : nullptr;
  }

  /// Nodes that stand for a returned page, and what their edges reach.
  void add_graph(std::vector<kbrepo::PageInfo const*> const& returned) {
    Book const& book = pages_.book().book;
    Result<std::string> const json = book.snapshot->file(book.grant, "graph.json", kMaxGraphFile);
    std::optional<Graph> const graph = json ? parse_graph(*json) : std::nullopt;
    if (!graph) return;
    std::map<std::string_view, GraphNode const*> by_id;
    for (GraphNode const& node : graph->nodes) {
      // A document that is hidden or missing takes its node along.
      if (node.kb_doc.empty() || pages_.find(document(node)) != nullptr) by_id.emplace(node.id, &node);
    }
    auto const ours = [&](GraphNode const& node) {
      return std::any_of(returned.begin(), returned.end(),
                         [&](kbrepo::PageInfo const* page) { return page->path == document(node); });
    };
    for (GraphEdge const& edge : graph->edges) {
      auto const source = by_id.find(edge.source);
      auto const target = by_id.find(edge.target);
      if (source == by_id.end() || target == by_id.end()) continue;
      if (!ours(*source->second) && !ours(*target->second)) continue;
      if (add(*source->second) && add(*target->second)) {
        relate(name(*source->second), name(*target->second), edge.relation);
      }
    }
  }
  static std::string document(GraphNode const& node) {
    return node.kb_doc.empty() ? std::string() : kbrepo::Snapshot::normal_path(node.kb_doc);
  }
  /// A page is one node, whether links or graph.json speak of it.
  static std::string name(GraphNode const& node) { return node.kb_doc.empty() ? node.id : document(node); }
  bool add(GraphNode const& node) { return add_node(name(node), node.label.empty() ? node.id : node.label, node.type); }

  VisiblePages const& pages_;
  GraphContext out_;
  std::map<std::string_view, std::vector<kbrepo::PageInfo const*>> by_stem_;
};

}  // namespace

GraphContext graph_context(VisiblePages const& pages, std::span<Chunk const> chunks) {
  return Context(pages).run(chunks);
}

}  // namespace kb::protocols
