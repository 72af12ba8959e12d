#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer/characters.hpp"
#include "answer/validate.hpp"

namespace kb::answer {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(Json const& object, char const* key) {
  auto const found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A list entry is a string, or an object that names a page by title, path and link: each of them is allowed then.
void add_entry(Json const& entry, std::vector<std::string>& out) {
  if (entry.is_string()) {
    out.push_back(entry.get<std::string>());
  } else if (entry.is_object()) {
    for (char const* const key : {"title", "path", "url", "link", "page_url", "file"}) {
      if (std::string value = text_of(entry, key); !value.empty()) out.push_back(std::move(value));
    }
  }
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto const end = text.find_first_of(separators);
    if (std::string_view const part = trim(text.substr(0, end)); !part.empty()) out.emplace_back(part);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace

std::string to_json(Validation const& validation) {
  Json errors = Json::array();
  for (ValidationError const& error : validation.errors) {
    Json entry{{"code", error.code}, {"message", error.message}};
    if (!error.sentence.empty()) entry["sentence"] = error.sentence;
    if (!error.source.empty()) entry["source"] = error.source;
    errors.push_back(std::move(entry));
  }
  Json out{{"success", validation.valid},
           {"valid", validation.valid},
           {"no_answer", validation.no_answer},
           {"errors", std::move(errors)}};
  if (!validation.unmatched_sources.empty()) {
    out["unmatched_sources"] = validation.unmatched_sources;
    out["allowed_sources"] = validation.allowed_sources;
  }
  out["checked_allowed_sources"] = validation.checked_allowed_sources;
  out["checked_sentences"] = validation.checked_sentences;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> parse_allowed_sources(std::string_view text) {
  std::string_view const trimmed = trim(text);
  if (trimmed.starts_with('[') || trimmed.starts_with('{')) {
    Json const json = Json::parse(trimmed, nullptr, false);
    std::vector<std::string> out;
    Json const* list = json.is_array() ? &json : nullptr;
    if (json.is_object() && json.contains("sources") && json["sources"].is_array()) list = &json["sources"];
    if (list != nullptr) {
      for (Json const& entry : *list) add_entry(entry, out);
      return out;
    }
    if (json.is_object()) return out;
  }
  // A title may hold a comma: whole lines count beside their parts, never a part of a part.
  std::vector<std::string> out = split(text, "\n");
  for (std::string& part : split(text, "\n,;|")) {
    if (std::find(out.begin(), out.end(), part) == out.end()) out.push_back(std::move(part));
  }
  return out;
}

std::optional<std::vector<ReadPage>> parse_read_pages(std::string_view json, std::string& why) {
  Json parsed;
  try {
    parsed = Json::parse(json);
  } catch (Json::exception const& fault) {
    why = fault.what();
    return std::nullopt;
  }
  if (parsed.is_object() && parsed.contains("pages")) parsed = Json(parsed["pages"]);
  if (!parsed.is_array()) {
    why = "a JSON array of pages is needed";
    return std::nullopt;
  }
  std::vector<ReadPage> out;
  for (Json const& entry : parsed) {
    if (!entry.is_object() || text_of(entry, "text").empty()) {
      why = "page " + std::to_string(out.size() + 1) + ": an object with `title`, `url` and `text` is needed";
      return std::nullopt;
    }
    out.push_back({text_of(entry, "title"), text_of(entry, "url"), text_of(entry, "label"), text_of(entry, "text"),
                   text_of(entry, "path")});
  }
  return out;
}

}  // namespace kb::answer
