#include "answer/respond.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "answer/accord.hpp"
#include "answer/characters.hpp"
#include "answer/content.hpp"
#include "answer/extractive.hpp"
#include "answer/model_draft.hpp"
#include "answer/plan.hpp"
#include "answer/question.hpp"
#include "answer/render.hpp"
#include "answer/source_block.hpp"
#include "answer/texts.hpp"
#include "answer/validate.hpp"
#include "scope/words.hpp"

namespace kb::answer {
namespace {

using kbrepo::Page;

/// N-38: an answer that names an absence is a gap too.
constexpr std::array<std::string_view, 14> kAbsences{
    "没有相关文档",  "没有文档",       "没有记录", "没有资料",         "暂无",           "尚无",
    "未提及",        "资料显示不完整", "沒有文件", "no documentation", "not documented", "doesn't have documentation",
    "not mentioned", "no record"};

constexpr std::size_t kMaxPromptBytes = 16'000;  ///< of passages
/// Of the question's words, by weight: what a model says holds so much of them, headings included, or it is no answer.
/// More where the pages alone were not enough for one.
constexpr float kAnsweredShare = 0.3f;
constexpr float kUnansweredShare = 0.6f;

class Laps {
 public:
  explicit Laps(Stopwatch stopwatch) : stopwatch_(std::move(stopwatch)), start_(now()), last_(start_) {}
  /// Microseconds since the last call.
  std::uint64_t lap() {
    std::uint64_t const before = last_;
    last_ = now();
    return last_ - before;
  }
  [[nodiscard]] std::uint64_t total() const { return now() - start_; }

 private:
  [[nodiscard]] std::uint64_t now() const { return stopwatch_ ? stopwatch_() : 0; }
  Stopwatch stopwatch_;
  std::uint64_t start_, last_;
};

/// C-28: 项目 for project spaces and project documents, else whose knowledge base it is.
std::string label_of(kbrepo::Snapshot const& book, scope::ReadGrant const& grant, std::string_view path) {
  if (grant.label(book.repo()) == scope::Label::personal) return "个人知识库";
  bool const project = book.settings().kind == config::RepoKind::project_docs || !kbrepo::project_of(path).empty();
  return project ? "项目" : "团队知识库";
}

class Responder {
 public:
  Responder(Answer& answer, scope::ScopeOutcome const& outcome, kbrepo::Shelf const& shelf, Limits const& limits,
            Laps& laps)
      : answer_(answer), outcome_(outcome), shelf_(shelf), limits_(limits), laps_(laps) {}

  /// Reads and drafts without a model; with one, a prompt may be there then.
  void prepare(std::optional<FollowUp> const& follow_up, bool with_model, KeptForms* kept) {
    Names const names = names_of(shelf_);
    std::string const& asked = follow_up ? follow_up->question : answer_.question;
    question_ = understand(asked, names, outcome_.project_id);
    Question& question = question_;
    if (follow_up) {                 // S1-8
      question.lang = answer_.lang;  // of the words typed
      answer_.assumed = follow_up->subject;
    }
    answer_.topic = topic_of(question, names);
    answer_.lang = question.lang;
    answer_.intent = question.intent;
    answer_.subject = question.subject;
    parts_.lang = question.lang;
    for (kbrepo::SnapshotPtr const& book : shelf_.books) answer_.queried.push_back(book->repo());
    add_notes();

    std::vector<kbrepo::index::QueryTerm> const terms = kbrepo::index::query_terms(question.text);
    words_.emplace(terms, shelf_, stand_ins_of(question.text, shelf_));
    // A model may see more of a page than what competes, and more pages.
    std::size_t const passages = with_model ? std::numeric_limits<std::size_t>::max() : kCompeting;
    ReadingPlan const plan = plan_reading(question, terms, shelf_, limits_.max_pages, passages);
    answer_.took_us.search = laps_.lap();
    read(plan);
    answer_.took_us.read = laps_.lap();
    draft_ = draft_answer(question, *words_, names, plan.hits, shelf_, pages_, {3, limits_.max_quote_bytes});
    bool const asks_for_code = holds_invite_code(asked);  // N-31
    judgement_ = asks_for_code ? Judgement{} : judge(draft_.evidence);
    if (with_model) {
      answer_.drafter = "extractive";
      if (judgement_.outcome != Outcome::no_answer) ask_model(question, plan, kept);
    }
    answer_.took_us.draft = laps_.lap();
  }

