// brain_query: look-ups for skills, with gaps and events written beside the daemon's state, never into a brain.
#include <algorithm>
#include <filesystem>

#include "answer/protocols/brain.hpp"
#include "config/atomic_file.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLog = 64 * 1024 * 1024;

/// One part of a path and nothing else.
bool is_plain(std::string const& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == name.npos;
}

/// Adds lines that depend on what stands in the file already.
Result<void> append(fs::path const& file, std::function<std::string(std::string const&)> const& lines_for) {
  Result<config::FileLock> const lock = config::FileLock::acquire(file);
  if (!lock) return lock.error();
  Result<std::string> before = config::read_file(file, kMaxLog);
  if (!before && before.error().code != Errc::not_found) return before.error();
  std::string const existing = before ? *before : std::string();
  std::string const lines = lines_for(existing);
  return lines.empty() ? Result<void>() : config::replace_file(file, existing + lines);
}

}  // namespace

int brain_query_verb(BrainQueryOptions const& options, Io io) {
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  if (!is_plain(options.cycle_id)) return fail(io, "bad_request", "--cycle_id is a plain name", kUsage);
  std::vector<protocols::Book> shelf;
  for (config::RepoSettings const& repo : books->settings.repos) {
    Result<kbrepo::SnapshotPtr> snapshot = kbrepo::open_snapshot(books->settings, repo, {}, progress_on(io.err));
    if (snapshot) {
      shelf.push_back({std::move(*snapshot), scope::operator_grant(repo.id, scope::Label::team)});
    } else {
      io.err << repo.id << ": " << snapshot.error().what << '\n';
    }
  }
  protocols::BrainReply const reply = protocols::query_brain(shelf, options.query);
  for (std::string const& warning : reply.warnings) io.err << warning << '\n';
  if (!reply.error.empty()) return fail(io, "bad_request", reply.error, kUsage);
  fs::path const folder = books->settings.state_dir / "_logs" / options.cycle_id;
  std::error_code failed;
  fs::create_directories(folder, failed);  // append() says what is wrong with it
  TimePoint const now = SystemClock().now();
  Result<void> const gaps = append(folder / "brain-gaps.jsonl", [&](std::string const& existing) {
    return protocols::gap_lines(reply, options.cycle_id, now, existing);
  });
  if (!gaps) return fail(io, at("the gaps cannot be logged, so nothing is answered", gaps.error()));
  Result<void> const events = append(folder / "events.jsonl", [&](std::string const&) {
    return protocols::event_lines(reply, options.cycle_id, now);
  });
  if (!events) return fail(io, events.error());
  io.out << protocols::to_json(reply) << std::endl;
  return kDone;
}

}  // namespace kb::daemon
