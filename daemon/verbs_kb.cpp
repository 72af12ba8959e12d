// kb_list, kb_read, index, sync: the operator's view of one repository.
#include <chrono>
#include <filesystem>

#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/kb_objects.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

namespace fs = std::filesystem;

struct Opened {
  config::Books books;
  config::RepoSettings const* repo = nullptr;
};

std::optional<Opened> open_repo(RepoOptions const& options, Io io, int& exit_code) {
  std::optional<config::Books> books = open_books(options.config, io);
  if (!books) {
    exit_code = kConfiguration;
    return std::nullopt;
  }
  Opened opened{std::move(*books)};
  Result<config::RepoSettings const*> const repo = pick_repo(opened.books.settings, options);
  if (!repo) {
    exit_code = fail(io, repo.error());
    return std::nullopt;
  }
  opened.repo = opened.books.settings.find((*repo)->id);
  return opened;
}

Json stats_json(kbrepo::Snapshot const& snapshot) {
  kbrepo::SnapshotStats const& s = snapshot.stats();
  Json notes = Json::array();
  for (std::string const& note : s.notes) notes.push_back(note);
  return {{"owner", snapshot.repo().owner},
          {"repo", snapshot.repo().repo},
          {"commit", snapshot.commit().hex()},
          {"pages", s.pages},
          {"passages", s.passages},
          {"bytes", s.text_bytes},
          {"index_bytes", s.index_bytes},
          {"analysed", s.analysed},
          {"skipped_binary", s.skipped_binary},
          {"skipped_large", s.skipped_large},
          {"skipped_links", s.skipped_links},
          {"seconds", s.seconds},
          {"notes", std::move(notes)}};
}

/// The repositories the options name: all of them when neither owner nor repo is given.
std::vector<config::RepoSettings const*> selected(config::Settings const& settings, RepoOptions const& options) {
  std::vector<config::RepoSettings const*> out;
  for (config::RepoSettings const& repo : settings.repos) {
    bool const fits = (options.owner.empty() || options.owner == repo.id.owner) &&
                      (options.repo.empty() || options.repo == repo.id.repo);
    if (fits) out.push_back(&repo);
  }
  return out;
}

}  // namespace

int kb_list_verb(RepoOptions const& options, std::string const& kind, Io io) {
  if (!is_list_kind(kind))
    return fail(
        io, "bad_kind",
        "--kind is all, documents, concepts, resources, people, projects, reviews or imports, not \"" + kind + "\"",
        kUsage);
  int exit_code = kDone;
  std::optional<Opened> const opened = open_repo(options, io, exit_code);
  if (!opened) return exit_code;
  Result<kbrepo::SnapshotPtr> const snapshot =
      kbrepo::open_snapshot(opened->books.settings, *opened->repo, {}, progress_on(io.err));
  if (!snapshot) return fail(io, snapshot.error());
  scope::ReadGrant const grant = scope::operator_grant(opened->repo->id, scope::label_of(opened->repo->kind));
  print(io.out, list_json(**snapshot, grant, kind));
  return kDone;
}

int kb_read_verb(RepoOptions const& options, std::string const& path, std::string const& at_commit, Io io) {
  int exit_code = kDone;
  std::optional<Opened> const opened = open_repo(options, io, exit_code);
  if (!opened) return exit_code;
  Result<kbrepo::SnapshotPtr> const snapshot =
      kbrepo::open_snapshot(opened->books.settings, *opened->repo, at_commit, progress_on(io.err));
  if (!snapshot) return fail(io, snapshot.error());
  scope::ReadGrant const grant = scope::operator_grant(opened->repo->id, scope::label_of(opened->repo->kind));
  std::string const normal = kbrepo::Snapshot::normal_path(path);
  Result<std::shared_ptr<kbrepo::Page const>> const page = (*snapshot)->read(grant, normal);
  if (!page) {
    bool const absent = page.error().code == Errc::not_found;
    return fail(io, absent ? "page_not_found" : to_string(page.error().code),
                absent ? "页面不存在：" + normal : page.error().what, kFailure);
  }
  print(io.out, page_json(**snapshot, **page));
  return kDone;
}

int index_verb(std::string const& action, RepoOptions const& options, Io io) {
  if (action != "stats" && action != "rebuild")
    return fail(io, "bad_action", "index takes stats or rebuild, not \"" + action + "\"", kUsage);
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  auto const repos = selected(books->settings, options);
  if (repos.empty()) return fail(io, pick_repo(books->settings, options).error());
  Json all = Json::array();
  int exit_code = kDone;
  for (config::RepoSettings const* repo : repos) {
    if (action == "rebuild") {
      std::error_code ignored;
      fs::path const file = kbrepo::index_file(books->settings, repo->id);
      fs::remove(file, ignored);
      fs::remove(fs::path(file) += ".meta", ignored);
    }
    Result<kbrepo::SnapshotPtr> const snapshot = kbrepo::open_snapshot(books->settings, *repo, {}, progress_on(io.err));
    if (!snapshot) {
      exit_code = kFailure;
      all.push_back({{"owner", repo->id.owner}, {"repo", repo->id.repo}, {"error", snapshot.error().what}});
      continue;
    }
    all.push_back(stats_json(**snapshot));
  }
  print(io.out, {{"success", exit_code == kDone}, {"repos", std::move(all)}});
  return exit_code;
}

int sync_verb(RepoOptions const& options, Io io) {
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  auto const repos = selected(books->settings, options);
  if (repos.empty()) return fail(io, pick_repo(books->settings, options).error());
  Json all = Json::array();
  bool unavailable = false;
  for (config::RepoSettings const* repo : repos) {
    auto const start = std::chrono::steady_clock::now();
    Json row{{"owner", repo->id.owner}, {"repo", repo->id.repo}};
    auto const broken = [&](Error const& error) {
      unavailable = true;
      row["error"] = error.what;
      all.push_back(row);
    };
    Result<kbrepo::Mirror> mirror = kbrepo::Mirror::open(*repo, {}, progress_on(io.err));
    if (!mirror) {
      broken(mirror.error());
      continue;
    }
    Result<kbrepo::CommitId> const before = mirror->head();
    Result<kbrepo::FetchReport> const fetched = mirror->fetch({}, progress_on(io.err));
    if (!fetched) {
      broken(fetched.error());
      continue;
    }
    Result<kbrepo::SnapshotPtr> const snapshot = kbrepo::open_snapshot(books->settings, *repo, {}, progress_on(io.err));
    if (!snapshot) {
      broken(snapshot.error());
      continue;
    }
    auto const took = std::chrono::steady_clock::now() - start;
    row["old_commit"] = fetched->before ? Json(fetched->before->hex()) : before ? Json(before->hex()) : Json(nullptr);
    row["new_commit"] = (*snapshot)->commit().hex();
    row["ref"] = fetched->ref;
    row["forced"] = fetched->forced;
    row["pages_changed"] = (*snapshot)->stats().analysed;
    row["milliseconds"] = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    all.push_back(std::move(row));
  }
  print(io.out, {{"success", !unavailable}, {"repos", std::move(all)}});
  return unavailable ? kUnavailable : kDone;
}

}  // namespace kb::daemon
