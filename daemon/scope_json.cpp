// The scope object of INTERFACES §3: apart from ask.cpp, so that only this unit pays for the JSON header.
#include "daemon/ask.hpp"
#include "daemon/json_out.hpp"

namespace kb::daemon {

Json binding_json(config::Binding const& binding) {
  return {{"chat_id", binding.chat.str()},      {"chat_name", binding.chat_name},    {"team_id", binding.team.str()},
          {"team_name", binding.team_name},     {"team_kb_owner", binding.kb.owner}, {"team_kb_repo", binding.kb.repo},
          {"bound_by", binding.bound_by.str()}, {"bound_at", binding.bound_at},      {"enabled", binding.enabled}};
}

namespace {

Json repo_json(RepoId const& id) { return {{"owner", id.owner}, {"repo", id.repo}}; }

Json user_json(std::optional<config::User> const& user) {
  if (!user) return nullptr;
  Json teams = Json::array();
  for (TeamId const& team : user->teams) teams.push_back(team.str());
  return {{"open_id", user->id.str()},
          {"name", user->name},
          {"role", user->role},
          {"research_direction", user->research_direction},
          {"team_id", user->teams.empty() ? "" : user->teams.front().str()},
          {"team_ids", std::move(teams)}};
}

Json team_json(std::optional<config::Team> const& team) {
  if (!team) return nullptr;
  return {{"team_id", team->id.str()},
          {"team_name", team->name},
          {"research_direction", team->research_direction},
          {"team_kb_owner", team->kb.owner},
          {"team_kb_repo", team->kb.repo}};
}

Json binding_or_null(std::optional<config::Binding> const& binding) {
  return binding ? binding_json(*binding) : Json(nullptr);
}

Json refusal_json(scope::ScopeOutcome const& outcome) {
  return {{"success", false}, {"error", std::string(scope::to_string(*outcome.refusal))}, {"message", outcome.message}};
}

}  // namespace

std::string to_json(scope::ScopeOutcome const& outcome) {
  if (!outcome.granted()) return dump(refusal_json(outcome));
  Json out{{"success", true},
           {"chat_type", std::string(scope::to_string(outcome.chat_type))},
           {"chat_id", outcome.chat.str()},
           {"scope", std::string(scope::to_string(outcome.scope))},
           {"user", user_json(outcome.user)},
           {"team", team_json(outcome.team)},
           {"binding", binding_or_null(outcome.binding)},
           {"project_id", outcome.project_id ? Json(*outcome.project_id) : Json(nullptr)},
           {"personal_kb", outcome.personal_kb ? repo_json(*outcome.personal_kb) : Json(nullptr)},
           {"team_kb", outcome.team_kbs.empty() ? Json(nullptr) : repo_json(outcome.team_kbs.front())}};
  Json kbs = Json::array();
  for (RepoId const& id : outcome.team_kbs) kbs.push_back(repo_json(id));
  out["team_kbs"] = std::move(kbs);
  out["reason"] = outcome.reason;
  return dump(out);
}

std::string chat_context_json(UserId const& sender, scope::ScopeOutcome const& outcome) {
  if (outcome.refusal) return dump(refusal_json(outcome));
  return dump({{"success", true},
               {"chat_type", std::string(scope::to_string(outcome.chat_type))},
               {"chat_id", outcome.chat.str()},
               {"sender", sender.str()},
               {"user", user_json(outcome.user)},
               {"binding", binding_or_null(outcome.binding)},
               {"team", team_json(outcome.team)}});
}

}  // namespace kb::daemon
