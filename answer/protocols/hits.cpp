#include "answer/protocols/hits.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "answer/protocols/page_index.hpp"
#include "answer/question.hpp"
#include "kbrepo/glob.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::protocols {
namespace {

using kbrepo::Block;
using kbrepo::Page;
using kbrepo::PageInfo;
using kbrepo::Passage;

constexpr double kLeastKeyword = .3;  // below it a passage only mentions something (S4-30, S4-51)
constexpr std::size_t kIndexPassages = 400;
constexpr std::size_t kNearPassages = 50;
constexpr std::size_t kMaxScannedPages = 20'000;
constexpr std::size_t kMaxSnippet = 800;
constexpr std::size_t kMaxPerPage = 3;
constexpr std::size_t kMaxSideFile = 4 * 1024 * 1024;
constexpr std::size_t kMaxQuery = 4000;

// S4-51: what stands on many pages and says nothing of its own.
constexpr std::array<std::string_view, 9> kBoilerHeadings{
    "table of contents", "contents", "see also", "related links", "related", "目录", "参见", "相关链接", "参考链接"};
constexpr std::array<std::string_view, 7> kBoilerTexts{
    "all rights reserved", "copyright ©", "©", "edit this page", "last updated", "版权所有", "返回顶部"};

std::string day_of(TimePoint time) { return iso8601(time).substr(0, 10); }

bool is_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t i = 0; i < 10; ++i) {
    if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9')) return false;
  }
  return true;
}

std::string file_type(std::string_view path) {
  std::string_view const name = path.substr(path.rfind('/') + 1);
  auto const dot = name.rfind('.');
  if (dot == name.npos) return {};
  std::string type = kbrepo::index::fold(name.substr(dot + 1));
  return type == "markdown" ? "md" : type;
}

struct Dated {
  std::string day;  ///< empty: unknown
  std::string_view by;
};

/// C-33: front matter, then the catalogue, then the last commit that touched the page.
Dated date_of(Book const& book, PageInfo const& page) {
  if (is_day(std::string_view(page.date).substr(0, 10))) return {page.date.substr(0, 10), "the page's own date"};
  for (auto const* list :
       {&book.snapshot->catalog(book.grant).documents, &book.snapshot->catalog(book.grant).concepts}) {
    for (kbrepo::CatalogEntry const& entry : *list) {
      if (entry.file != page.path) continue;
      for (std::string_view const key : {"\"updated_at\":\"", "\"created_at\":\""}) {
        auto const at = entry.json.find(key);
        if (at == entry.json.npos) continue;
        std::string day = entry.json.substr(at + key.size(), 10);
        if (is_day(day)) return {std::move(day), "the catalogue"};
      }
    }
  }
  std::optional<kbrepo::Change> const change = book.snapshot->last_change(book.grant, page.path);
  if (change) return {day_of(change->time), "the last commit"};
  return {};
}

bool is_boilerplate(Page const& page, std::uint32_t first, std::uint32_t last) {
  std::string const heading = kbrepo::index::fold(page.sections[page.blocks[first].section].heading);
  if (std::find(kBoilerHeadings.begin(), kBoilerHeadings.end(), heading) != kBoilerHeadings.end()) return true;
  std::string_view const text =
      std::string_view(page.text).substr(page.blocks[first].begin, page.blocks[last].end - page.blocks[first].begin);
  std::string const folded = kbrepo::index::fold(text);
  bool const shortish = folded.size() < 160;
  return shortish && std::any_of(kBoilerTexts.begin(), kBoilerTexts.end(), [&](std::string_view boiler) {
           return answer::has_word(folded, kbrepo::index::fold(boiler));
         });
}

/// Blocks of one paragraph: what a locator names.
struct Paragraph {
  std::uint32_t first = 0, last = 0;
};

std::vector<Paragraph> paragraphs_of(Page const& page, Passage const& passage) {
  std::vector<Paragraph> out;
  for (std::uint32_t b = passage.first_block; b <= passage.last_block; ++b) {
    Block const& block = page.blocks[b];
    bool const same = !out.empty() && page.blocks[out.back().last].section == block.section &&
                      page.blocks[out.back().last].paragraph == block.paragraph &&
                      block.end - page.blocks[out.back().first].begin <= kMaxSnippet;
    if (same) {
      out.back().last = b;
    } else {
      out.push_back({b, b});
    }
  }
  return out;
}

