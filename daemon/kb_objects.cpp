#include "daemon/kb_objects.hpp"

#include <algorithm>

namespace kb::daemon {
namespace {

Json entries_json(std::vector<kbrepo::CatalogEntry> const& entries) {
  Json out = Json::array();
  for (kbrepo::CatalogEntry const& entry : entries) {
    Json parsed = Json::parse(entry.json, nullptr, false);
    out.push_back(parsed.is_discarded() ? Json{{"title", entry.title}, {"file", entry.file}} : std::move(parsed));
  }
  return out;
}

char const* list_of(kbrepo::PageRole role) {
  switch (role) {
    case kbrepo::PageRole::project:
      return "projects";
    case kbrepo::PageRole::person:
      return "people";
    case kbrepo::PageRole::concept_page:
      return "concepts";
    case kbrepo::PageRole::resource:
      return "resources";
    case kbrepo::PageRole::material:
      return "documents";
    case kbrepo::PageRole::other:
      return "documents";
  }
  return "documents";
}

constexpr char const* kKinds[] = {"documents", "concepts", "resources", "people", "projects", "reviews", "imports"};

/// The catalogue's arrays, or, without a catalogue that parses, a listing of the tree (N-21).
Json catalogue_json(kbrepo::Snapshot const& snapshot, scope::ReadGrant const& grant) {
  kbrepo::Catalog const& catalog = snapshot.catalog(grant);
  Json out;
  for (char const* kind : kKinds) out[kind] = Json::array();
  if (catalog.present) {
    out["documents"] = entries_json(catalog.documents);
    out["concepts"] = entries_json(catalog.concepts);
    out["resources"] = entries_json(catalog.resources);
    out["people"] = entries_json(catalog.people);
    out["projects"] = entries_json(catalog.projects);
    out["reviews"] = entries_json(catalog.reviews);
    out["imports"] = entries_json(catalog.imports);
    return out;
  }
  for (kbrepo::PageInfo const& page : snapshot.pages(grant)) {
    if (page.kind != kbrepo::PageKind::evidence) continue;
    std::string_view const path = page.path;
    char const* list = path.starts_with("reviews/")   ? "reviews"
                       : path.starts_with("imports/") ? "imports"
                                                      : list_of(page.role);
    out[list].push_back({{"title", page.title}, {"file", page.path}});
  }
  return out;
}

/// The link template up to the path: `<host>/<owner>/<repo>/…/`.
std::string base_url(kbrepo::Snapshot const& snapshot) {
  std::string const marker = "PATH";
  std::string url = snapshot.url(marker, 0, 0);
  auto const at = url.rfind(marker);
  return at == url.npos ? url : url.substr(0, at);
}

}  // namespace

bool is_list_kind(std::string_view kind) noexcept {
  return kind == "all" ||
         std::any_of(std::begin(kKinds), std::end(kKinds), [kind](char const* k) { return kind == k; });
}

Json list_json(kbrepo::Snapshot const& snapshot, scope::ReadGrant const& grant, std::string_view kind) {
  Json out{{"success", true},
           {"owner", snapshot.repo().owner},
           {"repo", snapshot.repo().repo},
           {"commit", snapshot.commit().hex()},
           {"repo_url", snapshot.settings().remote},
           {"base_url", base_url(snapshot)}};
  Json lists = catalogue_json(snapshot, grant);
  for (char const* k : kKinds) out[k] = kind == "all" || kind == k ? std::move(lists[k]) : Json::array();
  return out;
}

Json page_json(kbrepo::Snapshot const& snapshot, kbrepo::Page const& page) {
  return {{"success", true},
          {"owner", snapshot.repo().owner},
          {"repo", snapshot.repo().repo},
          {"commit", snapshot.commit().hex()},
          {"path", page.path},
          {"title", page.title},
          {"content", page.text},
          {"page_url", snapshot.url(page.path, 0, 0)},
          {"encoding", kbrepo::to_string(page.encoding)},
          {"stale", page.front.stale}};
}

}  // namespace kb::daemon
