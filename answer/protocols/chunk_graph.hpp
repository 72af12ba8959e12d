/// What the pages of a result are linked with (S2-5).
#pragma once

#include "answer/protocols/visible_pages.hpp"

namespace kb::protocols {

inline constexpr std::size_t kMaxContextNodes = 20;  // C-31
inline constexpr std::size_t kMaxContextRelations = 40;

/// Links between pages, and the nodes of graph.json that stand for these pages with their neighbours. A link to a page
/// that is hidden is no more there than one to a page that is missing.
[[nodiscard]] GraphContext graph_context(VisiblePages const& pages, std::span<Chunk const> chunks);

}  // namespace kb::protocols
