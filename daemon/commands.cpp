#include "daemon/commands.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kb::daemon {
namespace {

using Kind = Command::Kind;

struct Slash {
  std::string_view name;
  Kind kind;
};
// INTERFACES §6.
constexpr std::array kSlashes{
    Slash{"help", Kind::help},       Slash{"帮助", Kind::help},       Slash{"whoami", Kind::whoami},
    Slash{"我是谁", Kind::whoami},   Slash{"scope", Kind::scope},     Slash{"范围", Kind::scope},
    Slash{"sources", Kind::sources}, Slash{"来源", Kind::sources},    Slash{"bind", Kind::bind},
    Slash{"绑定", Kind::bind},       Slash{"confirm", Kind::confirm}, Slash{"确认", Kind::confirm},
    Slash{"unbind", Kind::unbind},   Slash{"解绑", Kind::unbind},     Slash{"status", Kind::status},
    Slash{"状态", Kind::status},
};

/// The whole message starts with `lead`; what follows, up to `tail` if that is not empty, is the argument.
struct Natural {
  std::string_view lead;
  std::string_view tail;
  Kind kind;
  bool argument;  ///< may something follow the lead?
};
// Longest leads first: the first that fits decides.
constexpr std::array kNaturals{
    Natural{"绑定本群到", "团队", Kind::bind, true},
    Natural{"绑定这个群到", "团队", Kind::bind, true},
    Natural{"把本群绑定到", "团队", Kind::bind, true},
    Natural{"把这个群绑定到", "团队", Kind::bind, true},
    Natural{"将本群绑定到", "团队", Kind::bind, true},
    Natural{"本群绑定到", "团队", Kind::bind, true},
    Natural{"綁定本群到", "團隊", Kind::bind, true},
    Natural{"把本群綁定到", "團隊", Kind::bind, true},
    Natural{"绑定本群", "", Kind::bind, false},
    Natural{"綁定本群", "", Kind::bind, false},
    Natural{"解除本群绑定", "", Kind::unbind, false},
    Natural{"解除绑定", "", Kind::unbind, false},
    Natural{"解绑本群", "", Kind::unbind, false},
    Natural{"取消绑定", "", Kind::unbind, false},
    Natural{"解除綁定", "", Kind::unbind, false},
    Natural{"确认绑定", "", Kind::confirm, true},
    Natural{"确认解绑", "", Kind::confirm, true},
    Natural{"確認綁定", "", Kind::confirm, true},
    Natural{"bind this group to", "team", Kind::bind, true},
    Natural{"bind this chat to", "team", Kind::bind, true},
    Natural{"bind this group", "", Kind::bind, false},
    Natural{"bind this chat", "", Kind::bind, false},
    Natural{"unbind this group", "", Kind::unbind, false},
    Natural{"unbind this chat", "", Kind::unbind, false},
    Natural{"我是谁", "", Kind::whoami, false},
    Natural{"who am i", "", Kind::whoami, false},
    Natural{"帮助", "", Kind::help, false},
    Natural{"help", "", Kind::help, false},
};

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return out;
}

/// Full stops and exclamation marks at the end say nothing; a question mark does: it stays.
std::string_view without_full_stop(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view const mark :
         {std::string_view("。"), std::string_view("！"), std::string_view("."), std::string_view("!")}) {
      if (!text.ends_with(mark)) continue;
      text = trimmed(text.substr(0, text.size() - mark.size()));
      again = true;
    }
  }
  return text;
}

bool is_question(std::string_view text) { return text.ends_with("?") || text.ends_with("？") || text.ends_with("吗"); }

/// "BIND-A2C4" alone, in any case.
bool is_code(std::string_view text) {
  std::string const l = lower(text);
  for (std::string_view const prefix : {std::string_view("bind-"), std::string_view("unbind-")}) {
    if (!l.starts_with(prefix) || l.size() != prefix.size() + 4) continue;
    return std::all_of(l.begin() + static_cast<std::ptrdiff_t>(prefix.size()), l.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0; });
  }
  return false;
}

std::optional<Command> slash_command(std::string_view text) {
  if (text.starts_with("／")) {
    text.remove_prefix(std::string_view("／").size());
  } else if (text.starts_with("/")) {
    text.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  auto const end = text.find_first_of(kSpaces);
  std::string const name = lower(text.substr(0, end));
  std::string_view const rest = end == text.npos ? std::string_view() : trimmed(text.substr(end));
  for (Slash const& slash : kSlashes) {
    if (slash.name == name) return Command{slash.kind, std::string(rest)};
  }
  // "/etc/hosts 是什么" asks about a path; "/halp" is a slip.
  if (name.empty() || name.find('/') != name.npos) return std::nullopt;
  return Command{Kind::help, name};
}

std::optional<Command> natural_command(std::string_view text) {
  if (is_question(text)) return std::nullopt;
  std::string_view const said = without_full_stop(text);
  if (is_code(said)) return Command{Kind::confirm, std::string(said)};
  std::string const folded = lower(said);
  for (Natural const& natural : kNaturals) {
    if (!folded.starts_with(natural.lead)) continue;
    std::string_view rest = trimmed(said.substr(natural.lead.size()));
    if (!natural.argument) {
      if (!rest.empty()) continue;
      return Command{natural.kind, {}};
    }
    if (rest.empty()) continue;
    if (!natural.tail.empty() && lower(rest).ends_with(natural.tail))
      rest = trimmed(rest.substr(0, rest.size() - natural.tail.size()));
    if (rest.empty()) continue;
    return Command{natural.kind, std::string(rest)};
  }
  return std::nullopt;
}

}  // namespace

std::string without_mention(std::string_view text, bool mentioned) {
  std::string_view rest = trimmed(text);
  if (!mentioned) return std::string(rest);
  bool led = false;
  while (rest.starts_with('@')) {
    auto const end = rest.find_first_of(kSpaces);
    if (end == rest.npos) return {};  // nothing but a mention
    rest = trimmed(rest.substr(end));
    led = true;
  }
  if (!led) {
    auto const at = rest.rfind('@');
    if (at != rest.npos && at > 0 && kSpaces.find(rest[at - 1]) != kSpaces.npos &&
        rest.find_first_of(kSpaces, at) == rest.npos) {
      rest = trimmed(rest.substr(0, at));
    }
  }
  return std::string(rest);
}

std::optional<Command> parse_command(std::string_view text) {
  std::string_view const said = trimmed(text);
  if (said.empty()) return Command{Kind::help, {}};
  if (std::optional<Command> command = slash_command(said)) return command;
  return natural_command(said);
}

std::string help_text(std::string_view unknown_command) {
  std::string out;
  if (!unknown_command.empty()) out = "没有「/" + std::string(unknown_command) + "」这个命令。\n";
  out +=
      "我只根据知识库里的页面回答，并附上来源；知识库里没有的，我会直说没有。\n"
      "直接提问即可；在群里请 @我。\n"
      "/help 帮助 · 本说明\n"
      "/whoami 我是谁 · 你的身份与团队\n"
      "/scope 范围 [问题] · 这个问题会查哪些知识库\n"
      "/sources 来源 [编号] · 上一次回答的来源\n"
      "/status 状态 · 本会话的绑定与知识库状态\n"
      "/bind 绑定 团队 · 团队管理员在群里绑定本群\n"
      "/confirm 确认 编号 · 10 分钟内在同一个群确认绑定或解绑\n"
      "/unbind 解绑 · 团队管理员解除本群的绑定";
  return out;
}

}  // namespace kb::daemon
