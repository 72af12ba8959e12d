/// `repos[].knowledge_base` and `knowledge_bases` in kbgate.json: how agents ask a repository by name.
#pragma once

#include <string>

#include "config/json_fields.hpp"
#include "config/settings.hpp"

namespace kb::config {

/// `json` may be null: then all is made from the repository's name.
[[nodiscard]] KnowledgeBase read_knowledge_base(Json const* json, std::string name, RepoId const& repo,
                                                FaultSink& sink);
[[nodiscard]] KnowledgeBaseRules read_knowledge_base_rules(Json const& json, FaultSink& sink);

/// `kb_` and 16 hex digits: the same for a repository everywhere and always.
[[nodiscard]] std::string knowledge_base_id(RepoId const& repo);

}  // namespace kb::config
