#include "answer/guides.hpp"

#include <algorithm>

#include "answer/characters.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMinNameBytes = 4;  // shorter names stand in every question
constexpr std::string_view kIndexPage = "index.md";

std::string_view stem_of(std::string_view path) noexcept {
  std::string_view const name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

Guide::Guide(Question const& question, kbrepo::Snapshot const& book, scope::ReadGrant const& grant)
    : question_(lower_ascii(question.text)) {
  kbrepo::Catalog const& catalog = book.catalog(grant);
  if (catalog.present) {
    path_ = "catalog.json";
    read_catalog(catalog);
    return;
  }
  kbrepo::PageInfo const* const index = book.find(grant, kIndexPage);
  if (index == nullptr || index->kind != kbrepo::PageKind::navigation) return;
  auto const page = book.read(grant, kIndexPage);
  if (!page) return;
  path_ = kIndexPage;
  read_index(**page);
}

bool Guide::is_asked(std::string_view name) const {
  return name.size() >= kMinNameBytes && question_.find(lower_ascii(name)) != std::string::npos;
}

void Guide::read_catalog(kbrepo::Catalog const& catalog) {
  for (auto const* list :
       {&catalog.documents, &catalog.concepts, &catalog.resources, &catalog.people, &catalog.projects}) {
    for (kbrepo::CatalogEntry const& entry : *list) {
      bool const asked =
          is_asked(entry.title) || std::any_of(entry.keywords.begin(), entry.keywords.end(),
                                               [this](std::string const& word) { return is_asked(word); });
      if (asked) targets_.insert(entry.file);
    }
  }
}

void Guide::read_index(kbrepo::Page const& page) {
  for (std::string const& link : page.links) {
    if (is_asked(stem_of(link))) targets_.insert(std::string(stem_of(link)));
  }
}

bool Guide::points_at(std::string_view path) const {
  return !targets_.empty() && (targets_.contains(std::string(path)) || targets_.contains(std::string(stem_of(path))));
}

}  // namespace kb::answer
