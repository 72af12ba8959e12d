#include "config/bindings.hpp"

#include <chrono>
#include <utility>

namespace kb::config {
namespace {

constexpr std::chrono::minutes kCodeLife{10};  // ACCEPTANCE 1.2
constexpr std::size_t kMaxEcho = 60;           // bytes of the asker's words that a refusal repeats

BindingRefusal refusal(std::string code, std::string text) { return {std::move(code), std::move(text)}; }

std::string bracketed(std::string_view words) {
  bool const cut = words.size() > kMaxEcho;
  std::size_t end = cut ? kMaxEcho : words.size();
  while (cut && end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0u) == 0x80u) --end;  // not inside a character
  return "「" + std::string(words.substr(0, end)) + (cut ? "…" : "") + "」";
}

std::string name_of(Team const& team) { return bracketed(team.name.empty() ? team.id.str() : team.name); }

/// For comparing names: without blanks, ASCII letters small.
std::string folded(std::string_view name) {
  std::string result;
  for (char const c : name) {
    if (c == ' ' || c == '\t') continue;
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

/// A name as people say it: "NLP 团队" is NLP.
std::string_view without_suffix(std::string_view name) {
  constexpr std::string_view kSuffix = "团队";
  bool const more = name.size() > kSuffix.size() && name.ends_with(kSuffix);
  return more ? name.substr(0, name.size() - kSuffix.size()) : name;
}

/// Every team of that name; those that differ by 团队 alone count when none has it exactly.
std::vector<Team const*> teams_called(Directory const& directory, std::string_view words) {
  std::string const name = folded(words);
  std::vector<Team const*> exact, similar;
  for (Team const* team : directory.teams.in_order()) {
    std::string const its = folded(team->name);
    if (its == name) exact.push_back(team);
    if (without_suffix(its) == without_suffix(name)) similar.push_back(team);
  }
  return exact.empty() ? similar : exact;
}

/// By id, else by name.
BindingStep<Team const*> find_team(Directory const& directory, std::string_view words) {
  auto const first = words.find_first_not_of(" \t");
  if (first == words.npos) return refusal("team_not_found", "请写明要绑定的团队，例如：/bind 团队名称或 ID。");
  words = words.substr(first, words.find_last_not_of(" \t") - first + 1);

  if (Team const* team = directory.team(TeamId(std::string(words)))) return team;
  std::vector<Team const*> const found = teams_called(directory, words);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return refusal("team_not_found", "没有找到团队" + bracketed(words) + "。请核对团队名称或 ID 后再试。");
  }
  std::string ids;
  for (Team const* team : found) ids += (ids.empty() ? "" : "、") + team->id.str();
  return refusal("team_not_found", "有 " + std::to_string(found.size()) + " 个团队都叫" + bracketed(words) +
                                       "。请改用团队 ID：" + ids + "。");
}

std::optional<BindingRefusal> must_be_group(ChatId const& chat) {
  if (!chat.empty()) return std::nullopt;
  return refusal("not_in_group", "绑定和解绑只能在群聊里进行。请在要操作的群里 @我 再发送一次。");
}

std::optional<BindingRefusal> must_be_admin(Team const& team, UserId const& actor) {
  if (team.has_admin(actor)) return std::nullopt;
  return refusal("not_team_admin",
                 "只有团队" + name_of(team) + "的管理员才能绑定或解绑本群。请让该团队的管理员在本群操作。");
}

/// The binding that counts: a disabled one is none (N-13).
Binding const* enabled_binding(Directory const& directory, ChatId const& chat) {
  Binding const* const binding = directory.binding(chat);
  return binding != nullptr && binding->enabled && !binding->team.empty() ? binding : nullptr;
}

std::optional<BindingRefusal> must_be_free(Directory const& directory, ChatId const& chat, Team const& team) {
  Binding const* const binding = enabled_binding(directory, chat);
  if (binding == nullptr) return std::nullopt;
  if (binding->team == team.id) {
    return refusal("already_bound", "本群已经绑定团队" + name_of(team) + "，不需要再绑定。");
  }
  Team const* const other = directory.team(binding->team);
  if (other == nullptr) {
    return refusal("bound_elsewhere",
                   "本群已绑定的团队" + bracketed(binding->team.str()) + "已不存在。请让系统管理员先清理这条绑定。");
  }
  return refusal("bound_elsewhere", "本群已绑定团队" + name_of(*other) + "，不能改绑。请先让团队" + name_of(*other) +
                                        "的管理员在本群发送 /unbind 解绑。");
}

/// N-11, N-12: everything that must hold for a group to become a team's.
BindingStep<Team const*> may_bind(Directory const& directory, ChatId const& chat, std::string_view words,
                                  UserId const& actor) {
  if (auto refused = must_be_group(chat)) return *refused;
  BindingStep<Team const*> found = find_team(directory, words);
  auto const* const team = std::get_if<Team const*>(&found);
  if (team == nullptr) return found;
  if (auto refused = must_be_admin(**team, actor)) return *refused;
  if (auto refused = must_be_free(directory, chat, **team)) return *refused;
  return *team;
}

struct Bound {
  Binding const* binding;
  Team const* team;
};

BindingStep<Bound> may_unbind(Directory const& directory, ChatId const& chat, UserId const& actor) {
  if (auto refused = must_be_group(chat)) return *refused;
  Binding const* const binding = enabled_binding(directory, chat);
  if (binding == nullptr) return refusal("not_bound", "本群没有绑定团队，不需要解绑。");
  Team const* const team = directory.team(binding->team);
  if (team == nullptr) {
    return refusal("team_not_found",
                   "本群绑定的团队" + bracketed(binding->team.str()) + "已不存在。请让系统管理员清理这条绑定。");
  }
  if (auto refused = must_be_admin(*team, actor)) return *refused;
  return Bound{binding, team};
}

PendingBinding pending(PendingBinding::Action action, ChatId const& chat, Team const& team, UserId const& actor,
                       TimePoint now, std::string const& random) {
  PendingBinding result;
  result.action = action;
  result.code = (action == PendingBinding::Action::bind ? "BIND-" : "UNBIND-") + random;
  result.chat = chat;
  result.team = team.id;
  result.team_name = team.name;
  result.requested_by = actor;
  result.created_at = utc8(now);
  auto const expires = std::chrono::floor<std::chrono::seconds>(now + kCodeLife);
  result.expires_at_ts = expires.time_since_epoch().count();
  return result;
}

BindingChange bound(Directory const& directory, ChatId const& chat, std::string const& chat_name, Team const& team,
                    UserId const& actor, std::string const& code, TimePoint now) {
  Binding const* const old = directory.binding(chat);
  BindingChange change;
  Binding& binding = change.binding;
  binding.chat = chat;
  binding.chat_name = chat_name.empty() && old != nullptr ? old->chat_name : chat_name;
  binding.team = team.id;
  binding.team_name = team.name;
  binding.kb = team.kb;
  binding.bound_by = actor;
  binding.bound_at = utc8(now);
  // Whether every message is a question, and whether outsiders may ask, was decided for a team; another team starts
  // with the careful answers.
  if (old != nullptr && old->team == team.id) {
    binding.mention_only = old->mention_only;
    binding.allow_external = old->allow_external;
  }
  change.event = {"bind", chat, team.id, actor, code, utc8(now)};
  return change;
}

BindingChange unbound(Binding const& old, UserId const& actor, std::string const& code, TimePoint now) {
  BindingChange change{old, {"unbind", old.chat, old.team, actor, code, utc8(now)}};
  change.binding.enabled = false;
  return change;
}

}  // namespace

BindingStep<PendingBinding> request_bind(Directory const& directory, ChatId const& chat, std::string const& chat_name,
                                         std::string_view team, UserId const& actor, TimePoint now,
                                         std::string const& random) {
  BindingStep<Team const*> const allowed = may_bind(directory, chat, team, actor);
  if (auto const* const refused = std::get_if<BindingRefusal>(&allowed)) return *refused;
  PendingBinding result =
      pending(PendingBinding::Action::bind, chat, *std::get<Team const*>(allowed), actor, now, random);
  result.chat_name = chat_name;
  return result;
}

BindingStep<PendingBinding> request_unbind(Directory const& directory, ChatId const& chat, UserId const& actor,
                                           TimePoint now, std::string const& random) {
  BindingStep<Bound> const allowed = may_unbind(directory, chat, actor);
  if (auto const* const refused = std::get_if<BindingRefusal>(&allowed)) return *refused;
  Bound const& there = std::get<Bound>(allowed);
  PendingBinding result = pending(PendingBinding::Action::unbind, chat, *there.team, actor, now, random);
  result.chat_name = there.binding->chat_name;
  return result;
}

BindingStep<BindingChange> confirm(Directory const& directory, PendingBinding const* request, ChatId const& chat,
                                   UserId const& actor, TimePoint now) {
  if (auto refused = must_be_group(chat)) return *refused;
  if (request == nullptr) {
    return refusal("code_unknown", "没有这个确认码。请核对后再试，或重新发送 /bind 团队名称（解绑发送 /unbind）。");
  }
  bool const bind = request->action == PendingBinding::Action::bind;
  if (request->chat != chat) {
    return refusal("wrong_chat", "确认码 " + request->code + " 不是在本群申请的。请回到提出申请的群里确认。");
  }
  if (std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count() >= request->expires_at_ts) {
    return refusal("code_expired", "确认码 " + request->code + " 已过期（10 分钟内有效）。请重新发送 " +
                                       (bind ? "/bind " + request->team.str() : std::string("/unbind")) + "。");
  }
  // Everything is checked anew: teams, admins and bindings may have changed since the request.
  if (bind) {
    BindingStep<Team const*> const allowed = may_bind(directory, chat, request->team.str(), actor);
    if (auto const* const refused = std::get_if<BindingRefusal>(&allowed)) return *refused;
    return bound(directory, chat, request->chat_name, *std::get<Team const*>(allowed), actor, request->code, now);
  }
  BindingStep<Bound> const allowed = may_unbind(directory, chat, actor);
  if (auto const* const refused = std::get_if<BindingRefusal>(&allowed)) return *refused;
  Binding const& old = *std::get<Bound>(allowed).binding;
  if (old.team != request->team) {
    return refusal("bound_elsewhere",
                   "本群现在绑定的不是团队" + bracketed(request->team_name) + "。请重新发送 /unbind。");
  }
  return unbound(old, actor, request->code, now);
}

std::optional<BindingChange> disable(Directory const& directory, ChatId const& chat, TimePoint now) {
  Binding const* const old = directory.binding(chat);
  if (old == nullptr || !old->enabled) return std::nullopt;
  BindingChange change = unbound(*old, UserId(), {}, now);
  change.event.event = "disable";
  return change;
}

BindingStep<BindingChange> bind_now(Directory const& directory, ChatId const& chat, std::string_view team,
                                    UserId const& actor, TimePoint now) {
  BindingStep<Team const*> const allowed = may_bind(directory, chat, team, actor);
  if (auto const* const refused = std::get_if<BindingRefusal>(&allowed)) return *refused;
  return bound(directory, chat, "", *std::get<Team const*>(allowed), actor, "", now);
}

BindingStep<BindingChange> unbind_now(Directory const& directory, ChatId const& chat, UserId const& actor,
                                      TimePoint now) {
  BindingStep<Bound> const allowed = may_unbind(directory, chat, actor);
  if (auto const* const refused = std::get_if<BindingRefusal>(&allowed)) return *refused;
  return unbound(*std::get<Bound>(allowed).binding, actor, "", now);
}

}  // namespace kb::config
