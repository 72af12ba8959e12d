// kb_query and kb_identity: project knowledge bases for the agents of a developer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "answer/protocols/project_query.hpp"
#include "config/atomic_file.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSource = 64 * 1024 * 1024;

std::string variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path expanded(std::string const& path) {
  return path == "~" || path.starts_with("~/") ? fs::path(variable("HOME") + path.substr(1)) : fs::path(path);
}

/// S0-6: where kb-engineer writes, when the settings name no project knowledge base of their own.
std::optional<config::RepoSettings> default_root() {
  fs::path const dir = expanded("~/.cursor/docs/knowledge-base");
  std::error_code ignored;
  if (!fs::is_directory(dir, ignored)) return std::nullopt;
  std::string const state = variable("XDG_STATE_HOME");
  config::RepoSettings repo;
  repo.id = RepoId("local", "knowledge-base");
  repo.kind = config::RepoKind::project_docs;
  repo.dir = dir;
  repo.git =
      (state.empty() ? expanded("~/.local/state") : fs::path(state)) / "kbgate/directories/local/knowledge-base.git";
  return repo;
}

/// Project knowledge bases first, then whatever else may hold a projects/ folder (C-23).
std::vector<protocols::Book> open_projects(config::Settings const& settings, Io io) {
  std::vector<config::RepoSettings> repos = settings.repos;
  std::stable_partition(repos.begin(), repos.end(),
                        [](auto const& repo) { return repo.kind == config::RepoKind::project_docs; });
  bool const none = repos.empty() || repos.front().kind != config::RepoKind::project_docs;
  if (none) {
    if (std::optional<config::RepoSettings> root = default_root()) repos.insert(repos.begin(), std::move(*root));
  }
  std::vector<protocols::Book> out;
  for (config::RepoSettings const& repo : repos) {
    Result<kbrepo::SnapshotPtr> snapshot = kbrepo::open_snapshot(settings, repo, {}, progress_on(io.err));
    if (snapshot) {
      out.push_back({std::move(*snapshot), scope::operator_grant(repo.id, scope::Label::team)});
    } else {
      io.err << repo.id << ": " << snapshot.error().what << '\n';
    }
  }
  return out;
}

/// Hashes of sources below a root; nothing outside it is opened.
protocols::HashOf hashes_below(fs::path const& root) {
  return [root](std::string const& path) -> std::optional<std::string> {
    std::error_code failed;
    fs::path const file = fs::weakly_canonical(root / path, failed);
    fs::path const base = fs::weakly_canonical(root, failed);
    auto const inside = std::mismatch(base.begin(), base.end(), file.begin(), file.end());
    if (failed || inside.first != base.end()) return std::nullopt;
    Result<std::string> const text = config::read_file(file, kMaxSource);
    if (!text) return std::nullopt;
    return protocols::sha256_hex(*text);
  };
}

}  // namespace

int kb_query_verb(KbQueryOptions const& options, Io io) {
  config::Settings settings;
  Result<fs::path> const file = config::find_settings_file(options.config);
  if (file) {
    std::optional<config::Books> books = open_books(options.config, io);
    if (!books) return kConfiguration;
    settings = std::move(books->settings);
  } else if (!options.config.empty()) {
    return fail(io, "config_not_found", file.error().what, kConfiguration);
  }
  if (settings.state_dir.empty()) settings.state_dir = expanded("~/.local/state/kbgate");
  protocols::ProjectQuery query;
  query.query_type = options.query_type;
  query.project_name = options.project_name;
  query.target = options.target;
  query.max_tokens = options.max_tokens;
  query.level = options.level;
  query.deep = options.deep;
  query.absolute_paths = options.absolute_paths;
  if (!options.project_root.empty()) {
    fs::path const root = expanded(options.project_root);
    if (query.project_name.empty()) query.identity = protocols::identity_of(root);
    query.hash_of = hashes_below(root);
  }
  if (!options.question.empty()) {
    std::optional<protocols::ProjectRoute> const route = protocols::route_of(options.question);
    if (!route)
      return fail(io, "bad_request", "--question asks for nothing a query type answers; give --query_type", kUsage);
    query.query_type = route->query_type;
    query.target = route->target;
    query.level = route->level;
  }
  std::vector<protocols::Book> const books = open_projects(settings, io);
  protocols::ProjectReply const reply = protocols::query_project(books, query);
  io.out << protocols::to_json(reply) << std::endl;
  bool const good =
      reply.status == protocols::ProjectStatus::success || reply.status == protocols::ProjectStatus::stale_warning;
  return good ? kDone : kFailure;
}

int kb_identity_verb(std::string const& project_root, Io io) {
  protocols::Identity const identity = protocols::identity_of(expanded(project_root));
  io.out << protocols::to_json(identity) << std::endl;
  return identity.status == "success" ? kDone : kFailure;
}

}  // namespace kb::daemon