  /// Reads and quotes what was decided before.
  void prepare(GivenReading const& given) {
    answer_.route = given.route;
    answer_.intent = Intent::project;
    answer_.subject = subject_of(answer_.question);
    parts_.lang = answer_.lang;
    for (kbrepo::SnapshotPtr const& book : shelf_.books) answer_.queried.push_back(book->repo());
    add_notes();
    ReadingPlan plan;
    plan.guides = given.guides;
    for (GivenReading::Quote const& quote : given.quotes) plan.pages.push_back(quote.page);
    read(plan);
    answer_.took_us.read = laps_.lap();
    for (GivenReading::Quote const& quote : given.quotes) {
      auto const at = std::find_if(pages_.begin(), pages_.end(), [&quote](PageRead const& read) {
        return read.book == quote.page.book && read.page->path == quote.page.path;
      });
      if (at == pages_.end()) continue;
      std::optional<Excerpt> shown =
          whole_blocks(static_cast<std::size_t>(at - pages_.begin()), quote.first_block, quote.last_block);
      if (shown) draft_.excerpts.push_back(std::move(*shown));
    }
    draft_.closest = draft_.excerpts;
    judgement_ = {Outcome::answered, Confidence::high, 1};
  }

  [[nodiscard]] ModelDraft* model() noexcept { return model_ ? &*model_ : nullptr; }

  void conclude() {
    static_cast<void>(laps_.lap());
    if (model_) note_claims(*model_);
    if (!model_ || !try_modelled(*model_)) {
      set_claims_aside();
      settle(draft_, judgement_);
    }
    answer_.took_us.validate = laps_.lap();
  }

 private:
  void note_claims(ModelDraft const& model) {
    answer_.claims = model.notes();
    for (ClaimNote& note : answer_.claims) {
      for (NotedQuote& quote : note.quotes) quote.repo = shelf_.books[pages_[quote.page].book]->repo();
    }
  }

  void set_claims_aside() {
    for (ClaimNote& note : answer_.claims) {
      if (note.fate == "dropped") continue;
      note.fate = "set aside";
      note.reason = "what is proven of the model's reply does not answer the question";
    }
  }

  void add_notes() {
    for (RepoId const& repo : shelf_.missing) {
      parts_.notes.push_back(missing_note(parts_.lang, repo));
      answer_.warnings.push_back(parts_.notes.back());
    }
    scope::Ownership const owner = scope::ownership_of(answer_.question);
    personal_only_ =
        owner.team && !owner.personal && outcome_.chat_type == scope::ChatType::direct && outcome_.team_kbs.empty();
    if (personal_only_) answer_.warnings.emplace_back(personal_only_note(parts_.lang));  // C-22
  }

  void read(ReadingPlan const& plan) {
    answer_.consulted = plan.guides;
    for (PlannedPage const& planned : plan.pages) {
      kbrepo::Snapshot const& book = *shelf_.books[planned.book];
      auto page = book.read(shelf_.grant, planned.path);
      if (!page) continue;  // a damaged blob costs its own page
      answer_.consulted.push_back({book.repo(), planned.path});
      pages_.push_back({planned.book, std::move(*page)});
    }
  }

  /// Up to the first block that may hold an invite code (N-31); nothing when that is the first.
  [[nodiscard]] std::optional<Excerpt> whole_blocks(std::size_t page, std::uint32_t first, std::uint32_t last) const {
    Page const& from = *pages_[page].page;
    Excerpt out;
    for (std::uint32_t i = first; i <= last && i < from.blocks.size(); ++i) {
      if (holds_invite_code(from.bytes(from.blocks[i]))) break;
      out.shown.push_back({from.blocks[i].begin, from.blocks[i].end});
      out.last_block = i;
    }
    if (out.shown.empty()) return std::nullopt;
    out.page = page;
    out.first_block = first;
    out.begin = out.shown.front().begin;
    out.end = out.shown.back().end;
    out.context_begin = from.blocks[first].context_begin;
    out.context_end = from.blocks[first].context_end;
    return out;
  }

