/// Two teams, their groups, and one user for each way to stand towards them.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "scope/resolve.hpp"

namespace kb::scope {
inline std::ostream& operator<<(std::ostream& out, GrantedRepo const& repo) {
  return out << (repo.label == Label::personal ? "personal " : "team ") << repo.id;
}
inline std::ostream& operator<<(std::ostream& out, std::vector<GrantedRepo> const& repos) {
  for (auto const& repo : repos) out << '[' << repo << ']';
  return out;
}
inline std::ostream& operator<<(std::ostream& out, Scope scope) { return out << to_string(scope); }
inline std::ostream& operator<<(std::ostream& out, ChatType type) { return out << to_string(type); }
}  // namespace kb::scope

namespace kb::test {

using GrantedRepos = std::vector<scope::GrantedRepo>;

inline GrantedRepos repos_of(scope::ScopeOutcome const& out) {
  if (!out.grant) return {};
  return {out.grant->repos().begin(), out.grant->repos().end()};
}

inline scope::ScopeRequest ask(std::string sender, scope::ChatType type, std::string chat, std::string question) {
  scope::ScopeRequest request;
  request.sender = UserId(std::move(sender));
  request.chat_type = type;
  request.chat = ChatId(std::move(chat));
  request.question = std::move(question);
  return request;
}

inline config::Directory sample_directory() {
  config::Directory directory;
  auto const user = [&](std::string id, std::string owner, std::string repo, std::vector<std::string> teams) {
    config::User made;
    made.id = UserId(id);
    if (!owner.empty()) made.personal_kb = RepoId(std::move(owner), std::move(repo));
    for (auto& team : teams) made.teams.emplace_back(std::move(team));
    directory.users.emplace(made.id, made);
  };
  user("ou_ann", "ann", "ann-personal-kb", {"team_nlp"});
  user("ou_bob", "bob", "bob-personal-kb", {"team_nlp", "team_vision"});
  user("ou_cat", "cat", "kb", {"team_nlp"});                // names the team, is not in it
  user("ou_dan", "dan", "kb", {});                          // no team
  user("ou_eve", "", "", {"team_nlp"});                     // admin without a personal knowledge base
  user("ou_fay", "fay", "kb", {});                          // in members[], names no team
  user("ou_hal", "hal", "kb", {"team_gone", "team_bare"});  // both of no use
  user("ou_ida", "", "", {});                               // nothing at all

  auto const team = [&](std::string id, std::string name, RepoId kb,
                        std::vector<std::string> members) -> config::Team& {
    config::Team made;
    made.id = TeamId(id);
    made.name = std::move(name);
    made.kb = std::move(kb);
    for (auto& member : members) made.members.emplace_back(std::move(member));
    return directory.teams.emplace(made.id, made).first->second;
  };
  auto& nlp = team("team_nlp", "NLP团队", RepoId("nlp", "nlp-team-kb"), {"ou_ann", "ou_bob", "ou_fay", "ou_ghost"});
  nlp.admins = {UserId("ou_eve")};
  nlp.projects = {{"general", "通用", ""},
                  {"atlas", "阿特拉斯", ""},
                  {"atlas-2", "阿特拉斯二期", ""},
                  {"kg", "知识图谱", ""},
                  {"x", "X", ""}};
  auto& vision = team("team_vision", "视觉团队", RepoId("vision", "vision-team-kb"), {"ou_bob"});
  vision.projects = {{"general", "通用", ""}, {"horus", "Horus", ""}, {"atlas", "阿特拉斯", ""}};
  team("team_med", "医疗团队", RepoId("med", "med-team-kb"), {"ou_zoe"}).projects = {{"mri", "MRI", ""}};
  team("team_bare", "空团队", RepoId(), {"ou_ann", "ou_hal"});

  auto const bind = [&](std::string chat, std::string team_id, bool enabled) {
    config::Binding binding;
    binding.chat = ChatId(chat);
    binding.team = TeamId(std::move(team_id));
    binding.enabled = enabled;
    directory.bindings.emplace(binding.chat, binding);
  };
  bind("oc_nlp", "team_nlp", true);
  bind("oc_vision", "team_vision", true);
  bind("oc_off", "team_nlp", false);
  bind("oc_gone", "team_gone", true);
  bind("oc_bare", "team_bare", true);
  return directory;
}

}  // namespace kb::test
