#include <nlohmann/json.hpp>

#include "answer/protocols/chunks.hpp"

namespace kb::protocols {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(std::string const& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json base_json(config::KnowledgeBase const& base) {
  return {{"name", base.name}, {"sourceRole", config::to_string(base.role)}, {"scope", or_null(base.scope)}};
}

Json chunk_json(Chunk const& chunk, NamedBook const& book, bool with_base) {
  Json metadata{{"score", chunk.score}, {"source", chunk.path}};
  if (!chunk.title.empty()) metadata["title"] = chunk.title;
  if (!chunk.heading.empty()) metadata["heading"] = chunk.heading;
  metadata["locator"] = chunk.locator;
  metadata["lines"] = {chunk.line_begin, chunk.line_end};
  metadata["commit"] = book.book.snapshot->commit().hex();
  if (!chunk.url.empty()) metadata["sourceUrl"] = chunk.url;
  if (with_base) {
    metadata["knowledgeBaseId"] = book.base.id;
    metadata["knowledgeBase"] = base_json(book.base);
  }
  return {{"id", chunk.id}, {"content", chunk.content}, {"metadata", std::move(metadata)}};
}

Json graph_json(GraphContext const& graph) {
  Json nodes = Json::array();
  for (ContextNode const& node : graph.nodes) {
    nodes.push_back({{"id", node.id}, {"label", node.label}, {"type", node.type}});
  }
  Json relations = Json::array();
  for (ContextRelation const& relation : graph.relations) {
    relations.push_back({{"source", relation.source}, {"target", relation.target}, {"type", relation.type}});
  }
  return {{"nodes", std::move(nodes)}, {"relations", std::move(relations)}};
}

std::string dump(Json const& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(ChunkReply const& reply, std::span<NamedBook const> books) {
  Json out{{"chunks", Json::array()}, {"totalCount", reply.chunks.size()}, {"query", reply.query}};
  for (Chunk const& chunk : reply.chunks) {
    out["chunks"].push_back(chunk_json(chunk, books[chunk.of], !reply.asked));
  }
  if (reply.asked) {
    out["knowledgeBaseId"] = books[*reply.asked].base.id;
    out["knowledgeBase"] = base_json(books[*reply.asked].base);
  }
  if (reply.graph) out["graphContext"] = graph_json(*reply.graph);
  out["score_kind"] = reply.score_kind;
  if (!reply.hint.empty()) out["hint"] = reply.hint;
  return dump(out);
}

std::string to_json(std::vector<VisibleBase> const& bases, std::span<NamedBook const> books) {
  Json rows = Json::array();
  for (VisibleBase const& visible : bases) {
    config::KnowledgeBase const& base = books[visible.of].base;
    rows.push_back({{"id", base.id},
                    {"name", base.name},
                    {"description", or_null(base.description)},
                    {"sourceRole", config::to_string(base.role)},
                    {"scope", or_null(base.scope)},
                    {"peerScopePolicy", base.permissive ? "permissive" : "strict"},
                    {"agentIds", base.agents},
                    {"memoryCount", visible.chunks},
                    {"commit", books[visible.of].book.snapshot->commit().hex()}});
  }
  Json const out{{"knowledgeBases", rows}, {"totalCount", rows.size()}};
  return dump(out);
}

}  // namespace kb::protocols
