#include "scope/resolve.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "tests/scope/sample_directory.hpp"

using kb::ChatId;
using kb::RepoId;
using kb::UserId;
using kb::scope::ChatType;
using kb::scope::GrantedRepo;
using kb::scope::Label;
using kb::scope::Refusal;
using kb::scope::resolve;
using kb::scope::Scope;
using kb::scope::ScopeOutcome;
using kb::test::ask;
using kb::test::GrantedRepos;
using kb::test::repos_of;
using kb::test::sample_directory;

namespace {

struct Text {
  Refusal code;
  ChatType type;
  char const* name;
  char const* text;
};

// ACCEPTANCE 1.2
constexpr Text kTexts[] = {
    {Refusal::missing_sender_id, ChatType::direct, "missing_sender_id", "缺少 SenderId，不能识别用户。"},
    {Refusal::missing_sender_id, ChatType::group, "missing_sender_id", "缺少 SenderId，不能识别用户。"},
    {Refusal::missing_chat_id, ChatType::group, "missing_chat_id",
     "OpenClaw 没有传入群聊 chat_id，不能确定团队知识库。"},
    {Refusal::chat_not_bound, ChatType::group, "chat_not_bound",
     "本群还没有绑定团队。请团队管理员先在群里 @我 绑定本群。"},
    {Refusal::bound_team_not_found, ChatType::group, "bound_team_not_found",
     "本群绑定的团队在 system-config 中不存在，请管理员检查绑定。"},
    {Refusal::user_not_registered, ChatType::group, "user_not_registered",
     "请先私聊我完成个人知识库初始化，再在团队群中使用。"},
    {Refusal::user_not_registered, ChatType::direct, "user_not_registered", "请先完成个人知识库初始化。"},
    {Refusal::not_team_member, ChatType::group, "not_team_member", "你不是本群绑定团队的成员，不能操作该团队知识库。"},
    {Refusal::not_team_member, ChatType::direct, "not_team_member", "你不是本群绑定团队的成员，不能操作该团队知识库。"},
    {Refusal::personal_scope_not_allowed_in_group, ChatType::group, "personal_scope_not_allowed_in_group",
     "群聊中不能查询个人知识库。请私聊我查询个人资料。"},
    {Refusal::external_sender, ChatType::group, "external_sender",
     "本群的知识库不对其他组织的成员开放。如需开放，请管理员在本群的绑定中设置 allow_external。"},
};

void check_refused(ScopeOutcome const& out, Refusal code) {
  REQUIRE(out.refusal.has_value());
  CHECK_EQ(to_string(*out.refusal), to_string(code));
  CHECK_FALSE(out.granted());
  CHECK_FALSE(out.personal_kb.has_value());
  CHECK(out.team_kbs.empty());
  auto const* text = std::find_if(std::begin(kTexts), std::end(kTexts),
                                  [&](Text const& row) { return row.code == code && row.type == out.chat_type; });
  REQUIRE(text != std::end(kTexts));
  CHECK_EQ(out.message, text->text);
}

GrantedRepo const kAnnOwn{RepoId("ann", "ann-personal-kb"), Label::personal};
GrantedRepo const kBobOwn{RepoId("bob", "bob-personal-kb"), Label::personal};
GrantedRepo const kNlp{RepoId("nlp", "nlp-team-kb"), Label::team};
GrantedRepo const kVision{RepoId("vision", "vision-team-kb"), Label::team};

}  // namespace

TEST_CASE("every refusal has its code") {
  for (auto const& row : kTexts) CHECK_EQ(to_string(row.code), row.name);
}

