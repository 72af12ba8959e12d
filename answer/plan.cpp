#include "answer/plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "answer/guides.hpp"

namespace kb::answer {
namespace {

using kbrepo::PageInfo;
using kbrepo::PageKind;
using kbrepo::PageRole;
using kbrepo::index::QueryTerm;
using kbrepo::index::ScoredPassage;

constexpr std::size_t kHits = 40;              // per book, before they are ranked together
constexpr std::size_t kHitsBeforeProject = 3;  // so many of the best pages are read whatever the project's pages take
constexpr float kNamedPage = 1.5f;             // a page of the project or person that the question names
constexpr float kRolePage = 1.15f;             // a page of the folder that serves this intent (S1-25…31)
constexpr float kCurated = 1.1f;               // a page of the folders that serve another: somebody has put it in order
constexpr std::size_t kNear = 10;              // passages a book that are near in meaning
constexpr float kNearShare = .6f;              // of what words can reach: meaning alone proves nothing
constexpr float kCatalogued = 1.1f;            // the catalogue's title or keyword stands in the question
constexpr float kMended = 0.8f;                // of a mistyped word's weight has what it must have meant
/// S1-28: the aggregate pages of a project, in reading order.
constexpr std::array<std::string_view, 5> kProjectPages{"index.md", "timeline.md", "decisions.md", "open_questions.md",
                                                        "people.md"};

PageRole role_for(Intent intent) noexcept {
  switch (intent) {
    case Intent::project:
      return PageRole::project;
    case Intent::person:
      return PageRole::person;
    case Intent::concept_:
      return PageRole::concept_page;
    case Intent::resource:
      return PageRole::resource;
    case Intent::material:
      return PageRole::material;
    case Intent::general:
      break;
  }
  return PageRole::other;
}

template <class T>
bool contains(std::vector<T> const& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

float prior_of(PageInfo const& page, Question const& question, Guide const& guide) {
  if (page.kind != PageKind::evidence) return 0;  // C-34
  float prior = guide.points_at(page.path) ? kCatalogued : 1.0f;
  if (contains(question.people, page.path) || contains(question.projects, kbrepo::project_of(page.path)))
    return prior * kNamedPage;
  if (page.role != PageRole::other) prior *= page.role == role_for(question.intent) ? kRolePage : kCurated;
  return prior;
}

bool before(Hit const& a, Hit const& b) noexcept {
  if (a.score != b.score) return a.score > b.score;
  return std::tie(a.book, a.doc, a.passage) < std::tie(b.book, b.doc, b.passage);
}

/// Collects pages without repeats up to a bound.
class PageList {
 public:
  explicit PageList(std::size_t max) : max_(max) {}
  void add(std::size_t book, std::string_view path) {
    bool const known = std::any_of(pages_.begin(), pages_.end(),
                                   [&](PlannedPage const& p) { return p.book == book && p.path == path; });
    if (!known && pages_.size() < max_) pages_.push_back({book, std::string(path)});
  }
  [[nodiscard]] std::vector<PlannedPage>& pages() noexcept { return pages_; }

 private:
  std::size_t max_;
  std::vector<PlannedPage> pages_;
};

/// The pages S1 gives the first place: the named person's page, the named project's aggregate pages in their order.
std::vector<PlannedPage> priority_pages(Question const& question, kbrepo::Shelf const& shelf) {
  std::vector<PlannedPage> out;
  for (std::size_t book = 0; book < shelf.books.size(); ++book) {
    for (std::string const& path : question.people) {  // S1-26
      if (shelf.books[book]->find(shelf.grant, path) != nullptr) out.push_back({book, path});
    }
  }
  for (std::size_t book = 0; book < shelf.books.size(); ++book) {
    for (std::string const& project : question.projects) {
      for (std::string_view const name : kProjectPages) {
        std::string path = "projects/" + project + '/' + std::string(name);
        PageInfo const* const page = shelf.books[book]->find(shelf.grant, path);
        if (page != nullptr && page->kind == PageKind::evidence) out.push_back({book, std::move(path)});
      }
    }
  }
  return out;
}

/// Passages that mean what is asked, whatever their words: a page's place in the plan, never a proof of anything.
void add_near(kbrepo::Shelf const& shelf, std::size_t book, std::function<float(std::uint32_t)> const& prior,
              std::vector<Hit>& hits) {
  kbrepo::VectorsPtr const& vectors = shelf.vectors[book];
  if (!vectors) return;
  std::span<PageInfo const> const pages = shelf.books[book]->pages(shelf.grant);
  for (kbrepo::NearPassage const& near : vectors->nearest(shelf.meaning->vector, kNear, pages, {})) {
    float const score = std::min(1.0f, shelf.meaning->nearness(near.cosine) * prior(near.doc) * kNearShare);
    if (score <= 0) continue;
    auto const known = std::find_if(hits.begin(), hits.end(), [&](Hit const& hit) {
      return hit.book == book && hit.doc == near.doc && hit.passage == near.passage;
    });
    if (known != hits.end()) {
      known->score = std::max(known->score, 1 - (1 - known->score) * (1 - score));
      continue;
    }
    auto const page = shelf.books[book]->read(shelf.grant, pages[near.doc].path);
    if (!page || near.passage >= (*page)->passages.size()) continue;
    kbrepo::Passage const& passage = (*page)->passages[near.passage];
    hits.push_back({book, near.doc, near.passage, passage.line_begin, passage.line_end, score, {}, 1});
  }
}

/// The question's terms, and behind them what the mistyped ones must have meant.
std::vector<QueryTerm> with_mended(std::span<QueryTerm const> terms, kbrepo::index::Index const& index) {
  std::vector<QueryTerm> out(terms.begin(), terms.end());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].kind != kbrepo::index::TermKind::word || terms[i].function_word) continue;
    std::string mended = index.mended(terms[i].text);
    if (mended.empty()) continue;
    QueryTerm meant = terms[i];
    meant.text = std::move(mended);
    meant.weight *= kMended;
    meant.stands_for = static_cast<std::int32_t>(i);
    out.push_back(std::move(meant));
  }
  return out;
}

