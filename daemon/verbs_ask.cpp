// ask, resolve_scope, chat_context: one question without a daemon.
#include <future>
#include <memory>

#include "daemon/ask.hpp"
#include "daemon/embedder.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/explain.hpp"
#include "daemon/json_out.hpp"
#include "daemon/model_ask.hpp"
#include "daemon/publish.hpp"
#include "daemon/verbs.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {
namespace {

/// nullopt: a usage fault was printed.
std::optional<scope::ScopeRequest> request_of(AskOptions const& options, Io io, int& exit_code) {
  scope::ScopeRequest request;
  request.sender = UserId(options.sender.sender_id);
  request.chat = ChatId(options.sender.chat_id);
  request.question = options.question;
  std::optional<scope::ChatType> const type = scope::parse_chat_type(options.sender.chat_type);
  if (!type) {
    exit_code = fail(io, "bad_chat_type",
                     "--chat_type is direct (or p2p) or group, not \"" + options.sender.chat_type + "\"", kUsage);
    return std::nullopt;
  }
  request.chat_type = *type;
  if (!options.scope.empty()) {
    request.forced = scope::parse_scope(options.scope);
    if (!request.forced) {
      exit_code = fail(io, "bad_scope", "--scope is personal, team or both, not \"" + options.scope + "\"", kUsage);
      return std::nullopt;
    }
  }
  return request;
}

int exit_of(answer::Outcome outcome) {
  switch (outcome) {
    case answer::Outcome::answered:
      return kDone;
    case answer::Outcome::insufficient:
    case answer::Outcome::no_answer:
    case answer::Outcome::handed_off:
      return kRefused;
    case answer::Outcome::scope_refused:
      return kScopeDenied;
    case answer::Outcome::busy:
      return kTryAgain;
    case answer::Outcome::error:
      return kFailure;
  }
  return kFailure;
}

/// Snapshots of what the request may read; a repository that cannot be opened stays out and is said on stderr.
kbrepo::Snapshots open_granted(config::Settings const& settings, scope::ScopeOutcome const& outcome,
                               std::string const& at, Io io) {
  kbrepo::Snapshots snapshots;
  if (!outcome.granted()) return snapshots;
  for (scope::GrantedRepo const& granted : outcome.grant->repos()) {
    config::RepoSettings const* repo = settings.find(granted.id);
    if (repo == nullptr) continue;
    Result<kbrepo::SnapshotPtr> snapshot = kbrepo::open_snapshot(settings, *repo, at, progress_on(io.err));
    if (snapshot) {
      snapshots.emplace(granted.id, *snapshot);
    } else {
      io.err << granted.id << ": " << snapshot.error().what << '\n';
    }
  }
  return snapshots;
}

}  // namespace

int ask_verb(AskOptions const& options, Io io) {
  int exit_code = kDone;
  std::optional<scope::ScopeRequest> const request = request_of(options, io, exit_code);
  if (!request) return exit_code;
  std::optional<config::Books> books = open_books(options.config, io);
  if (!books) return kConfiguration;
  if (options.question.empty()) return fail(io, "bad_request", "--question is empty", kUsage);
  if (options.question.size() > books->settings.limits.max_question_bytes) {
    return fail(io, "bad_request", "the question is longer than limits.max_question_bytes", kUsage);
  }
  World world;
  auto const shared_books = std::make_shared<config::Books const>(std::move(*books));
  world.books = shared_books;
  scope::ScopeOutcome const outcome = scope::resolve(*request, shared_books->directory);
  world.snapshots =
      std::make_shared<kbrepo::Snapshots const>(open_granted(shared_books->settings, outcome, options.at, io));

  SystemClock const clock;
  auto const& embeddings = shared_books->settings.answer.embeddings;
  if (outcome.granted() && embeddings && embeddings->in_answers) {
    MeaningNow found = meaning_now(shared_books->settings, clock, options.question);
    if (!found.why.empty()) io.err << "words alone: " << found.why << '\n';
    world.vectors = std::move(found.sets);
    world.meaning = std::move(found.meaning);
  }
  answer::Answer const answer = ask_now(logging::new_query_id(clock), *request, world, clock);
  std::vector<logging::QueryRecord> records = records_of(answer, *request, world, clock.now());
  if (!records.empty()) {
    // The record is durable before the answer leaves (S1-5).
    Result<void> const logged = log_now(shared_books->settings, std::move(records), io.err);
    if (!logged) return fail(io, at("the query cannot be logged, so it is not answered", logged.error()));
  }
  if (!options.explain || !outcome.granted()) {
    io.out << answer::to_json(answer, options.explain) << std::endl;
    return exit_of(answer.outcome);
  }
  answer::Limits limits;
  limits.max_pages = shared_books->settings.limits.max_pages;
  kbrepo::Shelf const shelf = kbrepo::open_shelf(*outcome.grant, *world.snapshots);
  Json shown = Json::parse(answer::to_json(answer, true));
  shown["search"] = explain_json(answer::examine(options.question, outcome, shelf, limits));
  print(io.out, shown);
  return exit_of(answer.outcome);
}

int resolve_scope_verb(AskOptions const& options, Io io) {
  int exit_code = kDone;
  std::optional<scope::ScopeRequest> const request = request_of(options, io, exit_code);
  if (!request) return exit_code;
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  scope::ScopeOutcome const outcome = scope::resolve(*request, books->directory);
  io.out << to_json(outcome) << std::endl;
  return outcome.granted() ? kDone : kScopeDenied;
}

int chat_context_verb(std::string const& config, Sender const& sender, Io io) {
  std::optional<scope::ChatType> const type = scope::parse_chat_type(sender.chat_type);
  if (!type)
    return fail(io, "bad_chat_type", "--chat_type is direct (or p2p) or group, not \"" + sender.chat_type + "\"",
                kUsage);
  std::optional<config::Books> const books = open_books(config, io);
  if (!books) return kConfiguration;
  UserId const user(sender.sender_id);
  scope::ScopeOutcome const outcome = scope::chat_context(user, *type, ChatId(sender.chat_id), books->directory);
  io.out << chat_context_json(user, outcome) << std::endl;
  return outcome.refusal ? kScopeDenied : kDone;
}

}  // namespace kb::daemon