TEST_CASE("a group is looked up step by step, and the first thing amiss is said") {
  struct Row {
    char const* sender;
    char const* chat;
    char const* question;
    std::optional<Refusal> want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"", "", "上周定了什么", Refusal::missing_sender_id, "sender before chat"},
      {"", "oc_nlp", "上周定了什么", Refusal::missing_sender_id, "S1-12"},
      {"ou_ann", "", "上周定了什么", Refusal::missing_chat_id, "S1-14"},
      {"ou_ann", "oc_free", "上周定了什么", Refusal::chat_not_bound, "S1-18"},
      {"ou_ann", "oc_free", "我的笔记", Refusal::chat_not_bound, "binding before words"},
      {"ou_nobody", "oc_free", "上周定了什么", Refusal::chat_not_bound, "binding before registration"},
      {"ou_ann", "oc_off", "上周定了什么", Refusal::chat_not_bound, "N-13"},
      {"ou_ann", "oc_gone", "上周定了什么", Refusal::bound_team_not_found, "the team is in no record"},
      {"ou_nobody", "oc_gone", "我的笔记", Refusal::bound_team_not_found, "binding before registration and words"},
      {"ou_ann", "oc_bare", "上周定了什么", Refusal::bound_team_not_found, "a team without a knowledge base"},
      {"ou_nobody", "oc_nlp", "上周定了什么", Refusal::user_not_registered, "N-14"},
      {"ou_nobody", "oc_nlp", "我的笔记", Refusal::user_not_registered, "registration before words"},
      {"ou_ghost", "oc_nlp", "上周定了什么", Refusal::user_not_registered, "in members[], but not in users.json"},
      {"ou_cat", "oc_nlp", "上周定了什么", Refusal::not_team_member, "N-14: names the team, but is not in it"},
      {"ou_dan", "oc_nlp", "我的笔记", Refusal::not_team_member, "membership before words"},
      {"ou_ann", "oc_nlp", "我的笔记", Refusal::personal_scope_not_allowed_in_group, "S1-20"},
      {"ou_ann", "oc_nlp", "我", Refusal::personal_scope_not_allowed_in_group, "S1-20"},
      {"ou_ann", "oc_nlp", "个人资料", Refusal::personal_scope_not_allowed_in_group, "S1-20"},
      {"ou_ann", "oc_nlp", "我之前和团队定了什么", Refusal::personal_scope_not_allowed_in_group, "C-21"},
      {"ou_ann", "oc_nlp", "what did I save?", Refusal::personal_scope_not_allowed_in_group, "English"},
      {"ou_ann", "oc_nlp", "三个人的分工", std::nullopt, "C-20"},
      {"ou_ann", "oc_nlp", "我们上周定了什么", std::nullopt, "S1-23"},
      {"ou_ann", "oc_nlp", "我想问一下部署流程", std::nullopt, "speech act"},
      {"ou_eve", "oc_nlp", "上周定了什么", std::nullopt, "an admin is a member"},
      {"ou_fay", "oc_nlp", "上周定了什么", std::nullopt, "a member whose own record names no team"},
      {"ou_ann", "oc_nlp", "", std::nullopt, "an empty question is for others to refuse"},
  };
  auto const directory = sample_directory();
  for (auto const& row : rows) {
    std::string const why = row.why;
    CAPTURE(why);
    auto const out = resolve(ask(row.sender, ChatType::group, row.chat, row.question), directory);
    CHECK_FALSE(out.reason.empty());
    CHECK_EQ(to_string(out.scope), "team");
    if (row.want) {
      check_refused(out, *row.want);
      continue;
    }
    REQUIRE(out.granted());
    CHECK_EQ(out.message, "");
    CHECK_EQ(repos_of(out), GrantedRepos{kNlp});
    CHECK_EQ(out.team_kbs, std::vector<RepoId>{kNlp.id});
    CHECK_FALSE(out.personal_kb.has_value());
    CHECK_EQ(out.team->id.str(), "team_nlp");
    CHECK_EQ(out.binding->chat.str(), row.chat);
  }
}

TEST_CASE("a refusal in a group carries what was found on the way") {
  auto const directory = sample_directory();
  auto const stranger = resolve(ask("ou_dan", ChatType::group, "oc_nlp", "上周"), directory);
  REQUIRE(stranger.user.has_value());
  REQUIRE(stranger.binding.has_value());
  CHECK_EQ(stranger.team->id.str(), "team_nlp");
  auto const unbound = resolve(ask("ou_ann", ChatType::group, "oc_off", "上周"), directory);
  CHECK(unbound.user.has_value());
  CHECK_FALSE(unbound.binding->enabled);
}

