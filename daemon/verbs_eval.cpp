// eval: how well a knowledge base answers a set of questions.
#include <array>
#include <cstdio>
#include <fstream>

#include "answer/examine.hpp"
#include "daemon/ask.hpp"
#include "daemon/evaluation.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/explain.hpp"
#include "daemon/json_out.hpp"
#include "daemon/model_ask.hpp"
#include "daemon/scoring.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

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
          {"cited_page", share(t.cited_page, t.answerable)},
          {"cited_lines", share(t.cited_lines, t.answerable)},
          {"needless_no_answer", t.needless_refusal_rate()},
          {"unanswerable_answered", share(t.wrongly_answered, t.unanswerable)},
          {"unanswerable_refused", share(t.unanswerable_refused, t.unanswerable)},
          {"wrong_answers", t.wrong_answer_rate()},
          {"median_us", t.median_us},
          {"p99_us", t.p99_us}};
}

/// A share for the table; of nothing there is none.
std::string cell(std::size_t part, std::size_t whole) {
  if (whole == 0) return "   -";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%4.2f", static_cast<double>(part) / static_cast<double>(whole));
  return text.data();
}

constexpr std::string_view kTableHead =
    "                   answerable                                                         unanswerable    of all\n"
    "                     n   @1   @5  @10  claim right holds   sent lines closest refused   n claim refused  wrong\n";

void print_row(std::ostream& out, Group const& group) {
  Totals const& t = group.totals;
  std::array<char, 256> line{};
  std::snprintf(
      line.data(), line.size(), "  %-16s %4zu %s %s %s   %s  %s  %s   %s  %s    %s    %s %3zu  %s    %s   %4.2f\n",
      group.name.c_str(), t.answerable, cell(t.page1, t.answerable).c_str(), cell(t.page5, t.answerable).c_str(),
      cell(t.page10, t.answerable).c_str(), cell(t.answered, t.answerable).c_str(),
      cell(t.answered_right_page, t.answered).c_str(), cell(t.answered_contains, t.answered).c_str(),
      cell(t.sent_contains, t.answerable).c_str(), cell(t.cited_lines, t.answerable).c_str(),
      cell(t.answerable - t.answered - t.refused_plainly, t.answerable).c_str(),
      cell(t.refused_plainly, t.answerable).c_str(), t.unanswerable, cell(t.wrongly_answered, t.unanswerable).c_str(),
      cell(t.unanswerable_refused, t.unanswerable).c_str(), t.wrong_answer_rate());
  out << line.data();
}

void print_table(std::ostream& out, std::string const& name, std::vector<Group> const& all,
                 kbrepo::SnapshotStats const& index) {
  out << name << '\n' << kTableHead;
  for (Group const& group : all) print_row(out, group);
  std::array<char, 256> line{};
  Totals const& t = all.front().totals;
  std::snprintf(line.data(), line.size(),
                "  answer: median %.2f ms, p99 %.2f ms; index: %zu pages, %zu passages, %.2f s; resident %.1f MiB\n",
                static_cast<double>(t.median_us) / 1000, static_cast<double>(t.p99_us) / 1000, index.pages,
                index.passages, index.seconds, static_cast<double>(resident_kib()) / 1024);
  out << line.data() << std::flush;
}

Json paths_json(std::vector<answer::Found> const& found) {
  Json out = Json::array();
  for (answer::Found const& one : found) {
    out.push_back(one.path + "#L" + std::to_string(one.line_begin) + "-L" + std::to_string(one.line_end));
  }
  return out;
}

Json detail_json(GoldQuestion const& q, Score const& s, answer::Answer const& a, answer::Examination const& judged) {
  Json sources = Json::array();
  for (answer::Source const& source : a.sources) {
    sources.push_back(source.path + "#L" + std::to_string(source.line_begin) + "-L" + std::to_string(source.line_end));
  }
  return {{"id", q.id},
          {"lang", q.lang},
          {"type", q.type},
          {"question", q.question},
          {"answerable", q.answerable},
          {"outcome", answer::to_string(a.outcome)},
          {"drafter", a.drafter},
          {"page_rank", s.page_rank},
          {"contains", s.contains},
          {"cites_page", s.cites_page},
          {"cites_lines", s.cites_lines},
          {"gold_pages", q.gold_pages},
          {"sources", std::move(sources)},
          {"text", a.text},
          {"evidence", evidence_json(judged.evidence)},
          {"score", judged.judgement.score},
          {"excerpts", paths_json(judged.excerpts)},
          {"took_us", s.took_us},
          {"steps_us", {a.took_us.search, a.took_us.read, a.took_us.draft, a.took_us.validate}}};
}

}  // namespace

int eval_verb(EvalOptions const& options, Io io) {
  if (options.questions.empty()) return fail(io, "bad_request", "--questions names the question set to ask", kUsage);
  Result<std::string> const text = read_input(options.questions);
  if (!text) return fail(io, text.error());
  Result<std::vector<GoldQuestion>> questions = parse_questions(*text);
  if (!questions) return fail(io, at(options.questions, questions.error()));
  if (options.limit > 0 && options.limit < questions->size()) questions->resize(options.limit);
  if (options.print_questions) {
    for (GoldQuestion const& q : *questions) io.out << q.question << '\n';
    return kDone;
  }
  int exit_code = kDone;
  std::optional<Evaluation> const kb = open_evaluation(options.repo, io, exit_code);
  if (!kb) return exit_code;
  bool const by_model = options.drafter == "model";
  if (!by_model && options.drafter != "extractive")
    return fail(io, "bad_drafter", "--drafter is extractive or model, not \"" + options.drafter + "\"", kUsage);
  if (by_model && !kb->settings.answer.model)
    return fail(io, "bad_drafter", "--drafter model takes answer.drafter \"model\" and answer.model in the settings",
                kUsage);
  kbrepo::Shelf const shelf = kb->shelf_of(kb->snapshot);
  answer::Stopwatch const stopwatch = steady_stopwatch();
  std::vector<Score> scores;
  SystemClock const clock;
  answer::KeptForms kept;
  for (GoldQuestion const& q : *questions) {
    std::uint64_t const start = stopwatch();
    answer::Inquiry inquiry(q.id, q.question, kb->outcome, shelf, kb->limits, stopwatch, {}, by_model, {}, &kept);
    if (by_model) consult_now(q.id, inquiry, kb->settings.answer, clock);
    answer::Answer answer = inquiry.conclude();
    answer.took_us.total = stopwatch() - start;
    scores.push_back(score(q, kb->find(shelf, q.question), answer));
    if (!options.details) continue;
    print(io.out, detail_json(q, scores.back(), answer, answer::examine(q.question, kb->outcome, shelf, kb->limits)));
  }
  std::vector<Group> const all = groups(*questions, scores);
  print_table(io.err, kb->repo.id.str(), all, kb->snapshot->stats());
  Json out = totals_json(all.front().totals);
  for (auto group = all.begin() + 1; group != all.end(); ++group)
    out["groups"][group->name] = totals_json(group->totals);
  out["success"] = true;
  out["repo"] = kb->repo.id.str();
  out["index_seconds"] = kb->snapshot->stats().seconds;
  out["pages"] = kb->snapshot->stats().pages;
  out["passages"] = kb->snapshot->stats().passages;
  out["resident_kib"] = resident_kib();
  print(io.out, out);
  return kDone;
}

}  // namespace kb::daemon