Hit hit_of(std::size_t book, ScoredPassage const& found) {
  Hit out{book, found.doc, found.passage, found.line_begin, found.line_end, found.normalised, found.parts, 1};
  kbrepo::index::ScoreParts& parts = out.parts;
  float const sum = parts.bm25 + parts.page + parts.support + parts.title + parts.proximity;
  if (sum <= 0 || found.score <= 0) return out;
  out.prior = found.score / sum;
  float const share = found.normalised / found.score;
  for (float* part : {&parts.bm25, &parts.page, &parts.support, &parts.title, &parts.proximity}) *part *= share;
  return out;
}

/// Guides are looked at before the index (S1-65) and noted in `guides` when it is there.
std::vector<Hit> search(Question const& question, std::span<QueryTerm const> terms, kbrepo::Shelf const& shelf,
                        std::size_t limit, std::vector<Consulted>* guides) {
  std::vector<Hit> hits;
  for (std::size_t book = 0; book < shelf.books.size(); ++book) {
    kbrepo::Snapshot const& snapshot = *shelf.books[book];
    std::span<PageInfo const> const pages = snapshot.pages(shelf.grant);
    Guide const guide(question, snapshot, shelf.grant);
    if (guides != nullptr && !guide.path().empty()) guides->push_back({snapshot.repo(), guide.path()});
    kbrepo::index::SearchOptions options;
    options.limit = limit;
    options.prior = [&](std::uint32_t doc) { return prior_of(pages[doc], question, guide); };
    std::vector<QueryTerm> const asked = widened(question, terms, snapshot, shelf.grant);
    for (kbrepo::index::ScoredPassage const& found : snapshot.index(shelf.grant).search(asked, options)) {
      hits.push_back(hit_of(book, found));
    }
    if (shelf.meaning) add_near(shelf, book, options.prior, hits);
  }
  std::sort(hits.begin(), hits.end(), before);
  if (hits.size() > limit) hits.resize(limit);
  return hits;
}

}  // namespace

std::vector<QueryTerm> widened(Question const& question, std::span<QueryTerm const> terms, kbrepo::Snapshot const& book,
                               scope::ReadGrant const& grant) {
  std::vector<QueryTerm> out = with_mended(terms, book.index(grant));
  kbrepo::add_stand_ins(book.stand_ins(grant).of(question.text), out);
  return out;
}

std::vector<Hit> search_shelf(Question const& question, std::span<QueryTerm const> terms, kbrepo::Shelf const& shelf,
                              std::size_t limit) {
  return search(question, terms, shelf, limit, nullptr);
}

ReadingPlan plan_reading(Question const& question, std::span<QueryTerm const> terms, kbrepo::Shelf const& shelf,
                         std::size_t max_pages, std::size_t passages) {
  ReadingPlan plan;
  plan.hits = search(question, terms, shelf, kHits, &plan.guides);

  std::vector<PlannedPage> const priority = priority_pages(question, shelf);
  PageList chosen(max_pages);
  auto const path_of = [&](Hit const& hit) -> std::string_view {
    return shelf.books[hit.book]->pages(shelf.grant)[hit.doc].path;
  };
  std::size_t const sure = priority.empty() ? max_pages : kHitsBeforeProject;
  std::span<Hit const> const best = std::span(plan.hits).first(std::min(passages, plan.hits.size()));
  for (Hit const& hit : best) {
    if (chosen.pages().size() < sure) chosen.add(hit.book, path_of(hit));
  }
  for (PlannedPage const& page : priority) chosen.add(page.book, page.path);
  for (Hit const& hit : best) chosen.add(hit.book, path_of(hit));

  auto const rank = [&](PlannedPage const& page) {
    auto const found = std::find_if(priority.begin(), priority.end(),
                                    [&](PlannedPage const& p) { return p.book == page.book && p.path == page.path; });
    return found - priority.begin();
  };
  std::stable_sort(chosen.pages().begin(), chosen.pages().end(),
                   [&](PlannedPage const& a, PlannedPage const& b) { return rank(a) < rank(b); });
  plan.pages = std::move(chosen.pages());
  return plan;
}

}  // namespace kb::answer