TEST_CASE("a private question goes where its words point") {
  struct Row {
    char const* sender;
    char const* question;
    std::optional<Scope> forced;
    std::string scope;  ///< or the refusal's code
    GrantedRepos repos;
    std::string reason;
    char const* why;
  };
  static Row const rows[] = {
      {"ou_ann", "我的笔记", {}, "personal", {kAnnOwn}, "words: personal", "S1-22"},
      {"ou_ann", "我之前存的", {}, "personal", {kAnnOwn}, "words: personal", "S1-22"},
      {"ou_ann", "我们定了什么", {}, "team", {kNlp}, "words: team", "S1-23"},
      {"ou_ann", "项目进展", {}, "team", {kNlp}, "words: team", "S1-23"},
      {"ou_ann", "BERT 是什么", {}, "both", {kAnnOwn, kNlp}, "no words of ownership: both", "S1-24"},
      {"ou_ann", "", {}, "both", {kAnnOwn, kNlp}, "no words of ownership: both", "S1-24"},
      {"ou_ann", "我之前和团队定的", {}, "both", {kAnnOwn, kNlp}, "words: both", "N-16"},
      {"ou_ann", "我们定了什么", Scope::personal, "personal", {kAnnOwn}, "forced", "force wins over words"},
      {"ou_ann", "我的笔记", Scope::team, "team", {kNlp}, "forced", "force wins over words"},
      {"ou_ann", "我的笔记", Scope::both, "both", {kAnnOwn, kNlp}, "forced", "force wins over words"},

      {"ou_dan", "我的笔记", {}, "personal", {{RepoId("dan", "kb"), Label::personal}}, "words: personal", "no team"},
      {"ou_dan",
       "项目进展",
       {},
       "personal",
       {{RepoId("dan", "kb"), Label::personal}},
       "words: team; no team: everything personal",
       "C-22"},
      {"ou_dan",
       "BERT 是什么",
       {},
       "personal",
       {{RepoId("dan", "kb"), Label::personal}},
       "no words of ownership: both; no team: everything personal",
       "N-17"},
      {"ou_dan",
       "我和团队",
       {},
       "personal",
       {{RepoId("dan", "kb"), Label::personal}},
       "words: both; no team: everything personal",
       "N-17"},
      {"ou_dan",
       "BERT",
       Scope::team,
       "not_team_member",
       {},
       "forced team, but no team",
       "what was forced is not replaced by something else"},
      {"ou_dan",
       "BERT",
       Scope::both,
       "personal",
       {{RepoId("dan", "kb"), Label::personal}},
       "forced; no team: everything personal",
       "half of both"},

      {"ou_cat",
       "我们定了什么",
       {},
       "personal",
       {{RepoId("cat", "kb"), Label::personal}},
       "words: team; no team: everything personal",
       "S1-63: names the team, but is not in it"},
      {"ou_hal",
       "我们定了什么",
       {},
       "personal",
       {{RepoId("hal", "kb"), Label::personal}},
       "words: team; no team: everything personal",
       "the team's record is gone, another has no knowledge base"},
      {"ou_fay",
       "我们定了什么",
       {},
       "personal",
       {{RepoId("fay", "kb"), Label::personal}},
       "words: team; no team: everything personal",
       "S1-16: the user's own record names the team"},

      {"ou_eve", "我的笔记", {}, "team", {kNlp}, "words: personal; no personal knowledge base: team only", "team only"},
      {"ou_eve",
       "BERT",
       {},
       "team",
       {kNlp},
       "no words of ownership: both; no personal knowledge base: team only",
       "team only"},
      {"ou_eve", "我们", {}, "team", {kNlp}, "words: team", "nothing missed"},
      {"ou_eve",
       "BERT",
       Scope::personal,
       "user_not_registered",
       {},
       "forced personal, but no personal knowledge base",
       "what was forced is not replaced by something else"},
      {"ou_ida",
       "BERT",
       {},
       "user_not_registered",
       {},
       "neither a personal knowledge base nor a team",
       "nothing at all"},
      {"ou_ida",
       "BERT",
       Scope::team,
       "user_not_registered",
       {},
       "neither a personal knowledge base nor a team",
       "nothing at all"},
      {"ou_nobody", "BERT", {}, "user_not_registered", {}, "sender is not registered", "N-14"},
      {"ou_nobody", "BERT", Scope::team, "user_not_registered", {}, "sender is not registered", "N-14"},
      {"", "BERT", {}, "missing_sender_id", {}, "no sender", "S1-12"},

      {"ou_bob", "我们定了什么", {}, "team", {kNlp, kVision}, "words: team", "all teams"},
      {"ou_bob", "BERT", {}, "both", {kBobOwn, kNlp, kVision}, "no words of ownership: both", "all teams"},
      {"ou_bob", "视觉团队定了什么", {}, "team", {kVision}, "words: team; team named", "the team named"},
      {"ou_bob",
       "TEAM_VISION 定了什么",
       {},
       "both",
       {kBobOwn, kVision},
       "no words of ownership: both; team named",
       "by id, any case"},
      {"ou_bob", "视觉团队和NLP团队的区别", {}, "team", {kNlp, kVision}, "words: team", "both named"},
      {"ou_bob",
       "Horus 项目进展",
       {},
       "team",
       {kVision},
       "words: team; project of one team",
       "its team first and only"},
      {"ou_bob", "Atlas 项目进展", {}, "team", {kNlp, kVision}, "words: team", "a project of both teams"},
      {"ou_bob", "视觉团队的 Atlas 项目", {}, "team", {kVision}, "words: team; team named", "team before project"},
      {"ou_bob", "我的 Horus 笔记", {}, "personal", {kBobOwn}, "words: personal", "a project grants nothing"},
      {"ou_bob", "我们的 MRI", {}, "team", {kNlp, kVision}, "words: team", "a project of a team one is not in"},
      {"ou_bob", "Horus 和知识图谱项目", {}, "team", {kNlp, kVision}, "words: team", "projects of two teams"},
      {"ou_bob", "Horus 和 Atlas 项目", {}, "team", {kNlp, kVision}, "words: team", "one of them in both teams"},
      {"ou_bob", "阿特拉斯二期项目", {}, "team", {kNlp}, "words: team; project of one team", "the longer name covers"},
  };
  auto const directory = sample_directory();
  for (auto const& row : rows) {
    std::string const sender = row.sender;
    std::string const question = row.question;
    std::string const why = row.why;
    CAPTURE(sender);
    CAPTURE(question);
    CAPTURE(why);
    auto request = ask(row.sender, ChatType::direct, "", row.question);
    request.forced = row.forced;
    auto const out = resolve(request, directory);
    CHECK_EQ(out.reason, row.reason);
    if (out.refusal) {
      CHECK_EQ(to_string(*out.refusal), row.scope);
      check_refused(out, *out.refusal);
      CHECK(row.repos.empty());
      continue;
    }
    REQUIRE(out.granted());
    CHECK_EQ(to_string(out.scope), row.scope);
    CHECK_EQ(repos_of(out), row.repos);
  }
}

