#include "kbrepo/snapshot.hpp"

#include <algorithm>
#include <cassert>
#include <malloc.h>

#include "kbrepo/page_url.hpp"
#include "kbrepo/page_views.hpp"
#include "kbrepo/snapshot_build.hpp"
#include "logging/service_log.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxCatalogBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxSynonymBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxNotes = 100;
constexpr std::size_t kTrimAfterPages = 200;

std::filesystem::path pages_file(std::filesystem::path index_file) { return index_file += ".pages"; }

/// A part of a file name that any name fits into: no slash, no leading dot.
std::string file_name(std::string_view name) {
  std::string out = percent_encoded(name);
  if (out.starts_with('.')) out.replace(0, 1, "%2E");
  return out;
}

/// What lies on disk, when both files are whole; else nothing is known and all is made again.
struct Stored {
  PageTable table;
  std::vector<index::SegmentPtr> segments;
};
std::optional<Stored> load_stored(RepoId const& id, std::filesystem::path const& index_file) {
  std::error_code ignored;
  if (index_file.empty() || !std::filesystem::exists(index_file, ignored)) return std::nullopt;
  auto table = PageTable::load(pages_file(index_file));
  auto segments = index::Index::load(index_file);
  if (table && segments) return Stored{std::move(*table), std::move(*segments)};
  std::string const& why = table ? segments.error().what : table.error().what;
  log::write(log::Level::warn, "index.rebuild", {{"repo", id.str()}, {"reason", why}});
  return std::nullopt;
}

Catalog read_catalog(PageStore& store, std::optional<BlobId> const& blob) {
  if (!blob) return {};
  auto const text = store.blob(*blob, kMaxCatalogBytes);
  if (text) return parse_catalog(*text);
  Catalog none;
  none.fault = "catalog.json: " + text.error().what;
  return none;
}

/// The built-in table and the repository's; says in `fault` why its own is not used.
StandIns read_synonyms(PageStore& store, std::optional<BlobId> const& blob, std::string& fault) {
  Synonyms table;
  if (blob) {
    auto const text = store.blob(*blob, kMaxSynonymBytes);
    fault = text ? table.add(*text) : "synonyms.json: " + text.error().what;
  }
  return StandIns(table);
}

/// Changes told before stay true for pages that keep their path and blob, as long as `before` is in our history.
void carry_history(PageTable const& before, PageTable& now) {
  now.history.changes = before.history.changes;
  now.history.of.assign(now.pages.size(), kNone);
  auto old = before.pages.begin();
  for (std::size_t i = 0; i < now.pages.size(); ++i) {
    while (old != before.pages.end() && old->path < now.pages[i].path) ++old;
    if (old == before.pages.end()) return;
    bool const same = old->path == now.pages[i].path && old->blob == now.pages[i].blob;
    if (same) now.history.of[i] = before.history.of[static_cast<std::size_t>(old - before.pages.begin())];
  }
}

/// Drops changes no page names any more, so that the list cannot grow with the commits served.
void compact(History& history) {
  std::vector<std::uint32_t> moved(history.changes.size(), kNone);
  std::vector<Change> kept;
  for (std::uint32_t& of : history.of) {
    if (of == kNone) continue;
    if (moved[of] == kNone) {
      moved[of] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(history.changes[of]));
    }
    of = moved[of];
  }
  history.changes = std::move(kept);
}

bool descends(git_repository* repo, CommitId const& commit, CommitId const& ancestor) {
  if (commit == ancestor) return true;
  git_oid const now = git::to_oid(commit);
  git_oid const old = git::to_oid(ancestor);
  return git_graph_descendant_of(repo, &now, &old) == 1;
}

void tell_history(git_repository* repo, PageTable const* before, PageTable& now, std::stop_token const& stop) {
  std::optional<CommitId> known;
  if (before != nullptr && descends(repo, now.commit, before->commit)) {
    known = before->commit;
    carry_history(*before, now);
  }
  find_changes(repo, now.commit, known, now.pages, now.history, stop);
  compact(now.history);
}

}  // namespace

struct Snapshot::State {
  config::RepoSettings settings;
  TimePoint time{};
  PageTable table;
  Catalog catalog;
  StandIns stand_ins;
  std::string synonyms_fault;
  index::Index index;
  SnapshotStats stats;
  std::shared_ptr<PageStore> store;
  PageViews views;

  void count(TreeListing const& listing) {
    stats.pages = table.pages.size();
    for (PageFacts const& facts : table.facts) {
      stats.passages += facts.passages;
      stats.text_bytes += facts.text_bytes;
    }
    stats.skipped_links = listing.skipped_links;
    for (SkippedFile const& file : table.skipped) ++(file.bytes == 0 ? stats.skipped_binary : stats.skipped_large);
    stats.index_bytes = index.stats().bytes;
    note(listing);
  }

