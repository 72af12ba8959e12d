// doctor: what keeps kbgate from answering here, and what to do about it.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <limits>
#include <optional>
#include <sys/stat.h>

#include "adapters/feishu/checkup.hpp"
#include "daemon/embedder.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/feishu_apps.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {
namespace {

using feishu::Finding;
using State = Finding::State;

constexpr std::size_t kShownGivenUp = 5;

std::string_view word(State state) noexcept {
  switch (state) {
    case State::ok:
      return "ok";
    case State::note:
      return "note";
    case State::fault:
      return "fault";
  }
  return {};
}

/// Collects what was found; says each on `err` as it comes, since the network can take a while.
class Report {
 public:
  explicit Report(Io io) : io_(io) {}

  void add(std::string area, Finding const& finding) {
    io_.err << (finding.state == State::fault ? "FAULT" : word(finding.state)) << "\t" << area << ": " << finding.what;
    if (!finding.detail.empty()) io_.err << " — " << finding.detail;
    io_.err << "\n";
    if (!finding.fix.empty()) io_.err << "\t→ " << finding.fix << "\n";
    faults_ += finding.state == State::fault ? 1 : 0;
    Json row{{"area", area}, {"what", finding.what}, {"state", word(finding.state)}, {"detail", finding.detail}};
    if (!finding.fix.empty()) row["fix"] = finding.fix;
    rows_.push_back(std::move(row));
  }

  int print_all() {
    print(io_.out, {{"success", faults_ == 0}, {"faults", faults_}, {"checks", rows_}});
    return faults_ == 0 ? kDone : kFailure;
  }

 private:
  Io io_;
  int faults_ = 0;
  Json rows_ = Json::array();
};

void check_repositories(config::Settings const& settings, Report& report) {
  for (config::RepoSettings const& repo : settings.repos) {
    std::filesystem::path const& where = repo.dir.empty() ? repo.git : repo.dir;
    std::error_code ignored;
    Finding finding{where.string(), State::ok, "", ""};
    if (!std::filesystem::exists(where, ignored)) {
      bool const cloned = !repo.remote.empty();
      finding.state = cloned ? State::note : State::fault;
      finding.detail = cloned ? "not there yet" : "not there";
      finding.fix =
          cloned ? "kbgate sync, or kbgate serve, clones it" : "correct the path, or add \"remote\" to clone it";
    }
    report.add("repository " + repo.id.str(), finding);
  }
}

void check_state(config::Settings const& settings, Report& report) {
  std::error_code ignored;
  if (!std::filesystem::exists(settings.state_dir / "state.db", ignored)) {
    report.add("state", {settings.state_dir.string(), State::note, "empty: kbgate has not run here yet", ""});
    return;
  }
  Result<std::unique_ptr<logging::Journal>> const journal = logging::Journal::open(settings.state_dir);
  if (!journal) {
    report.add("state",
               {settings.state_dir.string(), State::fault, journal.error().what, "check its rights and its disk"});
    return;
  }
  Result<logging::JournalStats> const stats = (*journal)->stats();
  if (!stats) {
    report.add("state", {settings.state_dir.string(), State::fault, stats.error().what, "check its disk"});
    return;
  }
  report.add("state",
             {settings.state_dir.string(), State::ok,
              std::to_string(stats->inbox_unsettled) + " messages and " + std::to_string(stats->replies_pending) +
                  " replies waiting, " + std::to_string(stats->records_pending) + " records to publish",
              ""});
  Result<std::vector<logging::GivenUpReply>> const given_up = (*journal)->given_up(kShownGivenUp);
  if (!given_up) return;
  for (logging::GivenUpReply const& reply : *given_up) {
    report.add("state", {"reply " + reply.query_id, State::note,
                         "not delivered: " + reply.reason + ", " + iso8601(reply.at), ""});
  }
}

/// The secret is what the file is for: nobody else should read it.
void check_secret_file(std::filesystem::path const& file, std::string const& area, Report& report) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return;  // reading it says why
  if ((info.st_mode & 077) != 0) {
    report.add(area,
               {"secret file", State::fault, file.string() + " can be read by others", "chmod 600 " + file.string()});
  } else {
    report.add(area, {"secret file", State::ok, file.string(), ""});
  }
}

