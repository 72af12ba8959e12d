#include "daemon/ask.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "answer/protocols/project_chat.hpp"
#include "daemon/json_out.hpp"

namespace kb::daemon {
namespace {

std::string commit_of(kbrepo::Snapshots const& snapshots, RepoId const& repo) {
  auto const found = snapshots.find(repo);
  return found == snapshots.end() || !found->second ? std::string() : found->second->commit().hex();
}

answer::Limits limits_of(config::Limits const& limits) {
  answer::Limits out;
  out.max_pages = limits.max_pages;
  return out;
}

/// S1-52: those that rest on this repository alone, and of what was not sent no words.
std::vector<logging::RecordedClaim> claims_of(answer::Answer const& answer, RepoId const& repo) {
  std::vector<logging::RecordedClaim> out;
  for (answer::ClaimNote const& note : answer.claims) {
    bool const ours = !note.quotes.empty() && std::all_of(note.quotes.begin(), note.quotes.end(),
                                                          [&](answer::NotedQuote const& q) { return q.repo == repo; });
    if (!ours) continue;
    logging::RecordedClaim claim{
        note.fate == "said" ? note.text : std::string(), note.verdict, note.guard, note.fate, {}};
    for (answer::NotedQuote const& quote : note.quotes) {
      if (std::find(claim.paths.begin(), claim.paths.end(), quote.path) == claim.paths.end())
        claim.paths.push_back(quote.path);
    }
    out.push_back(std::move(claim));
  }
  return out;
}

}  // namespace

Asking::Asking(std::string const& query_id, scope::ScopeRequest const& request, World const& world,
               answer::Stopwatch stopwatch, std::span<answer::EarlierTurn const> earlier, bool with_model)
    : world_(world), stopwatch_(std::move(stopwatch)), start_(stopwatch_ ? stopwatch_() : 0) {
  scope::ScopeOutcome outcome = scope::resolve(request, world_.books->directory);
  resolved_ = stopwatch_ ? stopwatch_() : 0;
  if (!outcome.granted()) {
    refusal_ = answer::refused(query_id, request.question, outcome);
    return;
  }
  kbrepo::Shelf shelf = kbrepo::open_shelf(*outcome.grant, *world_.snapshots);
  if (world_.meaning && world_.vectors) kbrepo::add_meaning(shelf, world_.meaning, *world_.vectors);
  std::optional<answer::GivenReading> const given = protocols::project_reading(request.question, shelf);
  inquiry_.emplace(query_id, request.question, std::move(outcome), std::move(shelf),
                   limits_of(world_.books->settings.limits), stopwatch_, earlier, with_model, given,
                   world_.forms.get());
}

answer::Answer Asking::conclude() {
  answer::Answer answer = inquiry_ ? inquiry_->conclude() : std::move(refusal_);
  if (stopwatch_) {
    answer.took_us.scope = resolved_ - start_;
    answer.took_us.total = stopwatch_() - start_;
  }
  return answer;
}

answer::Answer ask(std::string const& query_id, scope::ScopeRequest const& request, World const& world,
                   answer::Stopwatch const& stopwatch, std::span<answer::EarlierTurn const> earlier) {
  return Asking(query_id, request, world, stopwatch, earlier, false).conclude();
}

std::vector<logging::QueryRecord> records_of(answer::Answer const& answer, scope::ScopeRequest const& request,
                                             World const& world, TimePoint now) {
  std::vector<logging::QueryRecord> records;
  for (RepoId const& repo : answer.queried) {
    logging::QueryRecord record;
    record.query_id = answer.query_id;
    record.record_id = logging::record_id(answer.query_id, repo);
    record.time = iso8601(now);
    record.repo = repo;
    record.open_id = request.sender.str();
    record.chat_type = std::string(scope::to_string(request.chat_type));
    record.chat_id = request.chat.str();
    record.scope = answer.scope ? std::string(scope::to_string(*answer.scope)) : std::string();
    record.question = answer.question;
    record.outcome = std::string(answer::to_string(answer.outcome));
    for (answer::Source const& source : answer.sources) {
      if (source.repo != repo) continue;
      if (std::find(record.hits.begin(), record.hits.end(), source.path) == record.hits.end())
        record.hits.push_back(source.path);
    }
    record.commit = commit_of(*world.snapshots, repo);
    record.confidence = std::string(answer::to_string(answer.confidence));
    record.gap = answer.gap;
    record.took_us = answer.took_us.total;
    record.claims = claims_of(answer, repo);
    records.push_back(std::move(record));
  }
  return records;
}

std::string details_json(answer::Answer const& answer) {
  return dump({{"confidence", answer::to_string(answer.confidence)}, {"stale_files", answer.stale_files}});
}

answer::Stopwatch steady_stopwatch() {
  return [] {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  };
}

}  // namespace kb::daemon