/// As much of the paragraph as a snippet takes, ended at a line or a character.
std::string_view snippet_of(Page const& page, Paragraph const& paragraph) {
  std::uint32_t const begin = page.blocks[paragraph.first].begin;
  std::string_view text = std::string_view(page.text).substr(begin, page.blocks[paragraph.last].end - begin);
  if (text.size() <= kMaxSnippet) return text;
  text = text.substr(0, kMaxSnippet);
  auto const line = text.rfind('\n');
  if (line != text.npos && line > kMaxSnippet / 2) return text.substr(0, line);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.remove_suffix(1);
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  return text;
}

std::string joined(std::vector<std::string> const& parts, std::string_view between) {
  std::string out;
  for (std::string const& part : parts) out.append(out.empty() ? "" : between).append(part);
  return out;
}

/// S4-37: why it is here, and what was assumed.
std::string notes_of(Scored const& score, Dated const& dated, bool date_counts, bool stale) {
  std::string out = score.by_meaning ? "near in meaning" : "";
  if (score.exact || !score.matched.empty()) {
    out.append(out.empty() ? "" : "; ");
    out += score.exact ? "holds the whole query" : "matches " + joined(score.matched, ", ");
  }
  if (score.name_only) out += " in title or path only";
  std::vector<std::string> covers;
  if (score.steps) covers.emplace_back("steps");
  if (score.conditions) covers.emplace_back("conditions");
  if (score.verification) covers.emplace_back("verification");
  if (!covers.empty()) out += "; has " + joined(covers, " + ");
  if (!dated.day.empty()) out.append("; dated ").append(dated.day).append(" by ").append(dated.by);
  if (dated.day.empty() && date_counts) out += "; no date known, kept";
  if (stale) out += "; marked stale by its author";
  return out;
}

class Search {
 public:
  Search(std::span<Book const> books, HitQuery const& query) : books_(books), query_(query) {}

  HitList run() {
    for (Book const& book : books_) add_synonyms(book);
    out_.query = take_apart(query_.query, synonyms_);
    out_.method = query_.use_index ? "index" : "scan";
    for (std::string const& tag : query_.tags) tags_.push_back(kbrepo::index::fold(tag));
    for (std::string const& type : query_.file_types) {
      std::string plain = kbrepo::index::fold(type.starts_with("*.") ? type.substr(2) : type);
      types_.push_back(plain == "markdown" ? "md" : std::move(plain));
    }
    for (std::size_t i = 0; i < books_.size(); ++i) search(books_[i], near_passages(i));
    std::stable_sort(out_.hits.begin(), out_.hits.end(), [](Hit const& a, Hit const& b) {
      double const x = a.score.parts.total();
      double const y = b.score.parts.total();
      if (x != y) return x > y;
      return std::tie(a.repo, a.path, a.line_begin) < std::tie(b.repo, b.path, b.line_begin);
    });
    keep_best();
    return std::move(out_);
  }

 private:
  void add_synonyms(Book const& book) {
    Result<std::string> const own = book.snapshot->file(book.grant, "synonyms.json", kMaxSideFile);
    if (!own) return;
    std::string const fault = synonyms_.add(*own);
    if (!fault.empty()) out_.notes.push_back(book.snapshot->repo().str() + ": " + fault);
  }

  bool wanted(PageInfo const& page) const {
    if (page.kind != kbrepo::PageKind::evidence) return false;
    if (!types_.empty() && std::find(types_.begin(), types_.end(), file_type(page.path)) == types_.end()) return false;
    std::string_view glob = query_.glob;
    if (glob.starts_with("./")) glob.remove_prefix(2);
    return glob.empty() || kbrepo::glob_match(glob, page.path);
  }

  /// How near passages are in meaning, by page and place in it: those that are as near as words must fit.
  using Near = std::map<std::uint32_t, std::map<std::uint32_t, double>>;
  Near near_passages(std::size_t at) {
    Near out;
    kbrepo::Vectors const* const vectors = at < query_.vectors.size() ? query_.vectors[at].get() : nullptr;
    if (query_.meaning == nullptr || vectors == nullptr || !query_.use_index) return out;
    auto const pages = books_[at].snapshot->pages(books_[at].grant);
    for (auto const& one : vectors->nearest(query_.meaning->vector, kNearPassages, pages, {})) {
      double const nearness = double{query_.meaning->nearness(one.cosine)};
      if (nearness >= kLeastKeyword && wanted(pages[one.doc])) out[one.doc][one.passage] = nearness;
    }
    if (!out.empty()) out_.method = "index and vectors";
    return out;
  }

