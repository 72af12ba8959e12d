#include "config/json_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kb::config {
namespace {

constexpr std::array<std::string_view, 8> kSecretWords{"token",      "secret",     "password", "passwd",
                                                       "passphrase", "credential", "api_key",  "apikey"};

bool names_secret(std::string_view key) {
  if (key.ends_with("_file")) return false;
  std::string folded(key);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
  });
  auto const within = [&folded](std::string_view word) { return folded.find(word) != folded.npos; };
  return std::any_of(kSecretWords.begin(), kSecretWords.end(), within);
}

}  // namespace

FaultSink::FaultSink(std::string file, std::vector<Fault>& errors, std::vector<Fault>& warnings)
    : file_(std::move(file)), errors_(errors), warnings_(warnings) {}

void FaultSink::error(Place place, std::string message, std::string hint) {
  errors_.push_back({file_, place.line, place.column, std::move(message), std::move(hint)});
}

void FaultSink::warning(Place place, std::string message, std::string hint) {
  warnings_.push_back({file_, place.line, place.column, std::move(message), std::move(hint)});
}

Fields::Fields(Json const& object, std::string name, FaultSink& sink)
    : object_(object), name_(std::move(name)), sink_(sink) {
  if (object.type == Json::Type::object) return;
  std::string const subject = name_.empty() ? "the file" : name_;
  sink_.error(object.place, subject + " must be an object, not " + std::string(describe(object.type)));
}

Json const* Fields::get(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  Json const* const value = object_.find(key);
  return value == nullptr || value->type == Json::Type::null ? nullptr : value;
}

Json const* Fields::typed(std::string_view key, Json::Type type) {
  Json const* const value = get(key);
  if (value == nullptr || value->type == type) return value;
  sink_.error(value->place,
              path(key) + " must be " + std::string(describe(type)) + ", not " + std::string(describe(value->type)));
  return nullptr;
}

std::string Fields::text(std::string_view key, std::string fallback) {
  Json const* const value = typed(key, Json::Type::text);
  return value == nullptr ? fallback : value->text;
}

bool Fields::flag(std::string_view key, bool fallback) {
  Json const* const value = typed(key, Json::Type::boolean);
  return value == nullptr ? fallback : value->boolean;
}

std::int64_t Fields::number(std::string_view key, std::int64_t fallback, std::int64_t low, std::int64_t high) {
  Json const* const value = typed(key, Json::Type::integer);
  if (value == nullptr) return fallback;
  if (value->integer >= low && value->integer <= high) return value->integer;
  sink_.error(value->place, path(key) + " is " + std::to_string(value->integer) + ", outside " + std::to_string(low) +
                                " to " + std::to_string(high));
  return fallback;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> result;
  Json const* const value = list(key);
  if (value == nullptr) return result;
  for (auto const& item : value->items) {
    if (item.type != Json::Type::text) {
      sink_.error(item.place, path(key) + " must hold text only, not " + std::string(describe(item.type)));
    } else if (item.text.empty()) {
      sink_.error(item.place, path(key) + " holds an empty text", "remove it");
    } else {
      result.push_back(item.text);
    }
  }
  return result;
}

std::string Fields::word(std::string_view key, std::span<std::string_view const> words, std::string_view fallback) {
  Json const* const value = typed(key, Json::Type::text);
  if (value == nullptr) return std::string(fallback);
  if (std::find(words.begin(), words.end(), value->text) != words.end()) return value->text;
  std::string hint = did_you_mean(value->text, words);
  if (hint.empty()) hint = "write " + listed(words);
  sink_.error(value->place, "unknown " + path(key) + " \"" + value->text + "\"", std::move(hint));
  return std::string(fallback);
}

Json const* Fields::object(std::string_view key) { return typed(key, Json::Type::object); }
Json const* Fields::list(std::string_view key) { return typed(key, Json::Type::array); }

Place Fields::place() const noexcept { return object_.place; }
std::string const& Fields::name() const noexcept { return name_; }

Place Fields::place(std::string_view key) const noexcept {
  Json const* const value = object_.find(key);
  return value == nullptr ? object_.place : value->place;
}

std::string Fields::path(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

void Fields::reject_unknown() {
  for (auto const& member : object_.members) {
    if (std::find(asked_.begin(), asked_.end(), member.key) != asked_.end()) continue;
    if (names_secret(member.key)) {
      sink_.error(member.place, "key \"" + member.key + "\" would hold a secret in this file",
                  "put the secret into a file of its own and name that in a \"…_file\" key");
      continue;
    }
    std::string const where = name_.empty() ? "" : " in " + name_;
    std::string hint = did_you_mean(member.key, asked_);
    if (hint.empty()) hint = "remove it; known here: " + listed(asked_);
    sink_.error(member.place, "unknown key \"" + member.key + "\"" + where, std::move(hint));
  }
}

std::string listed(std::span<std::string_view const> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "\"" + std::string(words[i]) + "\"";
  }
  return text;
}

}  // namespace kb::config