  /// Passages found first, then what else the pages read hold, as far as there is room.
  void ask_model(Question const& question, ReadingPlan const& plan, KeptForms* kept) {
    std::vector<Page const*> pages;
    for (PageRead const& read : pages_) pages.push_back(read.page.get());
    std::vector<std::pair<std::size_t, std::size_t>> order;  // page, passage
    for (Hit const& hit : plan.hits) {
      for (std::size_t i = 0; i < pages_.size(); ++i) {
        bool const same = pages_[i].book == hit.book && hit.passage < pages[i]->passages.size() &&
                          shelf_.books[hit.book]->pages(shelf_.grant)[hit.doc].path == pages[i]->path;
        if (same) order.emplace_back(i, hit.passage);
      }
    }
    for (std::size_t i = 0; i < pages.size(); ++i) {
      for (std::size_t p = 0; p < pages[i]->passages.size(); ++p) order.emplace_back(i, p);
    }
    std::vector<PromptPassage> passages;
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < order.size(); ++n) {
      auto const [page, passage] = order[n];
      if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order[n]) !=
          order.begin() + static_cast<std::ptrdiff_t>(n))
        continue;
      std::string text = text_for_model(*pages[page], pages[page]->passages[passage]);
      if (text.empty() || bytes + text.size() > kMaxPromptBytes) continue;
      bytes += text.size();
      passages.push_back({page, title_text(pages[page]->title), std::move(text)});
    }
    std::vector<FormsPtr> forms;
    for (PageRead const& read : pages_)
      forms.push_back(kept != nullptr ? kept->of(read.page) : std::make_shared<PageForms const>(read.page));
    model_.emplace(question.text, question.lang, std::move(forms), std::move(passages));
  }

  /// What the model said and the pages prove, if it speaks of the question.
  bool try_modelled(ModelDraft const& model) {
    std::vector<Said> const& said = model.said();
    bool const answers = judgement_.outcome == Outcome::answered;
    if (said.empty() || share_of(said) < (answers ? kAnsweredShare : kUnansweredShare)) return false;
    std::vector<Excerpt> excerpts;
    parts_.quotes.clear();
    for (Said const& one : said) show(one, excerpts);
    set_sources(excerpts);
    std::string text = assumed_first(render_answered(parts_with(answered_notes())));
    if (text.size() > limits_.max_answer_bytes || !check(text).valid) return false;
    answer_.confidence = answers ? judgement_.confidence : Confidence::low;
    answer_.drafter = "model";
    finish(Outcome::answered, std::move(text));
    answer_.gap = names_absence();
    return true;
  }

  [[nodiscard]] float share_of(std::vector<Said> const& said) const {
    WordSet all = 0;
    for (Said const& one : said) {
      all |= words_->in(one.text);
      for (Carrier const& c : one.carriers) {
        Page const& page = *pages_[c.page].page;
        all |= words_->in(std::string_view(page.text).substr(c.begin, c.end - c.begin));
        all |= words_->in(page.title + '\n' + page.heading_path(page.blocks[c.first_block].section));
      }
    }
    return words_->share(all);
  }

  /// A sentence, and below it the words that carry it where they are not the same.
  void show(Said const& said, std::vector<Excerpt>& excerpts) {
    for (std::size_t i = 0; i < said.carriers.size(); ++i) {
      Carrier const& c = said.carriers[i];
      auto known = std::find_if(excerpts.begin(), excerpts.end(), [&](Excerpt const& e) {
        return e.page == c.page && e.begin == c.begin && e.end == c.end;
      });
      if (known == excerpts.end()) {
        excerpts.push_back(
            {c.page, c.begin, c.end, c.first_block, c.last_block, kbrepo::kNone, kbrepo::kNone, 0, {{c.begin, c.end}}});
        known = std::prev(excerpts.end());
      }
      auto const source = static_cast<std::size_t>(known - excerpts.begin());
      if (i == 0 && !said.text.empty()) parts_.quotes.push_back({{said.text}, source, true});
      if (!said.exact) parts_.quotes.push_back({lines_of(*known), source, false});
    }
  }

  [[nodiscard]] bool names_absence() const {  // N-38
    return std::any_of(kAbsences.begin(), kAbsences.end(), [this](std::string_view phrase) {
      return lower_ascii(answer_.text).find(phrase) != std::string::npos;
    });
  }

  void settle(Draft const& draft, Judgement const& judgement) {
    answer_.confidence = judgement.confidence;
    if (judgement.outcome == Outcome::answered && try_answered(draft)) return;
    if (judgement.outcome != Outcome::no_answer && try_insufficient(draft)) return;
    no_answer();
  }

  bool try_answered(Draft const& draft) {
    std::vector<Excerpt> excerpts = draft.excerpts;
    for (int attempt = 0; attempt < 2 && !excerpts.empty(); ++attempt) {  // a failing sentence is dropped once
      set_sources(excerpts);
      parts_.quotes.clear();
      for (std::size_t i = 0; i < excerpts.size(); ++i) parts_.quotes.push_back({lines_of(excerpts[i]), i, false});
      Comparison const pages = compare_pages(question_, *words_, excerpts, pages_);
      std::vector<std::string> notes = answered_notes();
      if (pages.accord == Accord::different) notes.push_back(differing(excerpts, pages));
      std::string text = assumed_first(render_answered(parts_with(std::move(notes))));
      Validation const verdict = check(text);
      if (verdict.valid && text.size() <= limits_.max_answer_bytes) {
        finish(Outcome::answered, std::move(text));
        answer_.gap = names_absence();
        if (pages.accord == Accord::same) answer_.confidence = Confidence::high;
        if (pages.accord == Accord::different) answer_.confidence = Confidence::low;
        return true;
      }
      drop_failing(excerpts, verdict);
    }
    return false;
  }

  /// Both are shown; which one holds is the reader's to tell.
  [[nodiscard]] std::string differing(std::vector<Excerpt> const& excerpts, Comparison const& pages) const {
    auto const dated = [&](std::size_t i) { return DatedSource{i + 1, date_of(pages_[excerpts[i].page])}; };
    return differing_note(parts_.lang, dated(pages.one), dated(pages.other));
  }

  /// As the page says, else the day of its last change.
  [[nodiscard]] std::string date_of(PageRead const& read) const {
    if (!read.page->front.date.empty()) return read.page->front.date;
    auto const change = shelf_.books[read.book]->last_change(shelf_.grant, read.page->path);
    return change ? iso8601(change->time).substr(0, 10) : std::string();
  }

  void drop_failing(std::vector<Excerpt>& excerpts, Validation const& verdict) {
    std::vector<Excerpt> kept;
    for (std::size_t i = 0; i < excerpts.size(); ++i) {
      bool const fails = std::any_of(verdict.errors.begin(), verdict.errors.end(), [&](ValidationError const& error) {
        std::vector<std::string> const& lines = parts_.quotes[i].lines;
        return !error.sentence.empty() && std::any_of(lines.begin(), lines.end(), [&](std::string const& line) {
          return line.find(error.sentence) != line.npos || error.sentence.find(line) != line.npos;
        });
      });
      if (!fails) kept.push_back(excerpts[i]);
    }
    if (kept.size() == excerpts.size()) kept.pop_back();  // too long, or nothing to blame: the weakest goes
    excerpts = std::move(kept);
  }

  bool try_insufficient(Draft const& draft) {
    std::vector<Excerpt> excerpts = draft.closest;
    if (excerpts.empty()) return false;
    set_sources(excerpts);
    for (bool const with_excerpts : {true, false}) {
      parts_.excerpts.clear();
      for (Excerpt const& excerpt : excerpts) {
        std::vector<std::string> const lines =
            with_excerpts ? chat_lines(bytes_of(excerpt), false) : std::vector<std::string>{};
        parts_.excerpts.push_back(lines.size() == 1 ? lines.front() : std::string());
      }
      std::string text = assumed_first(render_insufficient(parts_with(answered_notes())));
      if (!check(text).valid) continue;
      finish(Outcome::insufficient, std::move(text));
      answer_.confidence = Confidence::low;
      answer_.gap = true;
      return true;
    }
    return false;
  }

  void no_answer() {
    answer_.sources.clear();
    answer_.confidence = Confidence::none;
    answer_.gap = true;
    finish(Outcome::no_answer, render_no_answer(parts_, answer_.subject));  // S1-38
    if (check(answer_.text).valid) return;
    finish(Outcome::no_answer, render_no_answer(parts_, "…"));
  }

  [[nodiscard]] std::vector<std::string> answered_notes() const {
    std::vector<std::string> notes = parts_.notes;
    if (personal_only_) notes.emplace_back(personal_only_note(parts_.lang));
    return notes;
  }

  [[nodiscard]] std::string assumed_first(std::string text) const {
    return answer_.assumed.empty() ? text : assumed_line(answer_.lang, answer_.assumed) + '\n' + text;
  }

  [[nodiscard]] ReplyParts parts_with(std::vector<std::string> notes) const {
    ReplyParts out = parts_;
    out.sources = answer_.sources;
    out.notes = std::move(notes);
    return out;
  }

  [[nodiscard]] std::string_view bytes_of(Excerpt const& excerpt) const {
    return std::string_view(pages_[excerpt.page].page->text).substr(excerpt.begin, excerpt.end - excerpt.begin);
  }

  [[nodiscard]] std::vector<std::string> lines_of(Excerpt const& excerpt) const {
    Page const& page = *pages_[excerpt.page].page;
    std::vector<std::string> out;
    if (excerpt.context_begin != kbrepo::kNone && excerpt.context_end <= excerpt.begin) {
      out = chat_lines(
          std::string_view(page.text).substr(excerpt.context_begin, excerpt.context_end - excerpt.context_begin),
          false);
    }
    bool const code = page.blocks[excerpt.first_block].kind == kbrepo::BlockKind::fence;
    for (Span const& span : excerpt.shown) {
      std::string_view const bytes = std::string_view(page.text).substr(span.begin, span.end - span.begin);
      for (std::string& line : chat_lines(bytes, code)) out.push_back(std::move(line));
    }
    return out;
  }

  /// One source for each excerpt, in order.
  void set_sources(std::vector<Excerpt> const& excerpts) {
    answer_.sources.clear();
    parts_.stale_since.clear();
    for (Excerpt const& excerpt : excerpts) {
      PageRead const& read = pages_[excerpt.page];
      answer_.sources.push_back(source_of(excerpt, read));
      bool const stale = read.page->front.stale;
      parts_.stale_since.push_back(stale ? std::optional(read.page->front.date) : std::nullopt);
    }
  }

  [[nodiscard]] Source source_of(Excerpt const& excerpt, PageRead const& read) const {
    kbrepo::Snapshot const& book = *shelf_.books[read.book];
    Page const& page = *read.page;
    std::string_view const text = page.text;
    auto const line_at = [text](std::uint32_t byte) {
      return static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + byte, '\n'));
    };
    Source out;
    out.title = page.title;
    out.label = label_of(book, shelf_.grant, page.path);
    out.repo = book.repo();
    out.path = page.path;
    out.commit = book.commit();
    out.line_begin = line_at(excerpt.begin);
    out.line_end = line_at(excerpt.end > excerpt.begin ? excerpt.end - 1 : excerpt.begin);
    out.locator = kbrepo::locator(page, page.blocks[excerpt.first_block]);
    out.quote = bytes_of(excerpt);
    out.url = book.url(page.path, out.line_begin, out.line_end);
    std::string const whole = book.url(page.path, 0, 0);
    if (plain_link(out.url) != plain_link(whole)) out.url = whole;  // lines outside the fragment name no page
    return out;
  }

  [[nodiscard]] Validation check(std::string_view text) const {  // S1-4, S1-41
    std::vector<ReadPage> read;
    for (PageRead const& entry : pages_) {
      kbrepo::Snapshot const& book = *shelf_.books[entry.book];
      bool const cited = std::any_of(answer_.sources.begin(), answer_.sources.end(), [&](Source const& source) {
        return source.path == entry.page->path && source.repo == book.repo();
      });
      if (!cited) continue;  // what is said must stand there
      std::string url = book.url(entry.page->path, 0, 0);
      if (url.empty()) url = book.repo().str() + ':' + entry.page->path;
      read.push_back({entry.page->title, std::move(url), label_of(book, shelf_.grant, entry.page->path),
                      entry.page->text, entry.page->path});
    }
    return validate(
        {.answer = text, .allowed_sources = std::nullopt, .pages = std::move(read), .assumed = answer_.assumed});
  }

  void finish(Outcome outcome, std::string text) {
    answer_.outcome = outcome;
    answer_.text = std::move(text);
    for (Source& source : answer_.sources) {
      auto const book = std::find_if(shelf_.books.begin(), shelf_.books.end(),
                                     [&](auto const& b) { return b->repo() == source.repo; });
      if (auto const change = (*book)->last_change(shelf_.grant, source.path)) {
        source.author = change->author;
        source.changed_at = change->time;
      }
      kbrepo::PageInfo const* const page = (*book)->find(shelf_.grant, source.path);
      bool const known =
          std::find(answer_.stale_files.begin(), answer_.stale_files.end(), source.path) != answer_.stale_files.end();
      if (page != nullptr && page->stale && !known) {  // C-12
        answer_.stale_files.push_back(source.path);
        answer_.warnings.push_back("《" + title_text(source.title) + "》 " +
                                   std::string(trim(stale_line(parts_.lang, page->date))));
      }
    }
  }

  Answer& answer_;
  scope::ScopeOutcome const& outcome_;
  kbrepo::Shelf const& shelf_;
  Limits const& limits_;
  Laps& laps_;
  std::vector<PageRead> pages_;
  Question question_;
  std::optional<ContentWords> words_;
  Draft draft_;
  Judgement judgement_;
  std::optional<ModelDraft> model_;
  ReplyParts parts_;
  bool personal_only_ = false;
};

