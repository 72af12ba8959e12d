#include "daemon/evaluation.hpp"

#include "daemon/ask.hpp"
#include "daemon/exit_codes.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kPassages = 300;  ///< all that a search keeps: one long page may fill many places

}  // namespace

kbrepo::Shelf Evaluation::shelf_of(kbrepo::SnapshotPtr const& book) const {
  return kbrepo::open_shelf(*outcome.grant, {{repo.id, book}});
}

answer::Answer Evaluation::ask(kbrepo::Shelf const& shelf, std::string const& id, std::string const& question) const {
  answer::Stopwatch const stopwatch = steady_stopwatch();
  std::uint64_t const start = stopwatch();
  answer::Answer out = answer::respond(id, question, outcome, shelf, limits, stopwatch);
  out.took_us.total = stopwatch() - start;
  return out;
}

std::vector<answer::Found> Evaluation::find(kbrepo::Shelf const& shelf, std::string const& question) const {
  return answer::find_passages(question, outcome, shelf, kPassages);
}

std::optional<Evaluation> open_evaluation(RepoOptions const& options, Io io, int& exit_code) {
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) {
    exit_code = kConfiguration;
    return std::nullopt;
  }
  Result<config::RepoSettings const*> const repo = pick_repo(books->settings, options);
  if (!repo) {
    exit_code = fail(io, repo.error());
    return std::nullopt;
  }
  Result<kbrepo::SnapshotPtr> const snapshot = kbrepo::open_snapshot(books->settings, **repo, {}, progress_on(io.err));
  if (!snapshot) {
    exit_code = fail(io, snapshot.error());
    return std::nullopt;
  }
  Evaluation out;
  out.settings = books->settings;
  out.repo = **repo;
  out.snapshot = *snapshot;
  out.limits.max_pages = books->settings.limits.max_pages;
  out.outcome.grant = scope::operator_grant(out.repo.id, scope::Label::team);
  out.outcome.scope = scope::Scope::team;
  out.outcome.team_kbs = {out.repo.id};
  return out;
}

}  // namespace kb::daemon
