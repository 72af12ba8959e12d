// eval generate, eval run: a knowledge base asked about itself, and asked again after a page was changed or taken away.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "config/atomic_file.hpp"
#include "daemon/evaluation.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/made_questions.hpp"
#include "daemon/scoring.hpp"
#include "kbrepo/variants.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kDefaultQuestions = 60;

/// A folder that goes when it does.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "kbgate-eval-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// At most `most`, of each type about as many, spread over the pages.
std::vector<MadeQuestion> sample(std::map<std::string, std::vector<MadeQuestion>> by_type, std::size_t most) {
  std::vector<MadeQuestion> out;
  std::size_t types = by_type.size();
  for (auto& [type, made] : by_type) {
    std::size_t const share = (most - out.size()) / types--;
    std::size_t const take = std::min(share, made.size());
    for (std::size_t i = 0; i < take; ++i) out.push_back(std::move(made[i * made.size() / take]));
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i].gold.id = "made-" + std::to_string(i + 1);
  return out;
}

std::vector<MadeQuestion> make_questions(Evaluation const& kb, std::size_t limit) {
  std::map<std::string, std::vector<MadeQuestion>> by_type;
  scope::ReadGrant const& grant = *kb.outcome.grant;
  for (kbrepo::PageInfo const& info : kb.snapshot->pages(grant)) {
    if (info.kind != kbrepo::PageKind::evidence) continue;
    auto const page = kb.snapshot->read(grant, info.path);
    if (!page) continue;  // a damaged page asks nothing
    for (MadeQuestion& made : questions_of(**page)) by_type[made.gold.type].push_back(std::move(made));
  }
  return sample(std::move(by_type), limit > 0 ? limit : kDefaultQuestions);
}

Json question_json(MadeQuestion const& made) {
  GoldQuestion const& gold = made.gold;
  Json out{{"id", gold.id},
           {"lang", gold.lang},
           {"type", gold.type},
           {"question", gold.question},
           {"answerable", gold.answerable},
           {"gold_pages", gold.gold_pages},
           {"answer_contains", gold.answer_contains},
           {"main_lines", {gold.line_begin, gold.line_end}}};
  if (!made.swapped.empty()) out["swapped"] = made.swapped;
  return out;
}

/// What became of the questions of one type.
struct Tally {
  std::size_t asked = 0, page1 = 0, page10 = 0, answered = 0, right_page = 0, contains = 0;
  std::size_t removed = 0, removed_answered = 0, removed_cited = 0;
  std::size_t swapped = 0, followed = 0, outdated = 0;
  std::size_t failed = 0;  ///< the changed page could not be made or read
};

Json tally_json(Tally const& t) {
  return {{"questions", t.asked},
          {"page_at_1", t.page1},
          {"page_at_10", t.page10},
          {"answered", t.answered},
          {"answered_right_page", t.right_page},
          {"answered_contains", t.contains},
          {"page_removed", {{"asked", t.removed}, {"answered", t.removed_answered}, {"cites_it", t.removed_cited}}},
          {"value_swapped", {{"asked", t.swapped}, {"new_value", t.followed}, {"old_value", t.outdated}}},
          {"failed", t.failed}};
}

class Run {
 public:
  Run(Evaluation const& kb, kbrepo::Variants const& variants)
      : kb_(kb), variants_(variants), shelf_(kb.shelf_of(kb.snapshot)) {}

  /// The question's own line, for --details.
  Json ask(MadeQuestion const& made) {
    Tally& tally = tallies[made.gold.type];
    answer::Answer const answer = kb_.ask(shelf_, made.gold.id, made.gold.question);
    Score const s = score(made.gold, kb_.find(shelf_, made.gold.question), answer);
    ++tally.asked;
    tally.page1 += s.page_rank == 1;
    tally.page10 += s.page_rank >= 1 && s.page_rank <= 10;
    tally.answered += s.answered;
    tally.right_page += s.answered && s.cites_page;
    tally.contains += s.answered && !made.value.empty() && s.contains;
    Json line = question_json(made);
    line["outcome"] = answer::to_string(answer.outcome);
    line["page_rank"] = s.page_rank;
    ask_without_page(made, tally, line);
    // Only an answer that told the value can follow it.
    bool const told = s.answered && holds_value(answer.text, made.value);
    if (told && !made.swapped.empty()) ask_with_other_value(made, tally, line);
    return line;
  }

  std::map<std::string, Tally> tallies;

