#include "scope/resolve.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "scope/fold.hpp"
#include "scope/words.hpp"

namespace kb::scope {
namespace {

/// ACCEPTANCE 1.2, byte for byte.
std::string_view text_of(Refusal refusal, ChatType type) noexcept {
  switch (refusal) {
    case Refusal::missing_sender_id:
      return "缺少 SenderId，不能识别用户。";
    case Refusal::missing_chat_id:
      return "OpenClaw 没有传入群聊 chat_id，不能确定团队知识库。";
    case Refusal::chat_not_bound:
      return "本群还没有绑定团队。请团队管理员先在群里 @我 绑定本群。";
    case Refusal::bound_team_not_found:
      return "本群绑定的团队在 system-config 中不存在，请管理员检查绑定。";
    case Refusal::user_not_registered:
      return type == ChatType::group ? "请先私聊我完成个人知识库初始化，再在团队群中使用。"
                                     : "请先完成个人知识库初始化。";
    case Refusal::not_team_member:
      return "你不是本群绑定团队的成员，不能操作该团队知识库。";
    case Refusal::personal_scope_not_allowed_in_group:
      return "群聊中不能查询个人知识库。请私聊我查询个人资料。";
    case Refusal::external_sender:
      return "本群的知识库不对其他组织的成员开放。如需开放，请管理员在本群的绑定中设置 allow_external。";
  }
  return {};
}

void refuse(ScopeOutcome& out, Refusal refusal, std::string_view reason) {
  out.refusal = refusal;
  out.message = text_of(refusal, out.chat_type);
  out.reason = reason;
}

/// Steps 1–4 of resolve(): what the two ids name. Fills in whatever is found, also when it refuses.
void look_up(ScopeOutcome& out, UserId const& sender, config::Directory const& directory) {
  if (auto const* user = directory.user(sender)) out.user = *user;
  if (sender.empty()) return refuse(out, Refusal::missing_sender_id, "no sender");
  if (out.chat_type == ChatType::direct) return;
  if (out.chat.empty()) return refuse(out, Refusal::missing_chat_id, "group without a chat id");
  if (auto const* binding = directory.binding(out.chat)) out.binding = *binding;
  if (!out.binding) return refuse(out, Refusal::chat_not_bound, "group: not bound");
  if (!out.binding->enabled) return refuse(out, Refusal::chat_not_bound, "group: binding disabled");  // N-13
  if (auto const* team = directory.team(out.binding->team)) out.team = *team;
  if (!out.team || out.team->kb.empty()) return refuse(out, Refusal::bound_team_not_found, "group: bound team is gone");
}

/// Steps 5–6: who may speak here.
void check_speaker(ScopeOutcome& out, UserId const& sender) {
  if (!out.user) return refuse(out, Refusal::user_not_registered, "sender is not registered");
  if (out.chat_type == ChatType::group && !out.team->has_member(sender))
    return refuse(out, Refusal::not_team_member, "sender is not a member of the bound team");
}

/// Teams the sender both names and belongs to; a team that is gone or has no knowledge base is skipped (S1-16, S1-63).
std::vector<config::Team const*> teams_of(config::User const& user, config::Directory const& directory) {
  std::vector<config::Team const*> teams;
  for (auto const& id : user.teams) {
    auto const* team = directory.team(id);
    if (team == nullptr || team->kb.empty() || !team->has_member(user.id)) continue;
    if (std::find(teams.begin(), teams.end(), team) == teams.end()) teams.push_back(team);
  }
  return teams;
}

bool near_project_word(std::u32string_view question, std::size_t at, std::size_t length) {
  auto before = question.substr(0, at);
  auto after = question.substr(at + length);
  while (before.ends_with(U' ')) before.remove_suffix(1);
  while (after.starts_with(U' ')) after.remove_prefix(1);
  return before.ends_with(U"项目") || before.ends_with(U"project") || after.starts_with(U"项目") ||
         after.starts_with(U"project");
}

/// A name as it occurs in a question: Latin as whole words, Han anywhere. An everyday word ("general", which every team
/// has as a project; a single letter) counts only next to 项目. Empty when it does not occur.
std::u32string occurring(std::u32string_view question, std::string_view name, bool everyday) {
  auto word = fold(name);
  if (word.empty()) return word;
  for (auto at = question.find(word); at != question.npos; at = question.find(word, at + 1)) {
    if (!stands_alone(question, at, word.size())) continue;
    if ((everyday || word.size() == 1) && !near_project_word(question, at, word.size())) continue;
    return word;
  }
  return {};
}

struct Named {
  config::Team const* team;
  config::Project const* project;  ///< null: the team itself is named
  std::u32string word;
};

/// What the question names among some teams, by id or name (N-18). A name inside a longer one does not count.
std::vector<Named> named_in(std::u32string_view question, std::span<config::Team const* const> teams, bool projects) {
  std::vector<Named> found;
  auto const offer = [&](Named named) {
    if (!named.word.empty()) found.push_back(std::move(named));
  };
  for (auto const* team : teams) {
    if (!projects) {
      offer({team, nullptr, occurring(question, team->id.str(), false)});
      offer({team, nullptr, occurring(question, team->name, false)});
      continue;
    }
    for (auto const& project : team->projects) {
      bool const everyday = project.id == "general";
      offer({team, &project, occurring(question, project.id, everyday)});
      offer({team, &project, occurring(question, project.name, everyday)});
    }
  }
  std::erase_if(found, [all = found](Named const& named) {
    return std::any_of(all.begin(), all.end(), [&](Named const& other) {
      return other.word.size() > named.word.size() && other.word.find(named.word) != other.word.npos;
    });
  });
  return found;
}

/// The team that all of these name, if it is one.
config::Team const* only_team(std::span<Named const> named) {
  if (named.empty()) return nullptr;
  bool const one = std::all_of(named.begin(), named.end(), [&](Named const& n) { return n.team == named[0].team; });
  return one ? named[0].team : nullptr;
}

void note_project(ScopeOutcome& out, std::u32string_view question, std::span<config::Team const* const> granted) {
  auto const named = named_in(question, granted, true);
  auto const longest = std::max_element(named.begin(), named.end(),
                                        [](Named const& a, Named const& b) { return a.word.size() < b.word.size(); });
  if (longest == named.end()) return;
  out.project_id = longest->project->id;
  out.project_name = longest->project->name;
}

using Repos = std::vector<GrantedRepo>;

void add(Repos& repos, RepoId const& id, Label label) {
  bool const known = std::any_of(repos.begin(), repos.end(), [&](GrantedRepo const& repo) { return repo.id == id; });
  if (!known) repos.push_back({id, label});
}

/// Whose repositories are among these.
Ownership kinds_of(std::span<GrantedRepo const> repos) {
  auto const has = [repos](Label label) {
    return std::any_of(repos.begin(), repos.end(), [label](GrantedRepo const& repo) { return repo.label == label; });
  };
  return {has(Label::personal), has(Label::team)};
}

void add_of_kind(Repos& repos, std::span<GrantedRepo const> more, Ownership kinds) {
  for (GrantedRepo const& repo : more) {
    if (repo.label == Label::personal ? kinds.personal : kinds.team) add(repos, repo.id, repo.label);
  }
}

void resolve_group(ScopeOutcome& out, ScopeRequest const& request, Repos& repos) {
  bool const forced = request.forced && *request.forced != Scope::team;  // N-15
  if (forced || ownership_of(request.question).personal)                 // S1-20
    return refuse(out, Refusal::personal_scope_not_allowed_in_group,
                  forced ? "group: personal scope forced" : "group: personal words");
  add(repos, out.team->kb, Label::team);  // S1-17, S1-19
  out.team_kbs = {out.team->kb};
  if (request.credential) add_of_kind(repos, request.credential->repos, {false, true});
  out.reason = "group: the bound team";
  config::Team const* const granted[] = {&*out.team};
  note_project(out, fold(request.question), granted);
}

/// What a private question is after: by force, by its words, else both.
Ownership wanted(ScopeOutcome& out, ScopeRequest const& request) {
  if (request.forced) {
    out.reason = "forced";
    return {*request.forced != Scope::team, *request.forced != Scope::personal};
  }
  auto const words = ownership_of(request.question);
  if (words == Ownership{}) {
    out.reason = "no words of ownership: both";  // S1-24
    return {true, true};
  }
  out.reason = words.personal && words.team ? "words: both" : words.personal ? "words: personal" : "words: team";
  return words;  // S1-22, S1-23, N-16
}

/// Narrows what is wanted to what is there. Only a forced scope is refused for want of its knowledge base.
Ownership available(ScopeOutcome& out, ScopeRequest const& request, Ownership want, Ownership have) {
  Ownership const both{want.personal && have.personal, want.team && have.team};
  if (!have.personal && !have.team) {
    refuse(out, Refusal::user_not_registered, "neither a personal knowledge base nor a team");
    return {};
  }
  if (both == Ownership{} && request.forced) {
    refuse(out, want.team ? Refusal::not_team_member : Refusal::user_not_registered,
           want.team ? "forced team, but no team" : "forced personal, but no personal knowledge base");
    return {};
  }
  if (want.team && !have.team) out.reason += "; no team: everything personal";  // N-17, C-22
  if (want.personal && !have.personal) out.reason += "; no personal knowledge base: team only";
  return both == Ownership{} ? have : both;
}

/// Of several teams only the one that the question names, or else whose project it names.
void narrow(ScopeOutcome& out, std::u32string_view question, std::vector<config::Team const*>& teams) {
  if (teams.size() < 2) return;
  auto const named = named_in(question, teams, false);
  auto const* one = only_team(named);
  if (one != nullptr) out.reason += "; team named";
  if (named.empty()) {
    one = only_team(named_in(question, teams, true));
    if (one != nullptr) out.reason += "; project of one team";
  }
  if (one != nullptr) teams = {one};
}

void resolve_direct(ScopeOutcome& out, ScopeRequest const& request, config::Directory const& directory, Repos& repos) {
  auto teams = teams_of(*out.user, directory);
  auto const most = request.credential ? request.credential->most.value_or(Scope::both) : Scope::both;
  if (most == Scope::personal) teams.clear();
  auto const personal = most != Scope::team && out.user->personal_kb && !out.user->personal_kb->empty();
  auto const besides = request.credential ? kinds_of(request.credential->repos) : Ownership{};
  auto const want = wanted(out, request);
  auto const grant = available(out, request, want, {personal || besides.personal, !teams.empty() || besides.team});
  if (!teams.empty()) out.team = *teams.front();
  if (out.refusal) return;

  out.scope = grant.personal && grant.team ? Scope::both : grant.team ? Scope::team : Scope::personal;
  if (grant.personal && personal) {
    out.personal_kb = out.user->personal_kb;
    add(repos, *out.personal_kb, Label::personal);
  }
  if (request.credential) add_of_kind(repos, request.credential->repos, grant);
  if (!grant.team || teams.empty()) return;
  auto const question = fold(request.question);
  narrow(out, question, teams);
  out.team = *teams.front();
  for (auto const* team : teams) {
    add(repos, team->kb, Label::team);
    if (std::find(out.team_kbs.begin(), out.team_kbs.end(), team->kb) == out.team_kbs.end())
      out.team_kbs.push_back(team->kb);
  }
  note_project(out, question, teams);
}

/// Places in the settings of the repositories whose own list lets the sender in, in this chat; ascending.
std::vector<std::size_t> let_in(ScopeOutcome const& out, UserId const& sender, config::Books const& books) {
  std::vector<std::size_t> places;
  auto const take = [&places](std::span<std::size_t const> more) {
    places.insert(places.end(), more.begin(), more.end());
  };
  if (out.chat_type == ChatType::group) {
    if (out.granted()) take(books.reach.lists(out.team->id));
    return places;
  }
  take(books.reach.lists(sender));
  if (out.user) {
    for (TeamId const& id : out.user->teams) {
      auto const* team = books.directory.team(id);
      if (team != nullptr && team->has_member(sender)) take(books.reach.lists(id));
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// A token that speaks for nobody: no register is looked at, and no words but a forced scope.
void resolve_service(ScopeOutcome& out, ScopeRequest const& request, Repos& repos) {
  Ownership const have = kinds_of(request.credential->repos);
  Scope const forced = request.forced.value_or(Scope::both);
  Ownership const grant{have.personal && forced != Scope::team, have.team && forced != Scope::personal};
  if (grant == Ownership{}) {
    return refuse(out, forced == Scope::team ? Refusal::not_team_member : Refusal::user_not_registered,
                  "token: nothing of that scope");
  }
  out.scope = grant.personal && grant.team ? Scope::both : grant.team ? Scope::team : Scope::personal;
  out.reason = "token";
  add_of_kind(repos, request.credential->repos, grant);
}

ScopeOutcome begin(UserId const& sender, ChatType type, ChatId const& chat, config::Directory const& directory,
                   bool external) {
  ScopeOutcome out;
  out.chat_type = type;
  out.chat = chat;
  if (type == ChatType::group) out.scope = Scope::team;
  look_up(out, sender, directory);
  // In private the register decides: who stands in users.json was let in by name.
  bool const outsider = external && type == ChatType::group && !out.refusal && !out.binding->allow_external;
  if (outsider) refuse(out, Refusal::external_sender, "group: sender of another organisation");
  if (!out.refusal) check_speaker(out, sender);
  return out;
}

}  // namespace

std::string_view to_string(Scope scope) noexcept {
  switch (scope) {
    case Scope::personal:
      return "personal";
    case Scope::team:
      return "team";
    case Scope::both:
      return "both";
  }
  return {};
}

std::optional<Scope> parse_scope(std::string_view text) noexcept {
  for (auto const scope : {Scope::personal, Scope::team, Scope::both})
    if (text == to_string(scope)) return scope;
  return std::nullopt;
}

std::string_view to_string(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::missing_sender_id:
      return "missing_sender_id";
    case Refusal::missing_chat_id:
      return "missing_chat_id";
    case Refusal::chat_not_bound:
      return "chat_not_bound";
    case Refusal::bound_team_not_found:
      return "bound_team_not_found";
    case Refusal::user_not_registered:
      return "user_not_registered";
    case Refusal::not_team_member:
      return "not_team_member";
    case Refusal::personal_scope_not_allowed_in_group:
      return "personal_scope_not_allowed_in_group";
    case Refusal::external_sender:
      return "external_sender";
  }
  return {};
}

ScopeOutcome resolve(ScopeRequest const& request, config::Directory const& directory) {
  if (request.credential && !request.credential->person) {
    ScopeOutcome out;
    Repos repos;
    resolve_service(out, request, repos);
    if (!out.refusal) out.grant = ReadGrant(std::move(repos));
    return out;
  }
  auto out = begin(request.sender, request.chat_type, request.chat, directory, request.external);
  if (out.refusal) return out;
  Repos repos;
  if (request.chat_type == ChatType::group)
    resolve_group(out, request, repos);
  else
    resolve_direct(out, request, directory, repos);
  if (!out.refusal) out.grant = ReadGrant(std::move(repos));
  return out;
}

ScopeOutcome resolve_named(ScopeRequest const& request, config::Books const& books) {
  ScopeRequest plain = request;
  plain.question.clear();  // words do not narrow what is asked by name
  plain.forced.reset();
  auto out = resolve(plain, books.directory);
  // A token's own bounds hold here, too: nobody's reads its repositories alone, a personal one nothing that is shared.
  bool const listed = !request.credential ||
                      (request.credential->person && request.credential->most.value_or(Scope::both) != Scope::personal);
  if (request.sender.empty() || !listed) return out;
  Repos repos;
  if (out.grant) repos.assign(out.grant->repos().begin(), out.grant->repos().end());
  for (std::size_t const place : let_in(out, request.sender, books)) {
    add(repos, books.settings.repos[place].id, Label::team);
  }
  if (repos.empty()) return out;
  out.refusal.reset();
  out.message.clear();
  out.grant = ReadGrant(std::move(repos));
  return out;
}

ScopeOutcome chat_context(UserId const& sender, ChatType type, ChatId const& chat, config::Directory const& directory) {
  auto out = begin(sender, type, chat, directory, false);
  if (out.refusal || type == ChatType::group) return out;
  auto const teams = teams_of(*out.user, directory);
  if (!teams.empty()) out.team = *teams.front();
  return out;
}

}  // namespace kb::scope
