/// kb_query (S0): the token-efficient protocol for project knowledge bases. Statuses, errors and suggestions are the
/// seed's, to the letter.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer/protocols/book.hpp"
#include "answer/protocols/identity.hpp"
#include "answer/protocols/manifest.hpp"

namespace kb::protocols {

enum class ProjectStatus { success, not_found, stale_warning, kb_not_exists, error };
[[nodiscard]] std::string_view to_string(ProjectStatus status) noexcept;

struct ProjectQuery {
  std::string query_type;  ///< overview, module, service, dependency, relationship, search, service-topology
  std::string project_name;
  std::optional<Identity> identity;       ///< of project_root, when no name is given
  std::string target;                     ///< of a dependency also "*": all of them
  std::optional<std::size_t> max_tokens;  ///< else of the level, else 500
  std::optional<int> level;               ///< 0…3, of an overview
  bool deep = false;                      ///< compare the manifest's hashes too
  HashOf hash_of;                         ///< of a source below project_root, for `deep`
  bool absolute_paths = false;            ///< sources with the knowledge base's own path in front (C-16)
};

struct ProjectReply {
  ProjectStatus status = ProjectStatus::error;
  std::string content;
  std::vector<std::string> sources;
  std::vector<std::string> stale_files;
  std::string suggestion, error;
  std::string project_name, kb_path;
  std::vector<std::string> read;  ///< every file opened, in order: what a read log would show
  std::vector<std::string> warnings;
  std::optional<RepoId> repo;  ///< the one that answered
};

[[nodiscard]] ProjectReply query_project(std::span<Book const> books, ProjectQuery const& query);
[[nodiscard]] std::string to_json(ProjectReply const& reply);

/// Level and query type for a question in words (S0-58…64); nothing when it asks for something else.
struct ProjectRoute {
  int level = 1;
  std::string query_type;
  std::string target;
};
[[nodiscard]] std::optional<ProjectRoute> route_of(std::string_view question);

inline constexpr std::size_t kDefaultTokens = 500;
[[nodiscard]] std::size_t tokens_of_level(int level) noexcept;  ///< 50, 200, 500, 1000

}  // namespace kb::protocols
