#include "tests/feishu_sim/json.hpp"

#include <utility>

namespace kb::feishu_sim {
namespace {

Json const* member(Json const& json, std::string_view key) {
  if (!json.is_object()) return nullptr;
  auto const at = json.find(std::string(key));
  return at == json.end() ? nullptr : &*at;
}

/// The first name of a path, and the rest.
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  auto const dot = path.find('.');
  if (dot == path.npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

}  // namespace

Json at_path(Json const& json, std::string_view path) {
  Json const* here = &json;
  while (here != nullptr && !path.empty()) {
    auto const [name, rest] = split(path);
    here = member(*here, name);
    path = rest;
  }
  return here == nullptr ? Json() : *here;
}

void set_path(Json& json, std::string_view path, Json value) {
  auto const [name, rest] = split(path);
  if (!json.is_object()) json = Json::object();
  if (!rest.empty()) return set_path(json[std::string(name)], rest, std::move(value));
  if (value.is_null()) {
    json.erase(std::string(name));
  } else {
    json[std::string(name)] = std::move(value);
  }
}

std::string text_or(Json const& json, std::string_view key, std::string_view otherwise) {
  Json const* found = member(json, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string(otherwise);
}

std::int64_t number_or(Json const& json, std::string_view key, std::int64_t otherwise) {
  Json const* found = member(json, key);
  return found != nullptr && found->is_number() ? found->get<std::int64_t>() : otherwise;
}

bool flag_or(Json const& json, std::string_view key, bool otherwise) {
  Json const* found = member(json, key);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
}

Json part(Json const& json, std::string_view key) {
  Json const* found = member(json, key);
  return found != nullptr && found->is_structured() ? *found : Json::object();
}

}  // namespace kb::feishu_sim
