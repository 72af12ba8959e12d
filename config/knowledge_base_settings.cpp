#include "config/knowledge_base_settings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kb::config {
namespace {

constexpr std::array<std::string_view, 7> kRoles{
    "canonical_reference", "runbook", "voice_style", "meeting_notes", "social_artifact", "generated_summary", "other"};
constexpr std::array<std::string_view, 2> kPolicies{"strict", "permissive"};
constexpr std::size_t kMaxId = 64;

bool is_id(std::string_view text) noexcept {
  auto const plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kMaxId && std::all_of(text.begin(), text.end(), plain);
}

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(" \t\r\n") == text.npos; }

template <class Name>
std::vector<Name> names(Fields& fields, std::string_view key) {
  std::vector<Name> out;
  for (std::string& text : fields.texts(key)) {
    if (!text.empty()) out.emplace_back(std::move(text));
  }
  return out;
}

}  // namespace

std::string_view to_string(SourceRole role) noexcept { return kRoles[static_cast<std::size_t>(role)]; }

std::string knowledge_base_id(RepoId const& repo) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a: a name, no secret
  for (char const c : repo.str()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::string id = "kb_";
  for (int shift = 60; shift >= 0; shift -= 4) id += "0123456789abcdef"[(hash >> shift) & 15];
  return id;
}

KnowledgeBase read_knowledge_base(Json const* json, std::string name, RepoId const& repo, FaultSink& sink) {
  KnowledgeBase out;
  out.id = knowledge_base_id(repo);
  out.name = repo.str();
  if (json == nullptr) return out;
  Fields fields(*json, std::move(name), sink);
  out.id = fields.text("id", out.id);
  if (!is_id(out.id)) {
    sink.error(fields.place("id"), fields.path("id") + " \"" + out.id + "\" is no id",
               "use at most 64 letters, digits, - and _");
  }
  out.name = fields.text("name", out.name);
  if (is_blank(out.name)) sink.error(fields.place("name"), fields.path("name") + " is empty", "name it");
  out.description = fields.text("description");
  out.agents = fields.texts("agent_ids");
  out.scope = fields.text("scope");
  if (out.scope.ends_with(':')) {
    sink.error(fields.place("scope"), fields.path("scope") + " \"" + out.scope + "\" ends in a colon",
               "nobody's channel is that; write it whole, such as \"coach:main\"");
  }
  out.permissive = fields.word("peer_scope_policy", kPolicies, kPolicies[0]) == kPolicies[1];
  std::string const role = fields.word("source_role", kRoles, to_string(out.role));
  out.role = static_cast<SourceRole>(std::find(kRoles.begin(), kRoles.end(), role) - kRoles.begin());
  out.active = fields.flag("active", true);
  out.users = names<UserId>(fields, "users");
  out.teams = names<TeamId>(fields, "teams");
  fields.reject_unknown();
  return out;
}

KnowledgeBaseRules read_knowledge_base_rules(Json const& json, FaultSink& sink) {
  Fields fields(json, "knowledge_bases", sink);
  KnowledgeBaseRules out;
  if (fields.get("peer_channels") != nullptr) out.peer_channels = fields.texts("peer_channels");
  out.clamp_limit = fields.flag("clamp_limit", false);
  fields.reject_unknown();
  return out;
}

}  // namespace kb::config