 private:
  [[nodiscard]] std::optional<answer::Answer> ask_changed(MadeQuestion const& made,
                                                          std::optional<std::string_view> text) {
    auto const commit = variants_.commit(kb_.snapshot->commit(), made.gold.gold_pages.front(), text);
    if (!commit) return std::nullopt;
    kbrepo::SnapshotOptions options;
    options.store = false;
    auto const book = kbrepo::Snapshot::build(variants_.settings(), *commit, kb_.snapshot, options);
    if (!book) return std::nullopt;
    return kb_.ask(kb_.shelf_of(*book), made.gold.id, made.gold.question);
  }

  void ask_without_page(MadeQuestion const& made, Tally& tally, Json& line) {
    auto const answer = ask_changed(made, std::nullopt);
    if (!answer) {
      ++tally.failed;
      return;
    }
    ++tally.removed;
    tally.removed_answered += answer->outcome == answer::Outcome::answered;
    tally.removed_cited += cites(*answer, made);
    line["page_removed"] = answer::to_string(answer->outcome);
  }

  void ask_with_other_value(MadeQuestion const& made, Tally& tally, Json& line) {
    auto const page = kb_.snapshot->read(*kb_.outcome.grant, made.gold.gold_pages.front());
    auto const answer = page ? ask_changed(made, swapped_text(**page, made)) : std::nullopt;
    if (!answer) {
      ++tally.failed;
      return;
    }
    ++tally.swapped;
    bool const old = std::any_of(answer->sources.begin(), answer->sources.end(), [&](answer::Source const& source) {
      return source.path == made.gold.gold_pages.front() && holds_value(source.quote, made.value);
    });
    bool const fresh = holds_value(answer->text, made.swapped);
    tally.outdated += old;
    tally.followed += fresh && !old;
    line["value_swapped"] = old ? "old" : fresh ? "new" : answer::to_string(answer->outcome);
  }

  static bool cites(answer::Answer const& answer, MadeQuestion const& made) {
    return std::any_of(answer.sources.begin(), answer.sources.end(),
                       [&](answer::Source const& source) { return source.path == made.gold.gold_pages.front(); });
  }

  Evaluation const& kb_;
  kbrepo::Variants const& variants_;
  kbrepo::Shelf shelf_;
};

void print_table(std::ostream& out, std::string const& name, std::map<std::string, Tally> const& tallies) {
  out << name
      << "\n                                                         page removed       value swapped"
         "\n                 n    @1   @10  claim  right  tells    n  claim  cited     n    new    old\n";
  for (auto const& [type, t] : tallies) {
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(),
                  "  %-12s %4zu  %4zu  %4zu   %4zu   %4zu   %4zu %4zu   %4zu   %4zu  %4zu   %4zu   %4zu\n",
                  type.c_str(), t.asked, t.page1, t.page10, t.answered, t.right_page, t.contains, t.removed,
                  t.removed_answered, t.removed_cited, t.swapped, t.followed, t.outdated);
    out << line.data();
  }
  out << std::flush;
}

}  // namespace

int eval_generate_verb(EvalOptions const& options, Io io) {
  int exit_code = kDone;
  std::optional<Evaluation> const kb = open_evaluation(options.repo, io, exit_code);
  if (!kb) return exit_code;
  for (MadeQuestion const& made : make_questions(*kb, options.limit)) print(io.out, question_json(made));
  return kDone;
}

int eval_run_verb(EvalOptions const& options, Io io) {
  int exit_code = kDone;
  std::optional<Evaluation> const kb = open_evaluation(options.repo, io, exit_code);
  if (!kb) return exit_code;
  Scratch const scratch;
  Result<kbrepo::Variants> const variants = kbrepo::Variants::open(kb->repo, scratch.path() / "variants.git");
  if (!variants) return fail(io, variants.error());
  Run run(*kb, *variants);
  for (MadeQuestion const& made : make_questions(*kb, options.limit)) {
    Json const line = run.ask(made);
    if (options.details) print(io.out, line);
  }
  print_table(io.err, kb->repo.id.str(), run.tallies);
  bool holds = true;
  Json types = Json::object();
  for (auto const& [type, tally] : run.tallies) {
    types[type] = tally_json(tally);
    holds = holds && tally.removed_cited == 0 && tally.outdated == 0 && tally.failed == 0;
  }
  print(io.out, {{"success", holds}, {"repo", kb->repo.id.str()}, {"types", std::move(types)}});
  return holds ? kDone : kFailure;
}

}  // namespace kb::daemon