 private:
  void note(TreeListing const& listing) {
    stats.notes = listing.notes;
    for (std::string const& fault : {catalog.fault, synonyms_fault}) {
      if (!fault.empty()) stats.notes.push_back(fault);
    }
    for (SkippedFile const& file : table.skipped) {
      std::string const why = file.bytes == 0 ? "binary" : std::to_string(file.bytes) + " bytes, over the page limit";
      stats.notes.push_back(file.path + ": " + why + "; skipped");
    }
    for (std::size_t i = 0; i < table.pages.size() && stats.notes.size() < kMaxNotes; ++i) {
      if (!table.facts[i].note.empty()) stats.notes.push_back(table.pages[i].path + ": " + table.facts[i].note);
    }
    if (stats.notes.size() > kMaxNotes) stats.notes.resize(kMaxNotes);
  }
};

Snapshot::Snapshot(std::unique_ptr<State> state) : state_(std::move(state)) {}
Snapshot::~Snapshot() = default;

Result<SnapshotPtr> Snapshot::build(config::RepoSettings const& settings, CommitId const& commit,
                                    SnapshotPtr const& previous, SnapshotOptions const& options) {
  auto const started = std::chrono::steady_clock::now();
  std::string const name = settings.id.str() + " at " + commit.hex().substr(0, 12);
  auto const repo = git::open(settings.git);  // of its own, so that answers are not held up by this work
  if (!repo) return at(name, repo.error());
  auto const found = git::commit(repo->get(), commit);
  if (!found) return at(name, found.error());
  auto const tree = git::tree_of(found->get());
  if (!tree) return at(name, tree.error());
  auto listing = list_tree(repo->get(), tree->get(), PageFilter(settings), options.stop);
  if (!listing) return at(name, listing.error());

  auto state = std::make_unique<State>();
  state->settings = settings;
  state->time = TimePoint(std::chrono::seconds(git_commit_time(found->get())));
  bool const same_place = previous && previous->state_->store->path() == settings.git;
  if (same_place) {
    state->store = previous->state_->store;
  } else {
    auto store = PageStore::open(settings.git);
    if (!store) return at(name, store.error());
    state->store = std::move(*store);
  }

  std::optional<Stored> stored;
  Known known;
  if (previous) {
    auto const segments = previous->state_->index.segments();
    known = {&previous->state_->table, {segments.begin(), segments.end()}};
  } else if ((stored = load_stored(settings.id, options.index_file))) {
    known = {&stored->table, stored->segments};
  }
  PageTable const* const before = known.table;
  auto parts = analyse(listing->files, std::move(known), *state->store, options);
  if (!parts) return at(name, parts.error());
  auto assembled = index::Index::assemble(parts->segments, parts->live);
  if (!assembled && before != nullptr) {
    log::write(log::Level::warn, "index.rebuild", {{"repo", settings.id.str()}, {"reason", assembled.error().what}});
    parts = analyse(listing->files, {}, *state->store, options);
    if (!parts) return at(name, parts.error());
    assembled = index::Index::assemble(parts->segments, parts->live);
  }
  if (!assembled) return at(name, assembled.error());
  state->index = std::move(*assembled);
  state->table = std::move(parts->table);
  state->table.commit = commit;
  state->catalog = read_catalog(*state->store, listing->catalog);
  state->stand_ins = read_synonyms(*state->store, listing->synonyms, state->synonyms_fault);
  tell_history(repo->get(), before, state->table, options.stop);

  bool const changed = before == nullptr || before->commit != commit || parts->analysed > 0;
  if (options.store && !options.index_file.empty() && changed) {
    std::error_code failed;  // save() says what is wrong with the folder
    std::filesystem::create_directories(options.index_file.parent_path(), failed);
    auto saved = state->index.save(options.index_file);
    if (saved) saved = state->table.save(pages_file(options.index_file));
    if (!saved)
      log::write(log::Level::warn, "index.not_stored", {{"repo", settings.id.str()}, {"reason", saved.error().what}});
  }
  state->stats.analysed = parts->analysed;
  state->count(*listing);
  if (parts->analysed > kTrimAfterPages) malloc_trim(0);  // glibc keeps the freed page texts of a first build otherwise
  state->stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return SnapshotPtr(new Snapshot(std::move(state)));
}

RepoId const& Snapshot::repo() const noexcept { return state_->settings.id; }
CommitId const& Snapshot::commit() const noexcept { return state_->table.commit; }
TimePoint Snapshot::commit_time() const noexcept { return state_->time; }
config::RepoSettings const& Snapshot::settings() const noexcept { return state_->settings; }
SnapshotStats const& Snapshot::stats() const noexcept { return state_->stats; }