Answer new_answer(std::string const& query_id, std::string const& question) {
  Answer out;
  out.query_id = query_id;
  out.question = question;
  out.lang = scope::language_of(question);
  return out;
}

}  // namespace

struct Inquiry::State {
  scope::ScopeOutcome outcome;
  kbrepo::Shelf shelf;
  Limits limits;
  Laps laps;
  Answer answer;
  Responder responder;

  State(std::string const& query_id, std::string const& question, scope::ScopeOutcome granted, kbrepo::Shelf pinned,
        Limits const& limited, Stopwatch stopwatch)
      : outcome(std::move(granted)),
        shelf(std::move(pinned)),
        limits(limited),
        laps(std::move(stopwatch)),
        answer(new_answer(query_id, question)),
        responder(answer, outcome, shelf, limits, laps) {}
};

Inquiry::Inquiry(std::string const& query_id, std::string const& question, scope::ScopeOutcome outcome,
                 kbrepo::Shelf shelf, Limits const& limits, Stopwatch stopwatch, std::span<EarlierTurn const> earlier,
                 bool with_model, std::optional<GivenReading> const& given, KeptForms* kept)
    : state_(std::make_unique<State>(query_id, question, std::move(outcome), std::move(shelf), limits,
                                     std::move(stopwatch))) {
  Answer& out = state_->answer;
  out.scope = state_->outcome.scope;
  for (scope::GrantedRepo const& repo : state_->outcome.grant->repos()) out.granted.push_back(repo.id);
  out.handed_to = hand_off_of(question);
  if (!out.handed_to.empty()) return;
  if (given) {
    state_->responder.prepare(*given);
  } else {
    state_->responder.prepare(follow_up_of(question, earlier, *state_->outcome.grant), with_model, kept);
  }
}
Inquiry::~Inquiry() = default;
Inquiry::Inquiry(Inquiry&&) noexcept = default;
Inquiry& Inquiry::operator=(Inquiry&&) noexcept = default;

