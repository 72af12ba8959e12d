#include "config/bindings.hpp"

#include <chrono>
#include <doctest/doctest.h>

using kb::ChatId;
using kb::RepoId;
using kb::TeamId;
using kb::TimePoint;
using kb::UserId;
using kb::config::Binding;
using kb::config::BindingChange;
using kb::config::BindingRefusal;
using kb::config::BindingStep;
using kb::config::Directory;
using kb::config::PendingBinding;
using kb::config::Team;
using namespace std::chrono_literals;

namespace {

ChatId const kGroup("oc_1");
TimePoint const kNow = TimePoint(1767225600s);  // 2026-01-01 08:00:00 in UTC+8

Team team(char const* id, char const* name, char const* admin) {
  Team made;
  made.id = TeamId(id);
  made.name = name;
  made.kb = RepoId(id, std::string(id) + "-team-kb");
  made.admins = {UserId(admin)};
  made.members = {UserId(admin), UserId("ou_member")};
  return made;
}

/// Teams nlp (admin ou_ann) and cv (admin ou_bob), and two that share a name.
Directory directory() {
  Directory made;
  for (auto const& one : {team("nlp", "NLP 团队", "ou_ann"), team("cv", "CV", "ou_bob"), team("t1", "双名", "ou_ann"),
                          team("t2", "双名", "ou_ann")}) {
    made.teams.emplace(one.id, one);
  }
  return made;
}

Binding binding(char const* team_id, bool enabled) {
  Binding made;
  made.chat = kGroup;
  made.chat_name = "周会";
  made.team = TeamId(team_id);
  made.team_name = "old name";
  made.bound_by = UserId("ou_before");
  made.bound_at = "2025-12-01 08:00:00";
  made.enabled = enabled;
  made.mention_only = false;
  return made;
}

Directory with(Binding const& one) {
  Directory made = directory();
  made.bindings.emplace(one.chat, one);
  return made;
}

template <class T>
std::string code_of(BindingStep<T> const& step) {
  auto const* const refused = std::get_if<BindingRefusal>(&step);
  return refused == nullptr ? "ok" : refused->code;
}

template <class T>
std::string text_of(BindingStep<T> const& step) {
  auto const* const refused = std::get_if<BindingRefusal>(&step);
  return refused == nullptr ? "" : refused->text;
}

PendingBinding asked(Directory const& books, char const* actor = "ou_ann", char const* team_id = "nlp") {
  auto const step = request_bind(books, kGroup, "周会", team_id, UserId(actor), kNow, "7F2K");
  REQUIRE_EQ(code_of(step), "ok");
  return std::get<PendingBinding>(step);
}

}  // namespace