TEST_CASE("the team of a private question is the one it means, else the first") {
  auto const directory = sample_directory();
  auto const team = [&](char const* question) {
    return resolve(ask("ou_bob", ChatType::direct, "", question), directory).team->id.str();
  };
  CHECK_EQ(team("我们定了什么"), "team_nlp");
  CHECK_EQ(team("视觉团队定了什么"), "team_vision");
  CHECK_EQ(team("我的笔记"), "team_nlp");
}

TEST_CASE("a project is recognised by id or name, the longest first, in granted teams only") {
  struct Row {
    char const* question;
    std::string id;  ///< "" none
    char const* why;
  };
  static Row const rows[] = {
      {"atlas 进展", "atlas", "by id"},
      {"ATLAS进展", "atlas", "any case, beside Han"},
      {"ａｔｌａｓ 进展", "atlas", "full width"},
      {"阿特拉斯定了什么", "atlas", "by name"},
      {"阿特拉斯二期定了什么", "atlas-2", "the longest name"},
      {"atlas-2 进展", "atlas-2", "an id with a hyphen is one word"},
      {"what did Atlas decide?", "atlas", "in English"},
      {"Atlas's budget", "atlas", "possessive"},
      {"projects/atlas/index.md 写了什么", "atlas", "in a path"},
      {"「atlas」是什么", "atlas", "quoted names count"},
      {"atlases of the world", "", "a whole word"},
      {"atlas_old 在哪", "", "a whole word"},
      {"知识图谱的進度", "kg", "a name of Han characters"},
      {"general relativity", "", "general is an everyday word"},
      {"general 项目的进展", "general", "general, called a project"},
      {"the project general", "general", "general, called a project"},
      {"通用 项目", "general", "its name, called a project"},
      {"通用知识", "", "its name alone"},
      {"plan x of the day", "", "a single letter is no name"},
      {"x 项目", "x", "a single letter, called a project"},
      {"Horus 进展", "", "a project of another team"},
      {"", "", "empty"},
  };
  auto const directory = sample_directory();
  for (auto const& row : rows) {
    std::string const question = row.question;
    std::string const why = row.why;
    CAPTURE(question);
    CAPTURE(why);
    for (auto const type : {ChatType::group, ChatType::direct}) {
      auto const out = resolve(ask("ou_ann", type, "oc_nlp", row.question), directory);
      REQUIRE(out.granted());
      CHECK_EQ(out.project_id.value_or(""), row.id);
      CHECK_EQ(out.project_name.has_value(), out.project_id.has_value());
    }
  }
}

