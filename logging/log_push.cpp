#include "logging/log_push.hpp"

#include <algorithm>
#include <filesystem>

#include "kbrepo/transfer.hpp"
#include "logging/git_log.hpp"

namespace kb::logging::gitlog {
namespace {

namespace git = kbrepo::git;
using kbrepo::CommitId;

constexpr std::size_t kMaxRounds = 12;

struct Push : git::Transfer {
  std::string refusal;  ///< the remote's own words; empty: none
};

int on_update(char const* /*ref*/, char const* status, void* payload) {
  auto& push = static_cast<Push&>(*static_cast<git::Transfer*>(payload));
  try {
    if (status != nullptr) push.refusal = status;
  } catch (...) {
    return GIT_EUSER;
  }
  return 0;
}

int on_push_progress(unsigned /*current*/, unsigned /*total*/, std::size_t /*bytes*/, void* payload) {
  return static_cast<git::Transfer*>(payload)->go_on();
}

struct Outcome {
  bool done = false;
  std::string refusal;  ///< why not, in the remote's words; empty: it has moved
};

git_strarray one_spec(char*& spec, std::string const& text) {
  spec = const_cast<char*>(text.c_str());  // git_strarray holds char* though it only reads
  return {&spec, 1};
}

Result<Outcome> push_refspec(git_repository* repo, std::string const& url, std::string const& refspec) {
  Result<git::Remote> const remote = git::anonymous_remote(repo, url);
  if (!remote) return remote.error();
  Push push;
  git_push_options options = GIT_PUSH_OPTIONS_INIT;
  options.callbacks = git::callbacks_for(push);
  options.callbacks.push_update_reference = on_update;
  options.callbacks.push_transfer_progress = on_push_progress;
  char* spec = nullptr;
  git_strarray const specs = one_spec(spec, refspec);
  int const code = git_remote_push(remote->get(), &specs, &options);
  if (code == GIT_ENONFASTFORWARD) return Outcome{};
  if (code < 0) return git::network_fault(code, "pushing to " + git::printable(url), push);
  if (!push.refusal.empty()) return Outcome{false, push.refusal};
  return Outcome{true, {}};
}

/// The repository behind a URL that is a path on this machine; nothing for any other URL.
std::optional<std::filesystem::path> local_path(std::string const& url) {
  constexpr std::string_view kScheme = "file://";
  if (url.starts_with(kScheme)) return url.substr(kScheme.size());
  std::error_code ignored;
  if (url.find("://") != url.npos || !std::filesystem::exists(url, ignored)) return std::nullopt;
  return url;
}

/// Whether `commit` can take the place of `tip` without losing anything.
Result<bool> follows(git_repository* repo, CommitId const& commit, Tip const& tip) {
  if (!tip || *tip == commit) return true;
  git_oid const newer = git::to_oid(commit);
  git_oid const older = git::to_oid(*tip);
  int const code = git_graph_descendant_of(repo, &newer, &older);
  if (code < 0) return git::fault(code, "comparing with the remote's log");
  return code == 1;
}

Result<Outcome> move_there(git_repository* there, std::string const& ref, CommitId const& commit) {
  Result<Tip> const tip = tip_of(there, ref);
  if (!tip) return tip.error();
  Result<bool> const safe = follows(there, commit, *tip);
  if (!safe) return safe.error();
  if (!*safe) return Outcome{};
  if (*tip == commit) return Outcome{true, {}};
  Result<bool> const moved = move_ref(there, ref, *tip, commit);
  if (!moved) return moved.error();
  return Outcome{*moved, {}};
}

/// libgit2's local transport writes the remote's ref without comparing (seen in 1.5 to 1.9): two pushes at once lose
/// one, and so would a person's. So only the objects go that way, under a ref named by their commit; the real ref is
/// then moved by compare-and-swap.
Result<Outcome> push_locally(git_repository* repo, std::filesystem::path const& path, Route const& route) {
  Result<Tip> const tip = tip_of(repo, route.local);
  if (!tip) return tip.error();
  if (!*tip) return Error(Errc::not_found, "there is no " + route.local + " to push");
  std::string const parked = "refs/kbgate/incoming/" + (*tip)->hex();
  Result<Outcome> const carried = push_refspec(repo, path.string(), "+" + route.local + ":" + parked);
  if (!carried || !carried->done) return carried;
  Result<git::Repository> const there = git::open(path);
  if (!there) return there.error();
  // route.local may have moved on meanwhile: what arrived counts.
  Result<Tip> const arrived = tip_of(there->get(), parked);
  if (!arrived) return arrived.error();
  Result<Outcome> outcome = *arrived ? move_there(there->get(), route.remote, **arrived) : Outcome{};
  git_reference_remove(there->get(), parked.c_str());
  return outcome;
}

Result<Outcome> push_once(git_repository* repo, std::string const& url, Route const& route) {
  if (std::optional<std::filesystem::path> const path = local_path(url)) return push_locally(repo, *path, route);
  return push_refspec(repo, url, route.local + ":" + route.remote);
}

/// Where the remote's ref is, its commits fetched; no ref of ours is written.
Result<Tip> fetch_tip(git_repository* repo, std::string const& url, std::string const& ref) {
  Result<git::Remote> const remote = git::anonymous_remote(repo, url);
  if (!remote) return remote.error();
  git::Transfer transfer;
  git_fetch_options options = GIT_FETCH_OPTIONS_INIT;
  options.callbacks = git::callbacks_for(transfer);
  options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
  std::string const reaching = "fetching " + ref + " from " + git::printable(url);
  int code = git_remote_connect(remote->get(), GIT_DIRECTION_FETCH, &options.callbacks, nullptr, nullptr);
  if (code < 0) return git::network_fault(code, reaching, transfer);
  git_remote_head const** heads = nullptr;
  std::size_t count = 0;
  code = git_remote_ls(&heads, &count, remote->get());
  if (code < 0) return git::network_fault(code, reaching, transfer);
  auto const* const head =
      std::find_if(heads, heads + count, [&ref](git_remote_head const* h) { return ref == h->name; });
  if (head == heads + count) return Tip();
  auto const tip = git::from_oid<CommitId>((*head)->oid);
  std::string const refspec = "+" + ref + ":" + ref;  // downloads what is on the left; the right is not written
  char* spec = nullptr;
  git_strarray const specs = one_spec(spec, refspec);
  code = git_remote_download(remote->get(), &specs, &options);
  if (code < 0) return git::network_fault(code, reaching, transfer);
  return Tip(tip);
}

Result<Tip> common_base(git_repository* repo, CommitId const& ours, CommitId const& theirs) {
  git_oid const one = git::to_oid(ours);
  git_oid const two = git::to_oid(theirs);
  git_oid base;
  int const code = git_merge_base(&base, repo, &one, &two);
  if (code == GIT_ENOTFOUND) return Tip();
  if (code < 0) return git::fault(code, "comparing with the remote's log");
  return Tip(git::from_oid<CommitId>(base));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view const line = text.substr(0, text.find('\n'));
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

/// Ids of the commits that `tip` has and `without` has not, oldest first.
Result<std::vector<std::string>> ids_between(git_repository* repo, CommitId const& tip, CommitId const& without) {
  git_revwalk* raw = nullptr;
  int code = git_revwalk_new(&raw, repo);
  if (code < 0) return git::fault(code, "walking the log");
  git::Revwalk const walk(raw);
  git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
  git_oid const from = git::to_oid(tip);
  git_oid const hidden = git::to_oid(without);
  code = git_revwalk_push(walk.get(), &from);
  if (code >= 0) code = git_revwalk_hide(walk.get(), &hidden);
  if (code < 0) return git::fault(code, "walking the log");
  std::vector<std::string> ids;
  git_oid id;
  while ((code = git_revwalk_next(&id, walk.get())) == 0) {
    Result<git::Commit> const commit = git::commit(repo, git::from_oid<CommitId>(id));
    if (!commit) return commit.error();
    for (std::string& held : ids_of(commit->get())) ids.push_back(std::move(held));
  }
  if (code != GIT_ITEROVER) return git::fault(code, "walking the log");
  return ids;
}

/// The lines that `ours` has and `theirs` has not: what stands behind the text of their common base. Two files are
/// read however many commits lie between.
Result<std::vector<Entry>> entries_between(git_repository* repo, CommitId const& ours, CommitId const& theirs) {
  Result<Tip> const base = common_base(repo, ours, theirs);
  if (!base) return base.error();
  std::optional<LogFile> old;
  if (*base) {
    Result<std::optional<LogFile>> file = log_file(repo, **base);
    if (!file) return file.error();
    old = std::move(*file);
  }
  Result<std::optional<LogFile>> const file = log_file(repo, ours);
  if (!file) return file.error();
  std::string_view text = *file ? (*file)->text() : std::string_view();
  std::string_view const before = old ? old->text() : std::string_view("# Log\n");
  if (!text.starts_with(before)) {
    return Error(Errc::corrupt, std::string(kLogFile) + " of " + ours.hex() +
                                    " was not only added to: bring it and the remote's together by hand");
  }
  std::vector<std::string> lines = lines_of(text.substr(before.size()));
  Result<std::vector<std::string>> ids = ids_between(repo, ours, theirs);
  if (!ids) return ids.error();
  // Lines that a person added have no id; then none is known to belong to a certain line.
  bool const paired = ids->size() == lines.size();
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    entries.push_back({std::move(lines[i]), paired ? std::move((*ids)[i]) : std::string()});
  }
  return entries;
}

/// Moves `ref` to a commit on top of `theirs` that holds our lines too. false: it has their commits already.
Result<bool> replay(git_repository* repo, std::string const& ref, CommitId const& theirs, TimePoint now) {
  for (std::size_t attempt = 0; attempt < kMaxRounds; ++attempt) {
    Result<Tip> const ours = tip_of(repo, ref);
    if (!ours) return ours.error();
    if (!*ours) return Error(Errc::not_found, "there is no " + ref);
    Result<bool> const contained = follows(repo, **ours, Tip(theirs));
    if (!contained) return contained.error();
    if (*contained) return false;
    Result<std::vector<Entry>> entries = entries_between(repo, **ours, theirs);
    if (!entries) return entries.error();
    auto const held = held_ids(repo, Tip(theirs), *ours, TimePoint());
    if (!held) return held.error();
    std::erase_if(*entries, [&held](Entry const& e) { return held->contains(e.id); });
    Result<CommitId> const next =
        entries->empty() ? Result<CommitId>(theirs) : write_commit(repo, Tip(theirs), *entries, now);
    if (!next) return next.error();
    Result<bool> const moved = move_ref(repo, ref, *ours, *next);
    if (!moved) return moved.error();
    if (*moved) return true;
    back_off(attempt);
  }
  return Error(Errc::unavailable, ref + " kept moving");
}

}  // namespace

Result<std::size_t> push_log(git_repository* repo, config::RepoSettings const& settings, Route const& route,
                             TimePoint now) {
  std::string const to = route.remote + " of " + git::printable(settings.remote);
  for (std::size_t round = 0; round < kMaxRounds; ++round) {
    Result<Outcome> const outcome = push_once(repo, settings.remote, route);
    if (!outcome) return outcome.error();
    if (outcome->done) return round;
    Result<Tip> const theirs = fetch_tip(repo, settings.remote, route.remote);
    if (!theirs) return theirs.error();
    Result<bool> const replayed = *theirs ? replay(repo, route.local, **theirs, now) : Result<bool>(false);
    if (!replayed) return replayed.error();
    // Not moved, and yet refused: a hook or a protected branch, which trying again does not change.
    if (!*replayed && !outcome->refusal.empty()) return Error(Errc::denied, to + ": " + outcome->refusal);
    back_off(round);
  }
  return Error(Errc::unavailable, to + " moved at each of " + std::to_string(kMaxRounds) + " pushes");
}

}  // namespace kb::logging::gitlog
