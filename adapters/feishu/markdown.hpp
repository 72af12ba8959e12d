/// Blocks of an answer as the platform's Markdown. Only the structure becomes markup; the words are escaped. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "adapters/feishu/blocks.hpp"
#include "adapters/feishu/pieces.hpp"

namespace kb::feishu {

/// `max_tables`: so many tables of moderate size stay tables; the others become lists of their rows.
[[nodiscard]] std::vector<Piece> to_markdown(std::vector<Block> const& blocks, std::size_t max_tables);

}  // namespace kb::feishu
