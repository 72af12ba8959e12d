#include "answer/protocols/manifest.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kb::protocols {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(Json const& object, char const* name) {
  auto const at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<std::string> texts_of(Json const& object, char const* name) {
  std::vector<std::string> out;
  auto const at = object.find(name);
  if (at == object.end() || !at->is_array()) return out;
  for (Json const& item : *at) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

}  // namespace

std::optional<std::vector<ManifestSource>> parse_manifest(std::string_view json) {
  Json const root = Json::parse(json, nullptr, false);
  if (!root.is_object()) return std::nullopt;
  std::vector<ManifestSource> out;
  bool known = false;
  for (char const* map : {"files", "manifests"}) {
    auto const at = root.find(map);
    if (at == root.end() || !at->is_object()) continue;
    known = true;
    for (auto const& [path, entry] : at->items()) {
      if (!entry.is_object()) return std::nullopt;
      out.push_back({path, text_of(entry, "sha256"), texts_of(entry, "contributed_to")});
    }
  }
  auto const list = root.find("sources");
  if (list != root.end() && list->is_array()) {
    known = true;
    for (Json const& entry : *list) {
      if (!entry.is_object()) return std::nullopt;
      out.push_back({text_of(entry, "path"), text_of(entry, "hash"), texts_of(entry, "contributes_to")});
    }
  }
  if (!known) return std::nullopt;
  return out;
}

std::vector<std::string> stale_documents(std::vector<ManifestSource> const& sources, HashOf const& hash_of) {
  std::vector<std::string> out;
  for (ManifestSource const& source : sources) {
    std::optional<std::string> const now = hash_of(source.path);
    if (now && *now == source.sha256) continue;
    for (std::string const& document : source.contributed_to) {
      if (std::find(out.begin(), out.end(), document) == out.end()) out.push_back(document);
    }
  }
  return out;
}

}  // namespace kb::protocols
