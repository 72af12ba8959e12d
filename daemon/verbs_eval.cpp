// eval: how well a knowledge base answers a set of questions.
#include <array>
#include <cstdio>
#include <fstream>

#include "answer/respond.hpp"
#include "daemon/ask.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/scoring.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kPassages = 60;  ///< enough to see ten distinct pages

/// Resident memory of this process in KiB, as the kernel counts it; 0 when it does not say.
std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmRSS:") continue;
    std::size_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json totals_json(Totals const& t) {
  return {{"questions", t.questions},
          {"answerable", t.answerable},
          {"unanswerable", t.unanswerable},
          {"page_at_1", share(t.page1, t.answerable)},
          {"page_at_5", share(t.page5, t.answerable)},
          {"page_at_10", share(t.page10, t.answerable)},
          {"answered", share(t.answered, t.answerable)},
          {"answered_right_page", share(t.answered_right_page, t.answered)},
          {"answered_contains", share(t.answered_contains, t.answered)},
          {"sent_contains", share(t.sent_contains, t.answerable)},
          {"cited_lines", share(t.cited_lines, t.answerable)},
          {"needless_no_answer", share(t.refused_plainly, t.answerable)},
          {"unanswerable_answered", share(t.wrongly_answered, t.unanswerable)},
          {"median_us", t.median_us},
          {"p99_us", t.p99_us}};
}

void print_table(std::ostream& out, std::string const& name, Totals const& t, kbrepo::SnapshotStats const& index) {
  std::array<char, 512> line{};
  auto const row = [&](char const* what, double value) {
    std::snprintf(line.data(), line.size(), "  %-46s %6.3f\n", what, value);
    out << line.data();
  };
  out << name << ": " << t.answerable << " answerable, " << t.unanswerable << " unanswerable questions\n";
  row("gold page first", share(t.page1, t.answerable));
  row("gold page in the first 5", share(t.page5, t.answerable));
  row("gold page in the first 10", share(t.page10, t.answerable));
  row("answered with a claim", share(t.answered, t.answerable));
  row("  of these, a gold page cited", share(t.answered_right_page, t.answered));
  row("  of these, the gold strings in the answer", share(t.answered_contains, t.answered));
  row("gold strings in what was sent", share(t.sent_contains, t.answerable));
  row("gold page and lines cited", share(t.cited_lines, t.answerable));
  row("refused plainly though answerable", share(t.refused_plainly, t.answerable));
  row("unanswerable, but answered", share(t.wrongly_answered, t.unanswerable));
  std::snprintf(line.data(), line.size(),
                "  answer: median %.2f ms, p99 %.2f ms; index: %zu pages, %zu passages, %.2f s; resident %.1f MiB\n",
                static_cast<double>(t.median_us) / 1000, static_cast<double>(t.p99_us) / 1000, index.pages,
                index.passages, index.seconds, static_cast<double>(resident_kib()) / 1024);
  out << line.data() << std::flush;
}

Json detail_json(GoldQuestion const& q, Score const& s, answer::Answer const& a) {
  Json sources = Json::array();
  for (answer::Source const& source : a.sources) {
    sources.push_back(source.path + "#L" + std::to_string(source.line_begin) + "-L" + std::to_string(source.line_end));
  }
  return {{"id", q.id},
          {"question", q.question},
          {"answerable", q.answerable},
          {"outcome", answer::to_string(a.outcome)},
          {"page_rank", s.page_rank},
          {"contains", s.contains},
          {"cites_page", s.cites_page},
          {"cites_lines", s.cites_lines},
          {"gold_pages", q.gold_pages},
          {"sources", std::move(sources)},
          {"text", a.text},
          {"took_us", s.took_us}};
}

}  // namespace

int eval_verb(EvalOptions const& options, Io io) {
  Result<std::string> const text = read_input(options.questions);
  if (!text) return fail(io, text.error());
  Result<std::vector<GoldQuestion>> questions = parse_questions(*text);
  if (!questions) return fail(io, at(options.questions, questions.error()));
  if (options.limit > 0 && options.limit < questions->size()) questions->resize(options.limit);
  if (options.print_questions) {
    for (GoldQuestion const& q : *questions) io.out << q.question << '\n';
    return kDone;
  }
  std::optional<config::Books> const books = open_books(options.repo.config, io);
  if (!books) return kConfiguration;
  Result<config::RepoSettings const*> const repo = pick_repo(books->settings, options.repo);
  if (!repo) return fail(io, repo.error());
  Result<kbrepo::SnapshotPtr> const snapshot = kbrepo::open_snapshot(books->settings, **repo, {}, progress_on(io.err));
  if (!snapshot) return fail(io, snapshot.error());

  scope::ScopeOutcome outcome;
  outcome.grant = scope::operator_grant((*repo)->id, scope::Label::team);
  outcome.scope = scope::Scope::team;
  outcome.team_kbs = {(*repo)->id};
  kbrepo::Shelf const shelf = kbrepo::open_shelf(*outcome.grant, {{(*repo)->id, *snapshot}});
  answer::Limits limits;
  limits.max_pages = books->settings.limits.max_pages;
  answer::Stopwatch const stopwatch = steady_stopwatch();
  std::vector<Score> scores;
  for (GoldQuestion const& q : *questions) {
    std::vector<answer::Found> const found = answer::find_passages(q.question, outcome, shelf, kPassages);
    std::uint64_t const start = stopwatch();
    answer::Answer answer = answer::respond(q.id, q.question, outcome, shelf, limits, stopwatch);
    answer.took_us.total = stopwatch() - start;
    scores.push_back(score(q, found, answer));
    if (options.details) print(io.out, detail_json(q, scores.back(), answer));
  }
  Totals const totals = total(*questions, scores);
  print_table(io.err, (*repo)->id.str(), totals, (*snapshot)->stats());
  Json out = totals_json(totals);
  out["success"] = true;
  out["repo"] = (*repo)->id.str();
  out["index_seconds"] = (*snapshot)->stats().seconds;
  out["pages"] = (*snapshot)->stats().pages;
  out["passages"] = (*snapshot)->stats().passages;
  out["resident_kib"] = resident_kib();
  print(io.out, out);
  return kDone;
}

}  // namespace kb::daemon
