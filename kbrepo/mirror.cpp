#include "kbrepo/mirror.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "kbrepo/directory.hpp"
#include "kbrepo/instant.hpp"
#include "kbrepo/mirror_refs.hpp"
#include "kbrepo/mirror_state.hpp"

namespace kb::kbrepo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListedBranches = 8;
constexpr std::size_t kMaxDateWalk = 1'000'000;

bool is_hex(std::string_view text) noexcept {
  return text.size() >= 4 && text.size() <= 40 && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

/// "a, b, c and 12 more"; empty when there is no branch at all.
std::string branches_of(git_repository* repo) {
  git_reference_iterator* raw = nullptr;
  if (git_reference_iterator_glob_new(&raw, repo, "refs/heads/*") < 0) return {};
  git::Owned<git_reference_iterator, git_reference_iterator_free> const all(raw);
  std::string out;
  std::size_t count = 0;
  for (char const* name = nullptr; git_reference_next_name(&name, all.get()) == 0; ++count) {
    if (count < kListedBranches) out.append(out.empty() ? "" : ", ").append(name);
  }
  if (count > kListedBranches) out += " and " + std::to_string(count - kListedBranches) + " more";
  return out;
}

std::string head_branch(git_repository* repo) {
  git_reference* raw = nullptr;
  if (git_reference_lookup(&raw, repo, "HEAD") < 0) return "HEAD";
  git::Reference const head(raw);
  char const* target = git_reference_symbolic_target(head.get());
  return target != nullptr ? target : "HEAD";
}

/// A clone in the making lies beside its place under a name of its own; what a kill left there goes at the next start.
fs::path unfinished(fs::path const& git) {
  fs::path name = git;
  name += ".cloning";
  return name;
}

Result<git::Repository> init_bare(fs::path const& at) {
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH | GIT_REPOSITORY_INIT_NO_REINIT;
  git_repository* raw = nullptr;
  int const code = git_repository_init_ext(&raw, at.c_str(), &options);
  if (code < 0) return git::fault(code, "making " + at.string());
  return git::Repository(raw);
}

Result<void> clone(config::RepoSettings const& settings, std::stop_token stop, Progress const& progress) {
  fs::path const temporary = unfinished(settings.git);
  std::error_code failed;
  fs::remove_all(temporary, failed);
  if (failed)
    return Error(Errc::unavailable, "removing the unfinished clone " + temporary.string() + ": " + failed.message());
  {
    auto const repo = init_bare(temporary);
    if (!repo) return repo.error();
    auto const fetched = fetch_kept(repo->get(), settings, stop, progress);
    // An empty remote is a repository all the same: its first push will be fetched.
    bool const usable = fetched || fetched.error().code == Errc::not_found;
    if (!usable) {
      fs::remove_all(temporary, failed);
      return fetched.error();
    }
    if (fetched && settings.ref.empty()) git_repository_set_head(repo->get(), fetched->ref.c_str());
  }
  fs::rename(temporary, settings.git, failed);
  if (failed) return Error(Errc::unavailable, "moving the clone to " + settings.git.string() + ": " + failed.message());
  return {};
}

}  // namespace

Mirror::Mirror(std::unique_ptr<State> state) : state_(std::move(state)) {}
Mirror::Mirror(Mirror&&) noexcept = default;
Mirror& Mirror::operator=(Mirror&&) noexcept = default;
Mirror::~Mirror() = default;

Result<Mirror> Mirror::open_local(config::RepoSettings const& settings) {
  std::error_code ignored;
  if (!fs::exists(settings.git, ignored)) {
    return Error(Errc::not_found, settings.id.str() + ": there is no repository at " + settings.git.string() +
                                      (settings.remote.empty() ? "; make one there, or set repos[].remote to clone from"
                                                               : "; run kbgate sync to clone it"));
  }
  auto repo = git::open(settings.git);
  if (!repo) {
    Error e = at(settings.id.str(), repo.error());
    if (e.code == Errc::not_found) e.what += "; it is no git repository: set repos[].git to one, or use repos[].dir";
    return e;
  }
  auto state = std::make_unique<State>();
  state->settings = settings;
  state->path = settings.git;
  state->repo = std::move(*repo);
  return Mirror(std::move(state));
}

Result<Mirror> Mirror::open(config::RepoSettings const& settings, std::stop_token stop, Progress const& progress) {
  git::start();
  std::error_code ignored;
  if (!settings.remote.empty() && !fs::exists(settings.git, ignored)) {
    auto const cloned = clone(settings, stop, progress);
    if (!cloned) return at("cloning " + settings.id.str(), cloned.error());
  }
  if (!settings.dir.empty() && !fs::exists(settings.git, ignored)) {
    auto const made = init_bare(settings.git);
    // Another process may have made it in this moment.
    if (!made && !fs::exists(settings.git / "HEAD", ignored)) return at(settings.id.str(), made.error());
    if (made) git_repository_set_head(made->get(), settings.ref.empty() ? "refs/heads/main" : settings.ref.c_str());
  }
  auto mirror = open_local(settings);
  if (mirror && !settings.dir.empty() && !mirror->head()) {
    auto const first = mirror->fetch(std::move(stop), progress);
    if (!first) return first.error();
  }
  return mirror;
}