std::span<PageInfo const> Snapshot::pages(scope::ReadGrant const& grant) const {
  assert(grant.allows(repo()));
  return state_->table.pages;
}

PageInfo const* Snapshot::find(scope::ReadGrant const& grant, std::string_view path) const {
  auto const all = pages(grant);
  auto const place = std::lower_bound(all.begin(), all.end(), path,
                                      [](PageInfo const& page, std::string_view p) { return page.path < p; });
  return place != all.end() && place->path == path ? &*place : nullptr;
}

Catalog const& Snapshot::catalog(scope::ReadGrant const& grant) const {
  assert(grant.allows(repo()));
  return state_->catalog;
}

index::Index const& Snapshot::index(scope::ReadGrant const& grant) const {
  assert(grant.allows(repo()));
  return state_->index;
}

PageViewPtr Snapshot::view(scope::ReadGrant const& grant, std::string const& name,
                           std::function<bool(std::string_view scope)> const& sees) const {
  assert(grant.allows(repo()));
  return state_->views.get(name, sees, state_->table, state_->index);
}

StandIns const& Snapshot::stand_ins(scope::ReadGrant const& grant) const {
  assert(grant.allows(repo()));
  return state_->stand_ins;
}

Result<std::shared_ptr<Page const>> Snapshot::read(scope::ReadGrant const& grant, std::string_view path) const {
  PageInfo const* page = find(grant, path);
  if (page == nullptr) return Error(Errc::not_found, "页面不存在：" + std::string(path));
  return read(grant, *page);
}

Result<std::shared_ptr<Page const>> Snapshot::read(scope::ReadGrant const& grant, PageInfo const& page) const {
  assert(grant.allows(repo()));
  return state_->store->page(page.path, page.blob);
}

Result<std::string> Snapshot::file(scope::ReadGrant const& grant, std::string const& path,
                                   std::size_t max_bytes) const {
  assert(grant.allows(repo()));
  bool const meta = path.starts_with(".meta/") || path.find("/.meta/") != path.npos;
  bool const hidden = PageFilter(state_->settings).excludes(path) || (kind_of(path) == PageKind::control && !meta);
  if (hidden) return Error(Errc::not_found, "there is no file " + path);
  Result<BlobId> const blob = state_->store->find(commit(), path);
  if (!blob) return blob.error();
  return state_->store->blob(*blob, max_bytes);
}

bool Snapshot::has_folder(scope::ReadGrant const& grant, std::string const& path) const {
  bool const hidden = path.substr(path.rfind('/') + 1).starts_with('.');  // .meta: no page lies in it
  if (hidden) return state_->store->has_folder(commit(), path);
  auto const all = pages(grant);
  std::string const inside = path + "/";
  auto const first = std::lower_bound(all.begin(), all.end(), inside,
                                      [](PageInfo const& page, std::string const& p) { return page.path < p; });
  return first != all.end() && first->path.starts_with(inside);
}

std::string Snapshot::normal_path(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  std::string out(path);
  bool const bare = !path.empty() && path.find('.', path.rfind('/') + 1) == path.npos;
  if (bare) out += ".md";  // N-20
  return out;
}

std::optional<Change> Snapshot::last_change(scope::ReadGrant const& grant, std::string_view path) const {
  PageInfo const* page = find(grant, path);
  if (page == nullptr) return std::nullopt;
  History const& history = state_->table.history;
  std::uint32_t const change = history.of[static_cast<std::size_t>(page - state_->table.pages.data())];
  return change == kNone ? std::nullopt : std::optional(history.changes[change]);
}

std::string Snapshot::url(std::string_view path, std::uint32_t line_begin, std::uint32_t line_end) const {
  return page_url(state_->settings, commit(), path, line_begin, line_end);
}

Result<SnapshotPtr> open_snapshot(config::Settings const& settings, config::RepoSettings const& repo,
                                  std::string_view at_text, Progress const& progress) {
  auto mirror = repo.dir.empty() ? Mirror::open_local(repo) : Mirror::open(repo, {}, progress);
  if (!mirror) return mirror.error();
  if (!repo.dir.empty()) (void)mirror->fetch({}, progress);  // what it was last time still serves
  auto const commit = at_text.empty() ? mirror->head() : mirror->resolve(at_text);
  if (!commit) return commit.error();
  SnapshotOptions options;
  options.max_page_bytes = settings.limits.max_page_bytes;
  options.index_file = index_file(settings, repo.id);
  options.store = at_text.empty();
  options.progress = progress;
  return Snapshot::build(repo, *commit, nullptr, options);
}

std::filesystem::path index_file(config::Settings const& settings, RepoId const& id) {
  return settings.state_dir / "index" / file_name(id.owner) / (file_name(id.repo) + ".idx");
}

}  // namespace kb::kbrepo
