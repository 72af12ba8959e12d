#include "logging/git_log.hpp"

#include <unordered_set>

#include "kbrepo/mirror_refs.hpp"
#include "logging/log_commit.hpp"
#include "logging/log_push.hpp"

namespace kb::logging {
namespace {

namespace git = kbrepo::git;
using config::QueryLogMode;
using gitlog::Entry;
using gitlog::Route;
using gitlog::Tip;
using kbrepo::CommitId;

constexpr std::size_t kMaxMoves = 40;
constexpr std::string_view kBranches = "refs/heads/";

/// What a symbolic ref names; empty when it is none or is not there.
Result<std::string> target_of(git_repository* repo, char const* ref) {
  git_reference* raw = nullptr;
  int const code = git_reference_lookup(&raw, repo, ref);
  if (code == GIT_ENOTFOUND) return std::string();
  if (code < 0) return git::fault(code, std::string("ref ") + ref);
  git::Reference const named(raw);
  char const* const target = git_reference_symbolic_target(named.get());
  return std::string(target != nullptr ? target : "");
}

/// The branch whose pages are read.
Result<std::string> page_ref(kbrepo::Mirror const& mirror) {
  config::RepoSettings const& settings = mirror.settings();
  std::string ref = settings.ref;
  if (ref.empty() && !settings.remote.empty()) {
    Result<std::string> const kept = target_of(mirror.raw(), kbrepo::kRemoteHead);
    if (!kept) return kept.error();
    std::string const prefix = kbrepo::kept_ref("");
    if (kept->starts_with(prefix)) ref = "refs/" + kept->substr(prefix.size());
  }
  if (ref.empty()) {
    Result<std::string> const head = target_of(mirror.raw(), "HEAD");
    if (!head) return head.error();
    ref = *head;
  }
  if (ref.starts_with(kBranches)) return ref;
  return Error(Errc::invalid_input, settings.id.str() + ": query_log \"commit\" needs a branch to commit on, not " +
                                        (ref.empty() ? "a detached HEAD" : ref));
}

bool pushes(config::RepoSettings const& settings) { return settings.push_query_log && !settings.remote.empty(); }

Result<Route> route_of(kbrepo::Mirror const& mirror) {
  if (mirror.settings().query_log != QueryLogMode::commit) return Route{kLogRef, kLogRef};
  Result<std::string> const ref = page_ref(mirror);
  if (!ref) return ref.error();
  // Commits on their way to the remote lie on a ref of our own, made from what was last fetched: pushing a local branch
  // would publish what a person has on it, and replaying would move it under their hands.
  if (pushes(mirror.settings())) return Route{"refs/kbgate/log/" + ref->substr(kBranches.size()), *ref};
  return Route{*ref, *ref};
}

/// The commit to build on: the ref's own; before it exists, in mode commit, the pages last fetched.
Result<Tip> base_of(kbrepo::Mirror const& mirror, Route const& route, Tip const& tip) {
  bool const on_pages = mirror.settings().query_log == QueryLogMode::commit;
  if (tip || !on_pages) return tip;
  return gitlog::tip_of(mirror.raw(), kbrepo::kept_ref(route.remote));
}

/// What `base` does not hold yet, each id once.
Result<std::vector<Entry>> missing(git_repository* repo, Tip const& base, std::span<QueryRecord const> records,
                                   TimePoint since) {
  auto seen = gitlog::held_ids(repo, base, Tip(), since);
  if (!seen) return seen.error();
  std::vector<Entry> entries;
  for (QueryRecord const& record : records) {
    if (seen->insert(record.record_id).second) entries.push_back({log_line(record), record.record_id});
  }
  return entries;
}

/// The time of the oldest record, or now if that is earlier.
TimePoint oldest_of(std::span<QueryRecord const> records, TimePoint now) {
  TimePoint oldest = now;
  for (QueryRecord const& record : records) {
    if (std::optional<TimePoint> const time = time_of(record)) oldest = std::min(oldest, *time);
  }
  return oldest;
}

Result<Published> append(kbrepo::Mirror const& mirror, Route const& route, std::span<QueryRecord const> records,
                         TimePoint now) {
  git_repository* const repo = mirror.raw();
  TimePoint const since = oldest_of(records, now);
  for (std::size_t attempt = 0; attempt < kMaxMoves; ++attempt) {
    Result<Tip> const tip = gitlog::tip_of(repo, route.local);
    if (!tip) return tip.error();
    Result<Tip> const base = base_of(mirror, route, *tip);
    if (!base) return base.error();
    Result<std::vector<Entry>> const entries = missing(repo, *base, records, since);
    if (!entries) return entries.error();
    if (entries->empty()) return Published{**base, 0, attempt, false};
    Result<CommitId> const commit = gitlog::write_commit(repo, *base, *entries, now);
    if (!commit) return commit.error();
    Result<bool> const moved = gitlog::move_ref(repo, route.local, *tip, *commit);
    if (!moved) return moved.error();
    if (*moved) return Published{*commit, entries->size(), attempt, false};
    gitlog::back_off(attempt);
  }
  return Error(Errc::unavailable, route.local + " moved at each of " + std::to_string(kMaxMoves) + " attempts");
}

}  // namespace

Result<Published> publish(kbrepo::Mirror const& mirror, std::span<QueryRecord const> records, TimePoint now) {
  config::RepoSettings const& settings = mirror.settings();
  if (settings.query_log == QueryLogMode::local || records.empty()) return Published{};
  std::string const step = "query log of " + settings.id.str();
  Result<Route> const route = route_of(mirror);
  if (!route) return at(step, route.error());
  Result<Published> published = append(mirror, *route, records, now);
  if (!published) return at(step, published.error());
  if (!pushes(settings)) return published;
  Result<std::size_t> const rounds = gitlog::push_log(mirror.raw(), settings, *route, now);
  if (!rounds) return at(step, rounds.error());
  published->retries += *rounds;
  published->pushed = true;
  Result<Tip> const tip = gitlog::tip_of(mirror.raw(), route->local);
  if (tip && *tip) published->commit = **tip;
  return published;
}

Result<std::string> read_log(kbrepo::Mirror const& mirror) {
  if (mirror.settings().query_log == QueryLogMode::local) return std::string();
  std::string const step = "query log of " + mirror.settings().id.str();
  Result<Route> const route = route_of(mirror);
  if (!route) return at(step, route.error());
  Result<Tip> const tip = gitlog::tip_of(mirror.raw(), route->local);
  if (!tip) return at(step, tip.error());
  Result<Tip> const base = base_of(mirror, *route, *tip);
  if (!base) return at(step, base.error());
  if (!*base) return std::string();
  Result<std::optional<gitlog::LogFile>> const file = gitlog::log_file(mirror.raw(), **base);
  if (!file) return at(step, file.error());
  return std::string(*file ? (*file)->text() : std::string_view());
}

}  // namespace kb::logging