Result<FetchReport> Mirror::fetch(std::stop_token stop, Progress const& progress) {
  auto const before = head();
  FetchReport report;
  if (before) report.before = *before;
  if (!state_->settings.dir.empty()) {
    auto const capture = capture_directory(raw(), state_->settings, SystemClock().now(), stop);
    if (!capture) return at("directory of " + state_->settings.id.str(), capture.error());
    report.after = capture->commit;
    report.ref = capture->ref;
    return report;
  }
  if (state_->settings.remote.empty()) {
    report.after = report.before;
    report.ref = state_->settings.ref.empty() ? head_branch(raw()) : state_->settings.ref;
    return report;
  }
  auto fetched = fetch_kept(raw(), state_->settings, stop, progress);
  if (!fetched) return at("fetching " + state_->settings.id.str(), fetched.error());
  fetched->before = report.before;
  if (fetched->before && fetched->after && fetched->before != fetched->after) {
    git_oid const now = git::to_oid(*fetched->after);
    git_oid const old = git::to_oid(*fetched->before);
    fetched->forced = git_graph_descendant_of(raw(), &now, &old) != 1;
  }
  return fetched;
}

Result<CommitId> Mirror::head() const {
  std::string const& ref = state_->settings.ref;
  if (!state_->settings.remote.empty()) {
    auto const kept = git::ref_commit(raw(), ref.empty() ? kRemoteHead : kept_ref(ref));
    if (kept || kept.error().code != Errc::not_found) return kept;
  }
  auto local = git::ref_commit(raw(), ref.empty() ? "HEAD" : ref);
  if (local) return local;
  if (local.error().code != Errc::not_found) return at(state_->name(), local.error());
  std::string const wanted = ref.empty() ? head_branch(raw()) : ref;
  std::string const branches = branches_of(raw());
  if (branches.empty()) {
    return Error(Errc::not_found, state_->name() + " has no commits yet; push one to " + wanted);
  }
  return Error(Errc::not_found,
               state_->name() + " has no " + wanted + "; it has " + branches + ": set repos[].ref to the one to read");
}

namespace {

Result<CommitId> commit_by_prefix(git_repository* repo, std::string_view hex) {
  git_oid prefix;
  git_oid_fromstrn(&prefix, hex.data(), hex.size());
  git_commit* raw = nullptr;
  int const code = git_commit_lookup_prefix(&raw, repo, &prefix, hex.size());
  if (code < 0) return git::fault(code, "commit " + std::string(hex));
  git::Commit const commit(raw);
  return git::from_oid<CommitId>(*git_commit_id(commit.get()));
}

/// First parents only: these are the states the ref itself has had.
Result<CommitId> commit_before(git_repository* repo, CommitId const& head, std::int64_t limit) {
  auto commit = git::commit(repo, head);
  for (std::size_t walked = 0; commit && walked < kMaxDateWalk; ++walked) {
    if (git_commit_time(commit->get()) <= limit) return git::from_oid<CommitId>(*git_commit_id(commit->get()));
    git_commit* raw = nullptr;
    int const code = git_commit_parent(&raw, commit->get(), 0);
    if (code == GIT_ENOTFOUND) break;
    if (code < 0) return git::fault(code, "reading the history");
    commit = git::Commit(raw);
  }
  if (!commit) return commit.error();
  return Error(Errc::not_found, "no commit is that old");
}

}  // namespace

Result<CommitId> Mirror::resolve(std::string_view at_text) const {
  std::string const step = state_->name() + ": " + std::string(at_text);
  if (auto const instant = parse_instant(at_text)) {
    auto const newest = head();
    if (!newest) return newest;
    auto const found = commit_before(raw(), *newest, *instant);
    return found ? found : at(step, found.error());
  }
  if (is_hex(at_text)) {
    auto const found = commit_by_prefix(raw(), at_text);
    if (found) return found;
    if (found.error().code != Errc::not_found) return at(step, found.error());
  }
  for (char const* const folder : {"", "refs/", "refs/heads/", "refs/tags/", "refs/kbgate/remote/heads/"}) {
    std::string const ref = folder + std::string(at_text);
    bool const plausible = ref == "HEAD" || ref.starts_with("refs/");
    if (!plausible || git_reference_is_valid_name(ref.c_str()) != 1) continue;
    auto const found = git::ref_commit(raw(), ref);
    if (found || found.error().code != Errc::not_found) return found;
  }
  return Error(Errc::not_found, step + " is no commit, ref or date (YYYY-MM-DD) of this repository");
}

config::RepoSettings const& Mirror::settings() const noexcept { return state_->settings; }
fs::path const& Mirror::path() const noexcept { return state_->path; }
git_repository* Mirror::raw() const noexcept { return state_->repo.get(); }

}  // namespace kb::kbrepo
