// validate_answer, log_query, log: the mechanical check and the query logs.
#include "answer/validate.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/publish.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kTailRecords = 20;
// Where the seed's own command line puts its files (S1-64).
constexpr char kDefaultAnswerFile[] = "/tmp/paperkb/answer.md";
constexpr char kDefaultPagesFile[] = "/tmp/paperkb/read_pages.json";

std::vector<std::string> split_hits(std::string const& text) {
  std::vector<std::string> hits;
  std::string hit;
  auto const flush = [&] {
    auto const begin = hit.find_first_not_of(" \t");
    if (begin != hit.npos) hits.push_back(hit.substr(begin, hit.find_last_not_of(" \t") - begin + 1));
    hit.clear();
  };
  for (char const c : text) {
    if (c == ',' || c == ';' || c == '|' || c == '\n') {
      flush();
    } else {
      hit += c;
    }
  }
  flush();
  return hits;
}

}  // namespace

int validate_answer_verb(ValidateOptions const& options, Io io) {
  std::string answer;
  if (options.answer) {
    answer = *options.answer;
  } else {
    Result<std::string> text = read_input(options.answer_file.value_or(kDefaultAnswerFile));
    if (!text) return fail(io, text.error());
    answer = std::move(*text);
  }
  answer::ValidationInput input;
  input.answer = answer;
  bool const bare =
      !options.answer && !options.answer_file && !options.allowed_sources && !options.allowed_sources_file;
  if (options.allowed_sources) input.allowed_sources = answer::parse_allowed_sources(*options.allowed_sources);
  if (options.allowed_sources_file || bare) {
    Result<std::string> const text = read_input(options.allowed_sources_file.value_or(kDefaultPagesFile));
    if (!text) return fail(io, text.error());
    std::vector<std::string> more = answer::parse_allowed_sources(*text);
    if (!input.allowed_sources) input.allowed_sources.emplace();
    input.allowed_sources->insert(input.allowed_sources->end(), more.begin(), more.end());
  }
  if (options.pages_file) {
    Result<std::string> const text = read_input(*options.pages_file);
    if (!text) return fail(io, text.error());
    std::string why;
    input.pages = answer::parse_read_pages(*text, why);
    if (!input.pages) return fail(io, "bad_pages_file", *options.pages_file + ": " + why, kUsage);
  }
  answer::Validation const validation = answer::validate(input);
  io.out << answer::to_json(validation) << std::endl;
  return validation.valid ? kDone : kNotValid;
}

int log_query_verb(LogQueryOptions const& options, Io io) {
  std::optional<config::Books> const books = open_books(options.repo.config, io);
  if (!books) return kConfiguration;
  Result<config::RepoSettings const*> const repo = pick_repo(books->settings, options.repo);
  if (!repo) return fail(io, repo.error());
  if (options.question.empty()) return fail(io, "bad_request", "--question is empty", kUsage);
  SystemClock const clock;
  logging::QueryRecord record;
  record.query_id = logging::new_query_id(clock);
  record.record_id = logging::record_id(record.query_id, (*repo)->id);
  record.time = iso8601(clock.now());
  record.repo = (*repo)->id;
  record.open_id = options.open_id;
  record.scope = options.scope;
  record.question = options.question;
  record.hits = split_hits(options.hits);
  record.outcome = record.hits.empty() ? "no_answer" : "answered";
  record.gap = record.hits.empty();
  std::string const id = record.record_id;
  Result<void> const logged = log_now(books->settings, {std::move(record)}, io.err);
  if (!logged) return fail(io, logged.error());
  Json out{{"success", true}, {"owner", (*repo)->id.owner}, {"repo", (*repo)->id.repo}};
  if ((*repo)->query_log != config::QueryLogMode::local) {
    Result<kbrepo::Mirror> const mirror = kbrepo::Mirror::open_local(**repo);
    Result<kbrepo::CommitId> const commit = !mirror ? Result<kbrepo::CommitId>(mirror.error())
                                            : (*repo)->query_log == config::QueryLogMode::branch
                                                ? mirror->resolve(logging::kLogRef)
                                                : mirror->head();
    if (commit) out["commit"] = commit->hex();
  }
  out["record_id"] = id;
  print(io.out, out);
  return kDone;
}

int log_verb(std::string const& action, RepoOptions const& options, std::string const& since, Io io) {
  if (action != "tail" && action != "export" && action != "verify") {
    return fail(io, "bad_action", "log takes tail, export or verify, not \"" + action + "\"", kUsage);
  }
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  Result<config::RepoSettings const*> const repo = pick_repo(books->settings, options);
  if (!repo) return fail(io, repo.error());
  Result<std::unique_ptr<logging::Journal>> const journal = logging::Journal::open(books->settings.state_dir);
  if (!journal) return fail(io, journal.error());
  if (action == "verify") {
    Result<std::string> const verified = (*journal)->verify((*repo)->id);
    if (!verified) return fail(io, verified.error());
    if (!verified->empty()) return fail(io, "log_not_verified", *verified, kNotVerified);
    Result<std::vector<logging::QueryRecord>> const all = (*journal)->records((*repo)->id, {});
    if (!all) return fail(io, all.error());
    print(io.out,
          {{"success", true}, {"owner", (*repo)->id.owner}, {"repo", (*repo)->id.repo}, {"records", all->size()}});
    return kDone;
  }
  Result<std::vector<logging::QueryRecord>> const records = (*journal)->records((*repo)->id, since);
  if (!records) return fail(io, records.error());
  std::size_t const skip = action == "tail" && records->size() > kTailRecords ? records->size() - kTailRecords : 0;
  for (std::size_t i = skip; i < records->size(); ++i) io.out << logging::to_json((*records)[i]) << '\n';
  io.out << std::flush;
  return kDone;
}

}  // namespace kb::daemon
