/// Questions of a chat about a project as a whole ("What modules exist?", "哪些模块依赖 auth？") take kb_query's routes
/// (S0-58…64): a few files of a project knowledge base, read in its order, are quoted instead of what a search finds.
#pragma once

#include <optional>
#include <string_view>

#include "answer/respond.hpp"
#include "kbrepo/shelf.hpp"

namespace kb::protocols {

/// Nothing unless the question asks just that of one project on the shelf: the one it names, or the only one. Blob
/// reads only.
[[nodiscard]] std::optional<answer::GivenReading> project_reading(std::string_view question,
                                                                  kbrepo::Shelf const& shelf);

}  // namespace kb::protocols
