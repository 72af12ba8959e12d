#include "daemon/desk.hpp"

#include <algorithm>
#include <cctype>
#include <random>

#include "config/bindings.hpp"
#include "daemon/binding_files.hpp"
#include "daemon/messages.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

/// Four characters one can read out: no 0 O 1 I.
std::string random_code() {
  static constexpr std::string_view kLetters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  std::random_device source;
  std::uniform_int_distribution<std::size_t> pick(0, kLetters.size() - 1);
  std::string code;
  for (int i = 0; i < 4; ++i) code += kLetters[pick(source)];
  return code;
}

CommandReply refused(std::string text) {
  CommandReply reply;
  reply.text = std::move(text);
  reply.done = false;
  return reply;
}

CommandReply said(std::string text) {
  CommandReply reply;
  reply.text = std::move(text);
  return reply;
}

std::string scope_word(scope::Scope scope) {
  switch (scope) {
    case scope::Scope::personal:
      return "个人知识库";
    case scope::Scope::team:
      return "团队知识库";
    case scope::Scope::both:
      return "个人知识库和团队知识库";
  }
  return {};
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

Desk::Desk(aio::Pool& files, Durable& durable, Clock const& clock, Hooks hooks)
    : files_(files), durable_(durable), clock_(clock), hooks_(std::move(hooks)) {}

aio::Task<CommandReply> Desk::handle(Command command, scope::InboundMessage message) {
  switch (command.kind) {
    case Command::Kind::help:
      co_return said(help_text(command.argument));
    case Command::Kind::whoami:
      co_return whoami(message);
    case Command::Kind::scope:
      co_return scope_of(command.argument, message);
    case Command::Kind::status:
      co_return status(message);
    case Command::Kind::sources:
      break;
    case Command::Kind::bind:
      break;
    case Command::Kind::unbind:
      break;
    case Command::Kind::confirm:
      break;
  }
  std::string argument = std::move(command.argument);
  CommandReply reply;
  if (command.kind == Command::Kind::sources) {
    reply = co_await sources(std::move(argument), std::move(message));
  } else if (command.kind == Command::Kind::confirm) {
    reply = co_await confirm(std::move(argument), std::move(message));
  } else {
    reply = co_await request(command.kind == Command::Kind::bind, std::move(argument), std::move(message));
  }
  co_return reply;
}

CommandReply Desk::whoami(scope::InboundMessage const& message) const {
  World const world = hooks_.world();
  config::Directory const& directory = world.books->directory;
  config::User const* user = directory.user(message.principal.user);
  if (user == nullptr) {
    return said("我还不认识你（" + message.principal.user.str() + "）。" + "请先完成个人知识库初始化。");
  }
  std::string text = "你是 " + (user->name.empty() ? user->id.str() : user->name) + "（" + user->id.str() + "）。";
  // In a group, nothing that is not the group's own business: neither other teams nor that a personal knowledge base
  // exists.
  bool const group = message.chat_type == scope::ChatType::group;
  config::Binding const* const binding = group ? directory.binding(message.chat) : nullptr;
  for (TeamId const& id : user->teams) {
    config::Team const* team = directory.team(id);
    if (team == nullptr) continue;
    if (group && (binding == nullptr || binding->team != id)) continue;
    text += "\n团队：" + team->name;
    text += team->has_admin(user->id) ? "（管理员）" : team->has_member(user->id) ? "（成员）" : "（不在成员名单中）";
  }
  if (!group && user->personal_kb) text += "\n个人知识库：" + user->personal_kb->str();
  return said(std::move(text));
}

CommandReply Desk::scope_of(std::string const& question, scope::InboundMessage const& message) const {
  World const world = hooks_.world();
  scope::ScopeOutcome const outcome = scope::resolve(request_of(message, question), world.books->directory);
  if (!outcome.granted()) return refused(outcome.message);
  std::string text = question.empty() ? "默认范围：" : "这个问题的范围：";
  text += scope_word(outcome.scope) + "。";
  for (scope::GrantedRepo const& repo : outcome.grant->repos()) {
    text += "\n" + std::string(repo.label == scope::Label::personal ? "个人知识库 " : "团队知识库 ") + repo.id.str();
  }
  if (outcome.project_name) text += "\n项目：" + *outcome.project_name;
  return said(std::move(text));
}

CommandReply Desk::status(scope::InboundMessage const& message) const {
  World const world = hooks_.world();
  scope::ScopeOutcome const context =
      scope::chat_context(message.principal.user, message.chat_type, message.chat, world.books->directory);
  std::string text;
  if (message.chat_type == scope::ChatType::group) {
    if (context.refusal) return refused(context.message);
    text = "本群已绑定团队：" + (context.team ? context.team->name : std::string()) + "。";
    if (context.binding)
      text += "\n绑定人：" + context.binding->bound_by.str() + "，时间：" + context.binding->bound_at;
  } else {
    text = "私聊。";
  }
  scope::ScopeOutcome const outcome = scope::resolve(request_of(message, {}), world.books->directory);
  if (!outcome.granted()) return said(text + "\n" + outcome.message);
  for (scope::GrantedRepo const& repo : outcome.grant->repos()) {
    RepoState const* const state = hooks_.repo_state(repo.id);
    text += "\n" + repo.id.str() + "：";
    if (state == nullptr || state->commit.empty()) {
      text += "还没有可用的内容";
    } else {
      text += std::to_string(state->pages) + " 页，提交 " + state->commit.substr(0, 8);
      if (!state->fault.empty()) text += "（暂时无法更新，继续使用上一个版本）";
    }
  }
  return said(std::move(text));
}

aio::Task<CommandReply> Desk::sources(std::string query_id, scope::InboundMessage message) {
  Result<std::optional<logging::StoredReply>> stored = std::optional<logging::StoredReply>();
  auto look = [&] { stored = durable_.journal().last_reply(message, query_id); };
  co_await files_.run(look);
  if (!stored) co_return refused("暂时查不到来源，请稍后再试。");
  if (!*stored) {
    co_return refused(query_id.empty() ? "本会话还没有回答过问题。" : "本会话里没有编号为 " + query_id + " 的回答。");
  }
  std::string const& text = (*stored)->text;
  auto block = text.rfind("\n来源：");
  if (block == text.npos) block = text.rfind("\nSources:");
  CommandReply reply = said(block == text.npos ? "来源：无" : text.substr(block + 1));
  reply.sources_json = (*stored)->sources_json;
  co_return reply;
}

aio::Task<CommandReply> Desk::request(bool bind, std::string team, scope::InboundMessage message) {
  World const world = hooks_.world();
  config::Directory const& directory = world.books->directory;
  if (message.chat_type != scope::ChatType::group) co_return refused("请在要绑定的群里 @我 发送这个命令。");
  if (bind && team.empty()) {
    // One team to speak of: the words need not name it.
    std::vector<config::Team const*> administered;
    for (auto const& [id, t] : directory.teams) {
      if (t.has_admin(message.principal.user)) administered.push_back(&t);
    }
    if (administered.size() != 1) co_return refused("请说明要绑定哪个团队，例如：/bind 团队名");
    team = administered.front()->id.str();
  }
  TimePoint const now = clock_.now();
  config::BindingStep<config::PendingBinding> const step =
      bind ? config::request_bind(directory, message.chat, message.chat_name, team, message.principal.user, now,
                                  random_code())
           : config::request_unbind(directory, message.chat, message.principal.user, now, random_code());
  if (auto const* refusal = std::get_if<config::BindingRefusal>(&step)) co_return refused(refusal->text);
  auto const& pending = std::get<config::PendingBinding>(step);
  BindingFiles const files(world.books->settings);
  Result<void> saved = Error(Errc::unavailable, "not run");
  auto job = [&] { saved = store(files, pending, now); };
  co_await files_.run(job);
  if (!saved) {
    log::write(log::Level::error, "binding.not_saved", {{"reason", saved.error().what}});
    co_return refused("没能保存这个请求，本群的绑定没有改变。请稍后再试，或联系运维检查状态目录。");
  }
  co_return said((bind ? "将把本群绑定到团队「" + pending.team_name + "」，绑定后群里的提问只查该团队的知识库。"
                       : "将解除本群与团队「" + pending.team_name + "」的绑定。") +
                 "\n请在 10 分钟内由该团队管理员在本群回复：/confirm " + pending.code);
}

aio::Task<CommandReply> Desk::confirm(std::string code, scope::InboundMessage message) {
  if (code.empty()) co_return refused("请带上编号，例如：/confirm BIND-A2C4");
  if (message.chat_type != scope::ChatType::group) co_return refused("请在要绑定的群里确认。");
  code = upper(std::move(code));
  World const world = hooks_.world();
  BindingFiles const files(world.books->settings);
  TimePoint const now = clock_.now();
  std::string refusal;
  std::optional<Error> fault;
  std::optional<config::BindingChange> change;
  // Decided against the files as they are now, not as they were when the question came in.
  auto job = [&] {
    Result<std::optional<config::PendingBinding>> const pending = find_pending(files, code);
    if (!pending) {
      fault = pending.error();
      return;
    }
    config::BindingStep<config::BindingChange> const step = config::confirm(
        world.books->directory, *pending ? &**pending : nullptr, message.chat, message.principal.user, now);
    if (auto const* no = std::get_if<config::BindingRefusal>(&step)) {
      refusal = no->text;
      return;
    }
    change = std::get<config::BindingChange>(step);
    Result<void> saved = store(files, *change);
    if (!saved && saved.error().code == Errc::denied) {
      refusal =
          "本群刚刚绑定了另一个团队，不能覆盖。请先由该团队的管理员解绑。";  // N-12, decided under the file's lock
      return;
    }
    if (saved) saved = forget_pending(files, code);
    if (!saved) fault = saved.error();
  };
  co_await files_.run(job);
  if (fault) {
    log::write(log::Level::error, "binding.not_saved", {{"reason", fault->what}});
    co_return refused("没能保存绑定。请稍后再试，或联系运维检查状态目录。");
  }
  if (!refusal.empty()) co_return refused(std::move(refusal));
  co_await hooks_.reload();
  log::write(log::Level::info, change->binding.enabled ? "chat.bound" : "chat.unbound",
             {{"chat_id", change->binding.chat.str()},
              {"team_id", change->binding.team.str()},
              {"actor", message.principal.user.str()}});
  World const after = hooks_.world();
  config::Binding const* const now_bound = after.books->directory.binding(message.chat);
  if (now_bound == nullptr || now_bound->team != change->binding.team ||
      now_bound->enabled != change->binding.enabled) {
    // Another file is broken at this moment, so the last good ones stay in force.
    co_return said(
        "已保存，但配置文件里有别的错误，修好之后才会生效。请联系运维查看 /readyz 或运行 kbgate check_config。");
  }
  co_return said(change->binding.enabled
                     ? "已绑定：本群的提问现在由团队「" + change->binding.team_name + "」的知识库回答。"
                     : "已解绑：本群不再查询团队「" + change->binding.team_name + "」的知识库。");
}

aio::Task<> Desk::disable(ChatId chat, std::string why) {
  World const world = hooks_.world();
  std::optional<config::BindingChange> const change = config::disable(world.books->directory, chat, clock_.now());
  if (!change) co_return;
  BindingFiles const files(world.books->settings);
  Result<void> saved = Error(Errc::unavailable, "not run");
  auto job = [&] { saved = store(files, *change); };
  co_await files_.run(job);
  if (!saved) {
    log::write(log::Level::error, "binding.not_saved", {{"chat_id", chat.str()}, {"reason", saved.error().what}});
    co_return;
  }
  co_await hooks_.reload();
  log::write(log::Level::info, "chat.disabled", {{"chat_id", chat.str()}, {"reason", why}});
}

}  // namespace kb::daemon