TEST_CASE("who may bind and unbind a group in which state") {  // N-11, N-12, N-13
  struct Row {
    char const* bound_to;  // null: not bound
    bool enabled;
    char const* actor;
    char const* bind;  // to nlp
    char const* unbind;
    char const* why;
  };
  static constexpr Row rows[] = {
      {nullptr, true, "ou_ann", "ok", "not_bound", "an admin, a free group"},
      {nullptr, true, "ou_member", "not_team_admin", "not_bound", "a member is no admin"},
      {nullptr, true, "ou_bob", "not_team_admin", "not_bound", "an admin of another team"},
      {nullptr, true, "ou_root", "not_team_admin", "not_bound", "no admin of any team"},
      {nullptr, true, "", "not_team_admin", "not_bound", "nobody"},
      {"nlp", true, "ou_ann", "already_bound", "ok", "ours already"},
      {"nlp", true, "ou_member", "not_team_admin", "not_team_admin", "ours, but a member"},
      {"nlp", true, "ou_bob", "not_team_admin", "not_team_admin", "ours, but another team's admin"},
      {"nlp", false, "ou_ann", "ok", "not_bound", "a disabled binding is none (N-13)"},
      {"cv", true, "ou_ann", "bound_elsewhere", "not_team_admin", "theirs (N-12)"},
      {"cv", true, "ou_bob", "not_team_admin", "ok", "theirs, by their admin"},
      {"cv", false, "ou_ann", "ok", "not_bound", "a disabled binding of another team may be replaced"},
      {"cv", false, "ou_member", "not_team_admin", "not_bound", "but only by an admin"},
      {"gone", true, "ou_ann", "bound_elsewhere", "team_not_found", "even a team that is gone is not overwritten"},
      {"gone", false, "ou_ann", "ok", "not_bound", "unless disabled"},
      {"", true, "ou_ann", "ok", "not_bound", "an entry without a team binds to nobody"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Directory const books = row.bound_to == nullptr ? directory() : with(binding(row.bound_to, row.enabled));
    UserId const actor(row.actor);
    CHECK_EQ(code_of(request_bind(books, kGroup, "周会", "nlp", actor, kNow, "7F2K")), row.bind);
    CHECK_EQ(code_of(bind_now(books, kGroup, "nlp", actor, kNow)), row.bind);
    CHECK_EQ(code_of(request_unbind(books, kGroup, actor, kNow, "7F2K")), row.unbind);
    CHECK_EQ(code_of(unbind_now(books, kGroup, actor, kNow)), row.unbind);

    // The second step asks the same again: what changed since the first counts.
    PendingBinding pending = asked(directory());
    CHECK_EQ(code_of(confirm(books, &pending, kGroup, actor, kNow)), row.bind);
    pending.action = PendingBinding::Action::unbind;
    pending.team = TeamId(row.bound_to == nullptr ? "nlp" : row.bound_to);
    CHECK_EQ(code_of(confirm(books, &pending, kGroup, actor, kNow)), row.unbind);
  }
}

TEST_CASE("nothing is bound outside a group") {
  Directory const books = directory();
  UserId const ann("ou_ann");
  ChatId const nowhere;
  PendingBinding const pending = asked(books);
  CHECK_EQ(code_of(request_bind(books, nowhere, "", "nlp", ann, kNow, "7F2K")), "not_in_group");
  CHECK_EQ(code_of(request_unbind(books, nowhere, ann, kNow, "7F2K")), "not_in_group");
  CHECK_EQ(code_of(confirm(books, &pending, nowhere, ann, kNow)), "not_in_group");
  CHECK_EQ(code_of(bind_now(books, nowhere, "nlp", ann, kNow)), "not_in_group");
  CHECK_EQ(code_of(unbind_now(books, nowhere, ann, kNow)), "not_in_group");
}

TEST_CASE("a team is named by its id or as people write its name") {
  struct Row {
    char const* words;
    char const* want;  // team id, or refusal
    char const* why;
  };
  static constexpr Row rows[] = {
      {"nlp", "nlp", "id"},
      {"  nlp ", "nlp", "blanks around"},
      {"NLP 团队", "nlp", "name"},
      {"nlp团队", "nlp", "without the blank, small letters"},
      {"CV团队", "cv", "团队 is not part of the name"},
      {"cv 团队", "cv", "nor with a blank"},
      {"团队", "team_not_found", "that alone is no name"},
      {"NLP", "nlp", "nor left out"},
      {"双名", "team_not_found", "two teams share it"},
      {"t2", "t2", "but their ids differ"},
      {"", "team_not_found", "nothing"},
      {" \t", "team_not_found", "blanks"},
      {"x", "team_not_found", "unknown"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.words);
    CAPTURE(row.why);
    UserId const actor(std::string_view(row.want) == "cv" ? "ou_bob" : "ou_ann");
    auto const step = bind_now(directory(), kGroup, row.words, actor, kNow);
    auto const* const change = std::get_if<BindingChange>(&step);
    CHECK_EQ(change != nullptr ? change->binding.team.str() : code_of(step), row.want);
  }
}

TEST_CASE("a request holds what the second step needs") {
  PendingBinding const bind = asked(directory());
  CHECK(bind.action == PendingBinding::Action::bind);
  CHECK_EQ(bind.code, "BIND-7F2K");
  CHECK_EQ(bind.chat, kGroup);
  CHECK_EQ(bind.chat_name, "周会");
  CHECK_EQ(bind.team, TeamId("nlp"));
  CHECK_EQ(bind.team_name, "NLP 团队");
  CHECK_EQ(bind.requested_by, UserId("ou_ann"));
  CHECK_EQ(bind.created_at, "2026-01-01 08:00:00");
  CHECK_EQ(bind.expires_at_ts, 1767225600 + 600);

  auto const step = request_unbind(with(binding("nlp", true)), kGroup, UserId("ou_ann"), kNow, "7F2K");
  REQUIRE_EQ(code_of(step), "ok");
  PendingBinding const& unbind = std::get<PendingBinding>(step);
  CHECK(unbind.action == PendingBinding::Action::unbind);
  CHECK_EQ(unbind.code, "UNBIND-7F2K");
  CHECK_EQ(unbind.chat_name, "周会");
  CHECK_EQ(unbind.team, TeamId("nlp"));
}

TEST_CASE("a code is good for ten minutes, in its own group") {
  Directory const books = directory();
  PendingBinding const pending = asked(books);
  UserId const ann("ou_ann");
  CHECK_EQ(code_of(confirm(books, &pending, kGroup, ann, kNow)), "ok");
  CHECK_EQ(code_of(confirm(books, &pending, kGroup, ann, kNow + 9min + 59s + 999ms)), "ok");
  CHECK_EQ(code_of(confirm(books, &pending, kGroup, ann, kNow + 10min)), "code_expired");
  CHECK_EQ(code_of(confirm(books, &pending, ChatId("oc_2"), ann, kNow)), "wrong_chat");
  CHECK_EQ(code_of(confirm(books, nullptr, kGroup, ann, kNow)), "code_unknown");
}

TEST_CASE("any admin of the team may confirm, whoever asked") {
  Directory books = directory();
  PendingBinding const pending = asked(books);
  books.teams.at(TeamId("nlp")).admins = {UserId("ou_new")};
  CHECK_EQ(code_of(confirm(books, &pending, kGroup, UserId("ou_new"), kNow)), "ok");
  CHECK_EQ(code_of(confirm(books, &pending, kGroup, UserId("ou_ann"), kNow)), "not_team_admin");
}

TEST_CASE("a request to unbind does not unbind what was bound meanwhile") {
  auto const step = request_unbind(with(binding("nlp", true)), kGroup, UserId("ou_ann"), kNow, "7F2K");
  PendingBinding const pending = std::get<PendingBinding>(step);
  CHECK_EQ(code_of(confirm(with(binding("t1", true)), &pending, kGroup, UserId("ou_ann"), kNow)), "bound_elsewhere");
}

TEST_CASE("a confirmed binding is the team's, by the one who confirmed") {
  Directory const books = directory();
  PendingBinding const pending = asked(books);
  auto const step = confirm(books, &pending, kGroup, UserId("ou_ann"), kNow + 60s);
  REQUIRE_EQ(code_of(step), "ok");
  auto const& [made, event] = std::get<BindingChange>(step);
  CHECK_EQ(made.chat, kGroup);
  CHECK_EQ(made.chat_name, "周会");
  CHECK_EQ(made.team, TeamId("nlp"));
  CHECK_EQ(made.team_name, "NLP 团队");
  CHECK_EQ(made.kb, RepoId("nlp", "nlp-team-kb"));
  CHECK_EQ(made.bound_by, UserId("ou_ann"));
  CHECK_EQ(made.bound_at, "2026-01-01 08:01:00");
  CHECK(made.enabled);
  CHECK(made.mention_only);
  CHECK_EQ(event.event, "bind");
  CHECK_EQ(event.chat, kGroup);
  CHECK_EQ(event.team, TeamId("nlp"));
  CHECK_EQ(event.actor, UserId("ou_ann"));
  CHECK_EQ(event.code, "BIND-7F2K");
  CHECK_EQ(event.created_at, "2026-01-01 08:01:00");
}

TEST_CASE("binding anew keeps the group's manners for the same team only") {
  auto const same = bind_now(with(binding("nlp", false)), kGroup, "nlp", UserId("ou_ann"), kNow);
  REQUIRE_EQ(code_of(same), "ok");
  CHECK_FALSE(std::get<BindingChange>(same).binding.mention_only);
  CHECK_EQ(std::get<BindingChange>(same).binding.chat_name, "周会");

  auto const other = bind_now(with(binding("cv", false)), kGroup, "nlp", UserId("ou_ann"), kNow);
  REQUIRE_EQ(code_of(other), "ok");
  CHECK(std::get<BindingChange>(other).binding.mention_only);
}

TEST_CASE("unbinding disables and keeps the rest") {
  auto const step = unbind_now(with(binding("nlp", true)), kGroup, UserId("ou_ann"), kNow);
  REQUIRE_EQ(code_of(step), "ok");
  auto const& [made, event] = std::get<BindingChange>(step);
  CHECK_FALSE(made.enabled);
  CHECK_EQ(made.team, TeamId("nlp"));
  CHECK_EQ(made.bound_by, UserId("ou_before"));
  CHECK_EQ(made.bound_at, "2025-12-01 08:00:00");
  CHECK_EQ(event.event, "unbind");
  CHECK_EQ(event.actor, UserId("ou_ann"));
  CHECK_EQ(event.code, "");
}

TEST_CASE("a refusal says in Chinese what is wrong and what to do") {
  Directory const books = directory();
  UserId const ann("ou_ann");
  UserId const bob("ou_bob");
  PendingBinding const pending = asked(books);
  struct Row {
    std::string got;
    char const* want;
  };
  Row const rows[] = {
      {text_of(bind_now(books, ChatId(), "nlp", ann, kNow)),
       "绑定和解绑只能在群聊里进行。请在要操作的群里 @我 再发送一次。"},
      {text_of(bind_now(books, kGroup, "", ann, kNow)), "请写明要绑定的团队，例如：/bind 团队名称或 ID。"},
      {text_of(bind_now(books, kGroup, "视觉", ann, kNow)), "没有找到团队「视觉」。请核对团队名称或 ID 后再试。"},
      {text_of(bind_now(books, kGroup, "双名", ann, kNow)), "有 2 个团队都叫「双名」。请改用团队 ID：t1、t2。"},
      {text_of(bind_now(books, kGroup, "nlp", bob, kNow)),
       "只有团队「NLP 团队」的管理员才能绑定或解绑本群。请让该团队的管理员在本群操作。"},
      {text_of(bind_now(with(binding("cv", true)), kGroup, "nlp", ann, kNow)),
       "本群已绑定团队「CV」，不能改绑。请先让团队「CV」的管理员在本群发送 /unbind 解绑。"},
      {text_of(bind_now(with(binding("gone", true)), kGroup, "nlp", ann, kNow)),
       "本群已绑定的团队「gone」已不存在。请让系统管理员先清理这条绑定。"},
      {text_of(bind_now(with(binding("nlp", true)), kGroup, "nlp", ann, kNow)),
       "本群已经绑定团队「NLP 团队」，不需要再绑定。"},
      {text_of(unbind_now(books, kGroup, ann, kNow)), "本群没有绑定团队，不需要解绑。"},
      {text_of(unbind_now(with(binding("gone", true)), kGroup, ann, kNow)),
       "本群绑定的团队「gone」已不存在。请让系统管理员清理这条绑定。"},
      {text_of(confirm(books, nullptr, kGroup, ann, kNow)),
       "没有这个确认码。请核对后再试，或重新发送 /bind 团队名称（解绑发送 /unbind）。"},
      {text_of(confirm(books, &pending, ChatId("oc_2"), ann, kNow)),
       "确认码 BIND-7F2K 不是在本群申请的。请回到提出申请的群里确认。"},
      {text_of(confirm(books, &pending, kGroup, ann, kNow + 11min)),
       "确认码 BIND-7F2K 已过期（10 分钟内有效）。请重新发送 /bind nlp。"},
  };
  for (auto const& row : rows) CHECK_EQ(row.got, row.want);
}

TEST_CASE("what the asker wrote comes back shortened, never cut inside a character") {
  std::string const text = text_of(bind_now(directory(), kGroup, "a" + std::string(60, 'b') + "x", UserId("u"), kNow));
  CHECK_EQ(text, "没有找到团队「a" + std::string(59, 'b') + "…」。请核对团队名称或 ID 后再试。");
  std::string words = "a";
  for (int i = 0; i < 30; ++i) words += "长";
  std::string want = "a";
  for (int i = 0; i < 19; ++i) want += "长";  // 58 bytes; the next would end at 61
  CHECK_EQ(text_of(bind_now(directory(), kGroup, words, UserId("u"), kNow)),
           "没有找到团队「" + want + "…」。请核对团队名称或 ID 后再试。");
}
