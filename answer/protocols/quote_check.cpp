#include "answer/protocols/quote_check.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "answer/quotes.hpp"
#include "kbrepo/index/terms.hpp"
#include "kbrepo/lines.hpp"

namespace kb::protocols {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxPlaces = 20;
constexpr std::size_t kMaxLine = 400;

std::string print(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

kbrepo::Block const* block_at(kbrepo::Page const& page, std::size_t offset) {
  for (kbrepo::Block const& block : page.blocks) {
    if (offset >= block.begin && offset < block.end) return &block;
  }
  return nullptr;
}

std::uint32_t line_at(std::string_view text, std::size_t offset) {
  std::uint32_t line = 1;
  kbrepo::LineReader reader(text);
  while (auto const one = reader.next()) {
    if (offset < reader.position() || offset <= one->end) return line;
    ++line;
  }
  return line;
}

std::optional<QuotePlace> place_of(Book const& book, kbrepo::Page const& page, std::string_view quote,
                                   std::string const& normal) {
  QuotePlace out;
  out.repo = book.snapshot->repo();
  out.path = page.path;
  std::size_t const at = page.text.find(quote);
  if (at != page.text.npos) {
    out.verbatim = true;
    out.line = line_at(page.text, at);
    kbrepo::Block const* const block = block_at(page, at);
    out.location =
        block != nullptr ? locator(page, *block) : "lines " + std::to_string(out.line) + "-" + std::to_string(out.line);
    return out;
  }
  for (kbrepo::Block const& block : page.blocks) {
    if (!answer::occurs(answer::normalise(page.bytes(block)), normal)) continue;
    out.line = block.line_begin;
    out.location = locator(page, block);
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(QuoteStatus status) noexcept {
  switch (status) {
    case QuoteStatus::verbatim:
      return "verbatim";
    case QuoteStatus::normalised:
      return "normalised";
    case QuoteStatus::elsewhere:
      return "elsewhere";
    case QuoteStatus::absent:
      return "absent";
  }
  return "absent";
}

QuoteCheck check_quote(std::span<Book const> books, std::string_view quote, std::string_view path) {
  QuoteCheck out;
  std::string const normal = answer::normalise(quote).text;
  if (normal.empty()) return out;
  bool verbatim = false;
  bool here = false;
  for (Book const& book : books) {
    for (kbrepo::PageInfo const& info : book.snapshot->pages(book.grant)) {
      bool const citable = info.kind == kbrepo::PageKind::evidence || info.kind == kbrepo::PageKind::navigation;
      if (!citable || out.places.size() >= kMaxPlaces) continue;
      auto const page = book.snapshot->read(book.grant, info.path);
      if (!page) continue;
      std::optional<QuotePlace> place = place_of(book, **page, quote, normal);
      if (!place) continue;
      bool const asked = path.empty() || path == info.path;
      here = here || asked;
      verbatim = verbatim || (asked && place->verbatim);
      out.places.push_back(std::move(*place));
    }
  }
  if (verbatim) {
    out.status = QuoteStatus::verbatim;
  } else if (here) {
    out.status = QuoteStatus::normalised;
  } else if (!out.places.empty()) {
    out.status = QuoteStatus::elsewhere;
  }
  return out;
}

Compared compare(HitList const& list) {
  Compared out;
  std::set<std::pair<RepoId, std::string>> seen;
  for (Hit const& hit : list.hits) {
    if (seen.emplace(hit.repo, hit.path).second) out.hits.push_back(hit);
  }
  std::vector<std::vector<std::string>> numbers;
  for (Hit const& hit : out.hits) numbers.push_back(answer::numbers_of(hit.snippet));
  for (std::size_t i = 0; i < out.hits.size(); ++i) {
    std::string own;
    for (std::string const& number : numbers[i]) {
      bool shared = true;
      for (std::size_t j = 0; j < out.hits.size(); ++j) {
        shared = shared && std::find(numbers[j].begin(), numbers[j].end(), number) != numbers[j].end();
      }
      if (!shared) own.append(own.empty() ? "" : ", ").append(number);
    }
    if (!own.empty()) out.differences.push_back(out.hits[i].path + " alone has: " + own);
  }
  return out;
}

std::vector<Line> grep_pages(std::span<Book const> books, std::string_view alternatives, std::size_t limit) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= alternatives.size();) {
    std::size_t const to = std::min(alternatives.find('|', from), alternatives.size());
    std::string_view word = alternatives.substr(from, to - from);
    if (word.ends_with('\\')) word.remove_suffix(1);
    if (!word.empty()) words.push_back(kbrepo::index::fold(word));
    from = to + 1;
  }
  std::vector<Line> out;
  for (Book const& book : books) {
    for (kbrepo::PageInfo const& info : book.snapshot->pages(book.grant)) {
      bool const searched = info.kind == kbrepo::PageKind::evidence || info.kind == kbrepo::PageKind::navigation;
      auto const page = searched ? book.snapshot->read(book.grant, info.path)
                                 : Result<std::shared_ptr<kbrepo::Page const>>(Error(Errc::not_found, ""));
      if (!page) continue;
      kbrepo::LineReader reader((*page)->text);
      std::uint32_t number = 0;
      while (auto const line = reader.next()) {
        ++number;
        std::string_view const text = line->of((*page)->text);
        std::string const folded = kbrepo::index::fold(text);
        bool const hit =
            std::any_of(words.begin(), words.end(), [&](auto const& w) { return folded.find(w) != folded.npos; });
        if (!hit) continue;
        if (out.size() >= limit) return out;
        out.push_back({book.snapshot->repo(), info.path, number, std::string(text.substr(0, kMaxLine))});
      }
    }
  }
  return out;
}

std::string to_json(QuoteCheck const& check) {
  Json places = Json::array();
  for (QuotePlace const& place : check.places) {
    places.push_back({{"owner", place.repo.owner},
                      {"repo", place.repo.repo},
                      {"path", place.path},
                      {"location", place.location},
                      {"line", place.line},
                      {"verbatim", place.verbatim}});
  }
  return print({{"success", true}, {"status", to_string(check.status)}, {"places", std::move(places)}});
}

std::string to_json(Compared const& compared) {
  Json rows = Json::array();
  for (Hit const& hit : compared.hits) {
    rows.push_back({{"file_path", hit.repo.str() + "/" + hit.path},
                    {"location", hit.location},
                    {"snippet", hit.snippet},
                    {"date", hit.date}});
  }
  return print({{"success", true}, {"pages", std::move(rows)}, {"differences", compared.differences}});
}

std::string to_json(std::vector<Line> const& lines) {
  Json rows = Json::array();
  for (Line const& line : lines) {
    rows.push_back({{"owner", line.repo.owner},
                    {"repo", line.repo.repo},
                    {"path", line.path},
                    {"line", line.number},
                    {"text", line.text}});
  }
  return print({{"success", true}, {"lines", std::move(rows)}});
}

}  // namespace kb::protocols
