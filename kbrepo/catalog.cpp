#include "kbrepo/catalog.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace kb::kbrepo {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxEntries = 100'000;  ///< in one array
constexpr int kMaxDepth = 64;

std::string text_at(Json const& entry, char const* key) {
  auto const at = entry.find(key);
  return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// A list of words, or one text with commas: both are seen in real catalogues.
std::vector<std::string> words_at(Json const& entry, char const* key) {
  std::vector<std::string> out;
  auto const at = entry.find(key);
  if (at == entry.end()) return out;
  if (at->is_string()) out.push_back(at->get<std::string>());
  if (!at->is_array()) return out;
  for (Json const& word : *at) {
    if (word.is_string()) out.push_back(word.get<std::string>());
  }
  return out;
}

std::string stem(std::string_view file) {
  std::string_view const name = file.substr(file.rfind('/') + 1);
  return std::string(name.substr(0, name.rfind('.')));
}

CatalogEntry entry_of(Json const& json) {
  CatalogEntry entry;
  entry.file = text_at(json, "file");
  if (entry.file.empty()) entry.file = text_at(json, "folder");  // projects name their folder
  entry.title = text_at(json, "title");
  if (entry.title.empty()) entry.title = text_at(json, "name");
  if (entry.title.empty()) entry.title = stem(entry.file);
  entry.brief = text_at(json, "brief");
  entry.id = text_at(json, "project_id");
  entry.keywords = words_at(json, "keywords");
  entry.people = words_at(json, "people");
  entry.json = json.dump();
  return entry;
}

}  // namespace

Catalog parse_catalog(std::string_view text) {
  Catalog catalog;
  std::array const arrays{std::pair("documents", &catalog.documents), std::pair("concepts", &catalog.concepts),
                          std::pair("resources", &catalog.resources), std::pair("people", &catalog.people),
                          std::pair("projects", &catalog.projects),   std::pair("reviews", &catalog.reviews),
                          std::pair("imports", &catalog.imports)};
  try {
    // Deep nesting is refused while parsing: writing an entry out again recurses.
    auto const shallow = [](int depth, Json::parse_event_t, Json&) {
      if (depth > kMaxDepth) throw std::length_error("nested too deeply");
      return true;
    };
    Json const json = Json::parse(text, shallow);
    if (!json.is_object()) {
      catalog.fault = "catalog.json is no object";
      return catalog;
    }
    for (auto const& [key, entries] : arrays) {
      auto const list = json.find(key);
      if (list == json.end() || !list->is_array()) continue;
      for (Json const& entry : *list) {
        if (entry.is_object() && entries->size() < kMaxEntries) entries->push_back(entry_of(entry));
      }
    }
    catalog.present = true;
  } catch (std::exception const& e) {
    catalog = {};
    catalog.fault = std::string("catalog.json does not parse: ") + e.what();  // N-21
  }
  return catalog;
}

}  // namespace kb::kbrepo
