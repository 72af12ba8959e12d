/// kb_chunks and its neighbours (S2): chunks of a knowledge base that is asked by name, of all that are visible, and
/// the list of these. Pure but for blob reads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer/protocols/book.hpp"
#include "answer/protocols/kb_guard.hpp"
#include "kbrepo/vectors.hpp"

namespace kb::protocols {

inline constexpr std::int64_t kMaxChunks = 20;     // S2-16
inline constexpr std::int64_t kDefaultChunks = 8;  // C-30

/// A knowledge base that the principal may read. Whether agent and channel see it is the guard's to say.
struct NamedBook {
  Book book;
  config::KnowledgeBase base;
  kbrepo::VectorsPtr vectors{};  ///< null: words alone
};

struct ChunkQuery {
  std::string id, name;  ///< one of them; id wins
  std::string query;
  std::int64_t limit = kDefaultChunks;  ///< 1…20
  bool graph = true;
  kbrepo::Meaning const* meaning = nullptr;  ///< the query's (S2-6, S2-15); null: words alone
};

struct Chunk {
  std::string id;       ///< the same for the same text at the same place, across commits
  std::string content;  ///< byte for byte as in the page
  double score = 0;     ///< 0…1, four decimals; see ChunkReply::score_kind
  std::string title;    ///< as the page has one in its head or first heading; else empty (S2-23)
  std::string heading, path, locator, url;
  std::uint32_t line_begin = 0, line_end = 0;
  std::size_t of = 0;  ///< which of the books given
};

struct ContextNode {
  std::string id, label, type;
};
struct ContextRelation {
  std::string source, target, type;
};
/// What the returned pages are linked with: compact, capped, visible things only (S2-5, C-31).
struct GraphContext {
  std::vector<ContextNode> nodes;
  std::vector<ContextRelation> relations;
};

/// What went wrong with a call, in the words of the seed (S2-38…40, S2-43).
struct ChunkFault {
  bool not_found = false;  ///< else the call itself is at fault
  std::string message, hint;
};

struct ChunkReply {
  std::optional<ChunkFault> fault;   ///< then the rest is empty
  std::optional<std::size_t> asked;  ///< which of the books given; nothing: recall over all
  std::vector<Chunk> chunks;         ///< best first
  std::string query;
  /// "lexical", or "fused" where vectors took part; scores of different kinds must not be compared (C-6).
  std::string score_kind = "lexical";
  std::string hint;  ///< of an empty result
  std::optional<GraphContext> graph;
};

/// What is wrong with the arguments alone, before anything is looked up.
[[nodiscard]] std::optional<ChunkFault> fault_of(ChunkQuery const& query);

/// One base, no other is looked at (S2-2). By name among what is visible; by id also what agent or channel hide, which
/// then gives no chunks (C-11). A base that is not among `books` is not found, whether or not there is one (S2-38).
[[nodiscard]] ChunkReply query_chunks(std::span<NamedBook const> books, Guard const& guard, ChunkQuery const& query);

/// All that are visible (S2-34), their source roles weighing in (S2-51). Vectors take part when every base has them.
[[nodiscard]] ChunkReply recall_chunks(std::span<NamedBook const> books, Guard const& guard, ChunkQuery const& query);

struct VisibleBase {
  std::size_t of = 0;      ///< which of the books given
  std::size_t chunks = 0;  ///< visible ones
};
/// S2-36, S2-42.
[[nodiscard]] std::vector<VisibleBase> visible_bases(std::span<NamedBook const> books, Guard const& guard);

/// The seed's object; for a recall each chunk names its knowledge base.
[[nodiscard]] std::string to_json(ChunkReply const& reply, std::span<NamedBook const> books);
[[nodiscard]] std::string to_json(std::vector<VisibleBase> const& bases, std::span<NamedBook const> books);

}  // namespace kb::protocols