  /// Pages to look at: all, or those the index has a word of, and those `near`.
  std::vector<std::uint32_t> candidates(Book const& book, Near const& near) {
    auto const pages = book.snapshot->pages(book.grant);
    std::vector<std::uint32_t> out;
    if (!query_.use_index) {
      for (std::uint32_t i = 0; i < pages.size(); ++i) {
        if (wanted(pages[i])) out.push_back(i);
      }
      if (out.size() > kMaxScannedPages) {
        out.resize(kMaxScannedPages);
        out_.notes.push_back(book.snapshot->repo().str() +
                             ": only the first 20,000 pages were scanned; rebuild the "
                             "index with `kbgate index rebuild`");
      }
      return out;
    }
    kbrepo::index::SearchOptions options;
    options.limit = kIndexPassages;
    options.candidates = kIndexPassages;
    options.prior = [&](std::uint32_t doc) { return wanted(pages[doc]) ? 1.0f : 0.0f; };
    auto const terms = kbrepo::index::query_terms(out_.query.expanded());
    for (auto const& found : book.snapshot->index(book.grant).search(terms, options)) out.push_back(found.doc);
    for (auto const& [doc, passages] : near) out.push_back(doc);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void search(Book const& book, Near const& near) {
    RootStatus status;
    status.repo = book.snapshot->repo();
    status.commit = book.snapshot->commit();
    status.updated = iso8601(book.snapshot->commit_time());
    status.content_index = query_.use_index;
    auto const pages = book.snapshot->pages(book.grant);
    status.pages = pages.size();
    bool const dated = !query_.since.empty() || !query_.until.empty();
    std::size_t undated = 0;
    for (std::uint32_t const at : candidates(book, near)) {
      PageInfo const& info = pages[at];
      Dated const date = date_of(book, info);
      if (dated && !date.day.empty() && !in_time(date.day)) continue;
      Result<std::shared_ptr<Page const>> const page = book.snapshot->read(book.grant, info.path);
      if (!page) {
        out_.notes.push_back(status.repo.str() + ": " + info.path + " cannot be read (" + page.error().what +
                             "); restore the repository, then run `kbgate index rebuild`");
        continue;
      }
      if (!tags_.empty() && !has_tag(**page)) continue;
      undated += dated && date.day.empty() ? 1 : 0;
      auto const known = near.find(at);
      take(book, info, **page, date, status, known == near.end() ? Near::mapped_type() : known->second);
    }
    if (undated > 0) out_.notes.push_back(status.repo.str() + ": pages without any date are kept by a time filter");
    out_.roots.push_back(std::move(status));
  }

  bool in_time(std::string const& day) const {
    return (query_.since.empty() || day >= query_.since) && (query_.until.empty() || day <= query_.until);
  }

  bool has_tag(Page const& page) const {
    return std::any_of(page.front.tags.begin(), page.front.tags.end(), [&](std::string const& tag) {
      return std::find(tags_.begin(), tags_.end(), kbrepo::index::fold(tag)) != tags_.end();
    });
  }

  void take(Book const& book, PageInfo const& info, Page const& page, Dated const& date, RootStatus& status,
            Near::mapped_type const& near) {
    std::optional<PageIndex> map;
    bool looked = false;
    for (std::uint32_t p = 0; p < page.passages.size(); ++p) {
      Passage const& passage = page.passages[p];
      Scored score = score_passage(out_.query, page, passage);
      if (auto const known = near.find(p); known != near.end() && known->second > score.parts.keyword) {
        score.parts.keyword = known->second;
        score.by_meaning = true;
      }
      if (score.parts.keyword < kLeastKeyword) continue;
      Paragraph best;
      // A paragraph that has nothing of it is not shown, unless words are not what it was found by.
      double most = score.name_only || score.by_meaning ? -1 : 0;
      bool any = false;
      for (Paragraph const& paragraph : paragraphs_of(page, passage)) {
        if (is_boilerplate(page, paragraph.first, paragraph.last)) continue;
        double const keyword = keyword_of(out_.query, snippet_of(page, paragraph));
        if (keyword <= most) continue;
        most = keyword;
        best = paragraph;
        any = true;
      }
      if (!any) continue;
      if (!looked) map = page_index(book, info, status);
      looked = true;
      out_.hits.push_back(hit(book, info, page, best, std::move(score), date, map));
    }
  }

  std::optional<PageIndex> page_index(Book const& book, PageInfo const& info, RootStatus& status) {
    Result<std::string> const text = book.snapshot->file(book.grant, page_index_path(info.path), kMaxSideFile);
    if (!text) return std::nullopt;
    std::optional<PageIndex> map = parse_page_index(*text);
    bool const fits = map && map->blob == info.blob.hex();
    if (!fits) {
      out_.notes.push_back(info.path + ": its PageIndex is of another version or broken; lines are used instead");
      return std::nullopt;
    }
    ++status.page_indices;
    return map;
  }

  Hit hit(Book const& book, PageInfo const& info, Page const& page, Paragraph const& paragraph, Scored score,
          Dated const& date, std::optional<PageIndex> const& map) const {
    Block const& first = page.blocks[paragraph.first];
    Hit out;
    out.repo = book.snapshot->repo();
    out.path = info.path;
    out.commit = book.snapshot->commit();
    out.blob = info.blob;
    out.title = page.title;
    out.snippet = std::string(snippet_of(page, paragraph));
    out.line_begin = first.line_begin;
    out.line_end =
        first.line_begin + static_cast<std::uint32_t>(std::count(out.snippet.begin(), out.snippet.end(), '\n'));
    out.lines = "lines " + std::to_string(out.line_begin) + "-" + std::to_string(out.line_end);
    out.location = locator(page, first);
    if (map) {
      if (std::optional<std::string> const place = map->locate(static_cast<std::uint32_t>(
              std::min<std::size_t>(page.text.find_first_not_of("\f\r\n", first.begin), first.end - 1))))
        out.location = *place;
    }
    out.heading_form = heading_form(page, first);
    out.url = book.snapshot->url(info.path, out.line_begin, out.line_end);
    out.date = date.day;
    out.notes = notes_of(score, date, !query_.since.empty() || !query_.until.empty(), info.stale);
    out.score = std::move(score);
    return out;
  }

  /// At most three of a page, and no paragraph twice.
  void keep_best() {
    std::map<std::pair<RepoId, std::string>, std::vector<std::uint32_t>> seen;
    std::vector<Hit> kept;
    for (Hit& hit : out_.hits) {
      if (kept.size() >= std::min(query_.limit, kMaxHits)) break;
      auto& lines = seen[{hit.repo, hit.path}];
      bool const again = std::find(lines.begin(), lines.end(), hit.line_begin) != lines.end();
      if (again || lines.size() >= kMaxPerPage) continue;
      lines.push_back(hit.line_begin);
      kept.push_back(std::move(hit));
    }
    out_.hits = std::move(kept);
  }

  std::span<Book const> books_;
  HitQuery const& query_;
  Synonyms synonyms_;
  std::vector<std::string> tags_, types_;
  HitList out_;
};

std::string fault_of(HitQuery const& query) {
  bool const blank = query.query.find_first_not_of(" \t\r\n") == std::string::npos;
  if (blank) return "query is empty";
  if (query.query.size() > kMaxQuery) return "query is longer than 4,000 bytes";
  if (!query.since.empty() && !is_day(query.since)) return "since is no date of the form YYYY-MM-DD";
  if (!query.until.empty() && !is_day(query.until)) return "until is no date of the form YYYY-MM-DD";
  if (query.limit == 0 || query.limit > kMaxHits) return "limit is from 1 to 100";
  return {};
}

}  // namespace

HitList search_hits(std::span<Book const> books, HitQuery const& query) {
  HitList out;
  out.fault = fault_of(query);
  if (!out.fault.empty()) return out;
  return Search(books, query).run();
}

std::string heading_form(Page const& page, Block const& block) {
  std::uint32_t const around = page.sections[block.section].parent;
  if (block.section == 0 || around == 0) return {};
  std::uint32_t count = 0;
  std::uint32_t section = 0;
  std::uint32_t paragraph = 0;
  for (Block const& other : page.blocks) {
    bool inside = false;
    for (std::uint32_t s = other.section; s != 0 && !inside; s = page.sections[s].parent) inside = s == around;
    if (!inside) continue;
    bool const fresh = count == 0 || other.section != section || other.paragraph != paragraph;
    count += fresh ? 1 : 0;
    section = other.section;
    paragraph = other.paragraph;
    if (&other == &block || (other.section == block.section && other.paragraph == block.paragraph)) break;
  }
  std::string name;
  for (char const c : page.sections[around].heading) name.append(c == '\'' ? "''" : std::string(1, c));
  return "heading '" + name + "' ¶" + std::to_string(count);
}

}  // namespace kb::protocols