std::vector<Finding> ask_platform(feishu::FeishuOptions const& options) {
  boost::asio::io_context io(1);
  aio::Executor const ex = io.get_executor();
  SystemClock const clock;
  aio::HttpClient http(ex, options.tls, aio::HttpClient::Limits());
  std::vector<Finding> findings;
  std::exception_ptr fault;
  boost::asio::co_spawn(io, feishu::check_up(ex, http, options.app, clock),
                        [&](std::exception_ptr e, std::vector<Finding> found) {
                          fault = e;
                          findings = std::move(found);
                          http.close_idle();
                        });
  io.run();
  if (fault) std::rethrow_exception(fault);
  return findings;
}

void check_app(config::FeishuSettings const& app, Report& report) {
  std::string const area = "feishu " + app.app_id;
  check_secret_file(app.app_secret_file, area, report);
  Result<feishu::FeishuOptions> const options = options_of(app);
  if (!options) {
    report.add(area, {"settings", State::fault, options.error().what, "correct the file it names"});
    return;
  }
  for (Finding const& finding : ask_platform(*options)) report.add(area, finding);
}

std::string fix_of(Errc code) {
  switch (code) {
    case Errc::denied:
      return "put the server's key into answer.embeddings.api_key_file";
    case Errc::corrupt:
      return "answer.embeddings.name is to be a model for embeddings";
    case Errc::unavailable:
      return "start the server, or correct answer.embeddings.base_url";
    default:
      return "correct answer.embeddings";
  }
}

/// What is kept was made by the model that the server has under this name now: else the daemon makes it again.
void check_vectors(config::Settings const& settings, std::size_t dimension, std::string const& area, Report& report) {
  constexpr auto kNoGraph = std::numeric_limits<std::size_t>::max();  // for a look it need not be made
  for (config::RepoSettings const& repo : settings.repos) {
    auto const set =
        kbrepo::Vectors::load(kbrepo::vectors_file(settings, repo.id), settings.answer.embeddings->name, kNoGraph);
    Finding finding{"vectors of " + repo.id.str(), State::ok, "", ""};
    bool const other = set && set->dimension() != dimension && set->passages() > 0;
    if (set) finding.detail = std::to_string(set->passages()) + " passages";
    if (!set || other) {
      finding.state = State::note;
      finding.fix = "kbgate serve makes them";
      if (!set) finding.detail = set.error().code == Errc::not_found ? "not there yet" : set.error().what;
      if (other) finding.detail += " of " + std::to_string(set->dimension()) + " numbers: of another model";
    }
    report.add(area, finding);
  }
}

void check_embeddings(config::Settings const& settings, Report& report) {
  if (!settings.answer.embeddings) return;
  config::EmbeddingSettings const& embeddings = *settings.answer.embeddings;
  std::string const area = "embeddings " + embeddings.name;
  if (!embeddings.api_key_file.empty()) check_secret_file(embeddings.api_key_file, area, report);
  SystemClock const clock;
  auto const start = clock.steady();
  Result<std::size_t> const dimension = dimension_now(embeddings, clock);
  auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - start);
  if (!dimension) {
    report.add(area, {embeddings.base_url, State::fault, dimension.error().what, fix_of(dimension.error().code)});
    return;
  }
  report.add(area,
             {embeddings.base_url, State::ok,
              "vectors of " + std::to_string(*dimension) + " numbers, in " + std::to_string(took.count()) + " ms", ""});
  check_vectors(settings, *dimension, area, report);
}

}  // namespace

int doctor_verb(std::string const& config, Io io) {
  std::optional<config::Books> const books = open_books(config, io);
  if (!books) return kConfiguration;
  Report report(io);
  report.add("settings", {books->settings.file.string(), State::ok, "", ""});
  check_repositories(books->settings, report);
  check_state(books->settings, report);
  check_embeddings(books->settings, report);
  for (config::FeishuSettings const& app : books->settings.feishu) check_app(app, report);
  return report.print_all();
}

}  // namespace kb::daemon