TEST_CASE("chat_context names sender, binding and team, and grants nothing") {
  auto const directory = sample_directory();
  auto const context = [&](char const* sender, ChatType type, char const* chat) {
    return chat_context(UserId(sender), type, ChatId(chat), directory);
  };
  auto const group = context("ou_ann", ChatType::group, "oc_nlp");
  CHECK_FALSE(group.refusal.has_value());
  CHECK_FALSE(group.granted());
  CHECK_EQ(group.user->id.str(), "ou_ann");
  CHECK_EQ(group.binding->team.str(), "team_nlp");
  CHECK_EQ(group.team->id.str(), "team_nlp");

  auto const direct = context("ou_bob", ChatType::direct, "");
  CHECK_FALSE(direct.refusal.has_value());
  CHECK_FALSE(direct.granted());
  CHECK_FALSE(direct.binding.has_value());
  CHECK_EQ(direct.team->id.str(), "team_nlp");

  check_refused(context("", ChatType::direct, ""), Refusal::missing_sender_id);
  check_refused(context("ou_ann", ChatType::group, ""), Refusal::missing_chat_id);
  check_refused(context("ou_ann", ChatType::group, "oc_off"), Refusal::chat_not_bound);
  check_refused(context("ou_ann", ChatType::group, "oc_gone"), Refusal::bound_team_not_found);
  check_refused(context("ou_nobody", ChatType::group, "oc_nlp"), Refusal::user_not_registered);
  check_refused(context("ou_nobody", ChatType::direct, ""), Refusal::user_not_registered);
  check_refused(context("ou_dan", ChatType::group, "oc_nlp"), Refusal::not_team_member);
}

TEST_CASE("someone of another organisation may ask in a group only when its binding lets them") {
  auto directory = sample_directory();
  auto request = ask("ou_ann", ChatType::group, "oc_nlp", "上周定了什么？");
  request.external = true;
  check_refused(resolve(request, directory), Refusal::external_sender);
  directory.bindings.at(ChatId("oc_nlp")).allow_external = true;
  CHECK(resolve(request, directory).granted());

  auto in_private = ask("ou_ann", ChatType::direct, "", "上周定了什么？");
  in_private.external = true;
  CHECK(resolve(in_private, directory).granted());  // registered by name
}

TEST_CASE("two teams with one knowledge base grant it once") {
  auto directory = sample_directory();
  directory.teams.at(kb::TeamId("team_vision")).kb = kNlp.id;
  auto const out = resolve(ask("ou_bob", ChatType::direct, "", "我们"), directory);
  CHECK_EQ(repos_of(out), GrantedRepos{kNlp});
  CHECK_EQ(out.team_kbs, std::vector<RepoId>{kNlp.id});
}

TEST_CASE("scopes and chat types are read and written by name") {
  for (auto const scope : {Scope::personal, Scope::team, Scope::both})
    CHECK_EQ(kb::scope::parse_scope(to_string(scope)), std::optional(scope));
  CHECK_FALSE(kb::scope::parse_scope("Team").has_value());
  CHECK_FALSE(kb::scope::parse_scope("").has_value());
  CHECK_EQ(kb::scope::parse_chat_type("direct"), std::optional(ChatType::direct));
  CHECK_EQ(kb::scope::parse_chat_type("p2p"), std::optional(ChatType::direct));  // S1-13
  CHECK_EQ(kb::scope::parse_chat_type("group"), std::optional(ChatType::group));
  CHECK_FALSE(kb::scope::parse_chat_type("").has_value());
  CHECK_FALSE(kb::scope::parse_chat_type("GROUP").has_value());
  CHECK_EQ(to_string(ChatType::direct), "direct");
  CHECK_EQ(to_string(ChatType::group), "group");
}
