// kb_search: hits, quote checks and comparisons over the roots that the settings authorise.
#include <algorithm>
#include <filesystem>

#include "answer/protocols/hit_list.hpp"
#include "answer/protocols/quote_check.hpp"
#include "config/atomic_file.hpp"
#include "daemon/embedder.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMaxGrepLines = 1000;
constexpr std::size_t kMaxTemplate = 64 * 1024;

struct Roots {
  std::vector<protocols::Book> books;
  std::vector<std::string> notes;
  bool indexed = true;  ///< every root has its stored index
  std::string unknown;  ///< a root that is not authorised
};

Roots open_roots(config::Settings const& settings, std::vector<std::string> const& wanted, Io io) {
  Roots out;
  for (std::string const& root : wanted) {
    bool const known = std::any_of(settings.repos.begin(), settings.repos.end(),
                                   [&](auto const& repo) { return repo.id.str() == root; });
    if (!known) out.unknown = root;
  }
  if (!out.unknown.empty()) return out;
  for (config::RepoSettings const& repo : settings.repos) {
    bool const taken = wanted.empty() || std::find(wanted.begin(), wanted.end(), repo.id.str()) != wanted.end();
    if (!taken) continue;
    Result<std::vector<kbrepo::index::SegmentPtr>> const stored =
        kbrepo::index::Index::load(kbrepo::index_file(settings, repo.id));
    Result<kbrepo::SnapshotPtr> snapshot = kbrepo::open_snapshot(settings, repo, {}, progress_on(io.err));
    if (!snapshot) {
      out.notes.push_back(repo.id.str() + " cannot be searched: " + snapshot.error().what +
                          "; mend it, then run `kbgate index rebuild`");
      continue;
    }
    if (!stored) {
      bool const absent = stored.error().code == Errc::not_found;
      out.indexed = false;
      out.notes.push_back(repo.id.str() + ": its index was " + (absent ? "missing" : "corrupt") +
                          ", so pages were scanned directly; it has been made again");
    }
    out.books.push_back({std::move(*snapshot), scope::operator_grant(repo.id, scope::label_of(repo.kind))});
  }
  return out;
}

int write_out(KbSearchOptions const& options, std::string const& text, std::size_t rows, Io io) {
  if (options.output.empty()) {
    io.out << text;
    if (!text.ends_with('\n')) io.out << '\n';
    io.out << std::flush;
    return kDone;
  }
  Result<void> const written = config::replace_file(options.output, text);
  if (!written) return fail(io, written.error());
  print(io.out, {{"success", true}, {"output", options.output}, {"rows", rows}});
  return kDone;
}

}  // namespace

int kb_search_verb(KbSearchOptions const& options, Io io) {
  if (options.format != "json" && options.format != "csv") {
    return fail(io, "bad_request", "--format is json or csv, not \"" + options.format + "\"", kUsage);
  }
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  std::string header(protocols::kHitListColumns);
  if (!options.csv_template.empty()) {
    Result<std::string> text = config::read_file(options.csv_template, kMaxTemplate);
    if (!text) return fail(io, text.error());
    header = std::move(*text);
  }
  Roots roots = open_roots(books->settings, options.roots, io);
  if (!roots.unknown.empty()) {
    return fail(io, "root_not_authorised", roots.unknown + " is no repository of " + books->settings.file.string(),
                kFailure);
  }
  if (roots.books.empty()) {
    std::string all;
    for (std::string const& note : roots.notes) all.append(all.empty() ? "" : "; ").append(note);
    return fail(io, "unavailable", all.empty() ? "no repository is configured" : all, kFailure);
  }
  if (!options.quote.empty()) {
    io.out << protocols::to_json(protocols::check_quote(roots.books, options.quote, options.path)) << std::endl;
    return kDone;
  }
  if (!options.grep.empty()) {
    io.out << protocols::to_json(protocols::grep_pages(roots.books, options.grep, kMaxGrepLines)) << std::endl;
    return kDone;
  }
  protocols::HitQuery query = options.query;
  query.use_index = query.use_index && roots.indexed;
  MeaningNow const meaning = query.use_index ? meaning_now(books->settings, SystemClock(), query.query) : MeaningNow();
  if (!meaning.why.empty()) io.err << "words alone: " << meaning.why << '\n';
  query.meaning = meaning.meaning.get();
  for (protocols::Book const& book : roots.books) {
    kbrepo::VectorsPtr& vectors = query.vectors.emplace_back();
    if (!meaning.sets) continue;
    auto const found = meaning.sets->find(book.snapshot->repo());
    if (found != meaning.sets->end()) vectors = found->second;
  }
  protocols::HitList list = protocols::search_hits(roots.books, query);
  if (!list.fault.empty()) return fail(io, "bad_request", list.fault, kUsage);
  list.notes.insert(list.notes.end(), roots.notes.begin(), roots.notes.end());
  if (options.compare) {
    io.out << protocols::to_json(protocols::compare(list)) << std::endl;
    return kDone;
  }
  bool const csv = options.format == "csv";
  if (csv) {
    for (std::string const& note : list.notes) io.err << note << '\n';
  }
  return write_out(options, csv ? protocols::to_csv(list, header) : protocols::to_json(list, options.explain),
                   list.hits.size(), io);
}

}  // namespace kb::daemon
