#include "daemon/world_on_disk.hpp"

#include <utility>

#include "daemon/verbs.hpp"

namespace kb::daemon {

WorldOnDisk::WorldOnDisk(std::filesystem::path settings_file, std::ostream& err)
    : file_(std::move(settings_file)), err_(err) {
  last_.forms = std::make_shared<answer::KeptForms>();
}

Result<World> WorldOnDisk::now() {
  config::Loaded<config::Books> loaded = config::load_books(file_);
  for (config::Fault const& fault : loaded.errors) err_ << "error: " << config::to_string(fault) << std::endl;
  if (loaded.value) {
    last_.books = std::make_shared<config::Books const>(std::move(*loaded.value));
  } else if (!last_.books) {
    std::string const why = loaded.errors.empty() ? "" : ": " + config::to_string(loaded.errors.front());
    return Error(Errc::invalid_input, file_.string() + " cannot be loaded" + why);
  }
  auto snapshots = std::make_shared<kbrepo::Snapshots>();
  for (config::RepoSettings const& repo : last_.books->settings.repos) {
    kbrepo::SnapshotPtr before;
    if (last_.snapshots) {
      auto const known = last_.snapshots->find(repo.id);
      if (known != last_.snapshots->end()) before = known->second;
    }
    kbrepo::SnapshotPtr newest = look(last_.books->settings, repo, before);
    if (newest) snapshots->emplace(repo.id, std::move(newest));
  }
  last_.snapshots = std::move(snapshots);
  return last_;
}

kbrepo::SnapshotPtr WorldOnDisk::look(config::Settings const& settings, config::RepoSettings const& repo,
                                      kbrepo::SnapshotPtr const& before) {
  auto const keep = [&](Error const& error) {
    err_ << repo.id << ": " << error.what << std::endl;
    return before;
  };
  Result<kbrepo::Mirror> mirror = repo.dir.empty() ? kbrepo::Mirror::open_local(repo) : kbrepo::Mirror::open(repo);
  if (!mirror) return keep(mirror.error());
  if (!repo.dir.empty()) {
    Result<kbrepo::FetchReport> const looked = mirror->fetch();
    if (!looked) (void)keep(looked.error());  // what it was last time still serves
  }
  Result<kbrepo::CommitId> const head = mirror->head();
  if (!head) return keep(head.error());
  if (before && before->commit() == *head && before->settings() == repo) return before;
  kbrepo::SnapshotOptions options;
  options.max_page_bytes = settings.limits.max_page_bytes;
  options.index_file = kbrepo::index_file(settings, repo.id);
  options.progress = progress_on(err_);
  bool const same_place = before && before->settings() == repo;
  Result<kbrepo::SnapshotPtr> built = kbrepo::Snapshot::build(repo, *head, same_place ? before : nullptr, options);
  return built ? *built : keep(built.error());
}

}  // namespace kb::daemon
