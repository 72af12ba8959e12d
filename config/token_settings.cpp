#include "config/token_settings.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kb::config {
namespace {

constexpr std::array<std::string_view, 3> kScopes{"personal", "team", "both"};
constexpr std::size_t kHashDigits = 64;
constexpr char kMakeOne[] = "make one with: kbgate token --name NAME";

bool is_sha256(std::string_view text) noexcept {
  auto const hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), hex);
}

/// Names stand in records and logs.
bool is_plain(std::string_view name) noexcept {
  auto const fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

std::vector<RepoId> repos_of(Fields& fields, FaultSink& sink) {
  std::vector<RepoId> out;
  for (std::string const& text : fields.texts("repos")) {
    auto const slash = text.find('/');
    bool const whole =
        slash != text.npos && slash > 0 && slash + 1 < text.size() && text.find('/', slash + 1) == text.npos;
    if (!whole) {
      sink.error(fields.place("repos"), fields.path("repos") + " has \"" + text + "\", which names no repository",
                 "write owner/repo");
      continue;
    }
    RepoId id(text.substr(0, slash), text.substr(slash + 1));
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(std::move(id));
  }
  return out;
}

}  // namespace

TokenSettings read_token(Json const& json, std::string name, FaultSink& sink) {
  Fields fields(json, std::move(name), sink);
  TokenSettings token;
  if (json.type != Json::Type::object) return token;
  token.name = fields.text("name");
  token.sha256 = fields.text("sha256");
  token.sender = UserId(fields.text("sender_id"));
  token.chat = ChatId(fields.text("chat_id"));
  bool const bounded = fields.get("scope") != nullptr;
  if (bounded) token.scope = fields.word("scope", kScopes, "both");
  token.repos = repos_of(fields, sink);
  token.agent = fields.text("agent_id");
  token.channel = fields.text("channel");
  token.requests_per_minute =
      static_cast<unsigned>(fields.number("requests_per_minute", token.requests_per_minute, 1, 100'000));
  fields.reject_unknown();

  if (!is_plain(token.name)) {
    sink.error(fields.place("name"), fields.path("name") + " is missing or no plain name",
               "letters, digits, - _ and . name the caller in records");
  }
  if (!is_sha256(token.sha256)) {
    sink.error(fields.place("sha256"), fields.path("sha256") + " is no SHA-256 of a token (64 lower-case hex digits)",
               kMakeOne);
  }
  if (token.sender.empty() && token.repos.empty()) {
    sink.error(fields.place(), fields.name() + " may read nothing", "name \"sender_id\", \"repos\" or both");
  }
  if (token.sender.empty() && (!token.chat.empty() || bounded)) {
    sink.error(fields.place(), fields.name() + " has \"chat_id\" or \"scope\", but nobody who asks",
               "add \"sender_id\", or remove them");
  }
  if (!token.chat.empty() && bounded) {
    sink.error(fields.place("scope"), fields.path("scope") + " does not go with \"chat_id\"",
               "a group reads its team's knowledge base and nothing else: remove \"scope\"");
  }
  return token;
}

}  // namespace kb::config