std::optional<Prompt> Inquiry::prompt() const {
  ModelDraft const* const model = state_->responder.model();
  return model == nullptr ? std::nullopt : model->prompt();
}

void Inquiry::take(std::string_view completion) {
  if (ModelDraft* const model = state_->responder.model()) model->take(completion);
}

void Inquiry::give_up(std::string why) {
  if (ModelDraft* const model = state_->responder.model()) model->give_up();
  state_->answer.model_fault = std::move(why);
}

Answer Inquiry::conclude() {
  Answer& out = state_->answer;
  if (!out.handed_to.empty()) {  // S1-9…11
    out.outcome = Outcome::handed_off;
    out.text = hand_off_text(out.lang, out.handed_to);
  } else {
    state_->responder.conclude();
  }
  out.took_us.total = state_->laps.total();
  return std::move(out);
}

Answer respond(std::string const& query_id, std::string const& question, scope::ScopeOutcome const& outcome,
               kbrepo::Shelf const& shelf, Limits const& limits, Stopwatch const& stopwatch,
               std::span<EarlierTurn const> earlier) {
  return Inquiry(query_id, question, outcome, shelf, limits, stopwatch, earlier, false).conclude();
}

Answer refused(std::string const& query_id, std::string const& question, scope::ScopeOutcome const& outcome) {
  Answer out = new_answer(query_id, question);
  out.outcome = Outcome::scope_refused;
  if (outcome.refusal) out.scope_error = scope::to_string(*outcome.refusal);
  out.text = outcome.message;
  return out;
}

std::vector<Found> find_passages(std::string const& question, scope::ScopeOutcome const& outcome,
                                 kbrepo::Shelf const& shelf, std::size_t limit) {
  Question const understood = understand(question, names_of(shelf), outcome.project_id);
  std::vector<kbrepo::index::QueryTerm> const terms = kbrepo::index::query_terms(question);
  std::vector<Found> out;
  for (Hit const& hit : search_shelf(understood, terms, shelf, limit)) {
    kbrepo::Snapshot const& book = *shelf.books[hit.book];
    out.push_back({book.repo(), book.pages(shelf.grant)[hit.doc].path, hit.line_begin, hit.line_end, hit.score});
  }
  return out;
}

}  // namespace kb::answer
