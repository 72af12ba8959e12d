#include "daemon/commands.hpp"

#include <doctest/doctest.h>
#include <optional>
#include <string>

namespace kb::daemon {
namespace {

using Kind = Command::Kind;

char const* name_of(std::optional<Command> const& command) {
  if (!command) return "question";
  switch (command->kind) {
    case Kind::help:
      return "help";
    case Kind::whoami:
      return "whoami";
    case Kind::scope:
      return "scope";
    case Kind::sources:
      return "sources";
    case Kind::bind:
      return "bind";
    case Kind::confirm:
      return "confirm";
    case Kind::unbind:
      return "unbind";
    case Kind::status:
      return "status";
  }
  return "?";
}

}  // namespace

TEST_CASE("a message is a command or a question by its words") {
  struct Row {
    std::string text, kind, argument;
    char const* why;
  };
  static Row const rows[] = {
      {"/help", "help", "", "slash form"},
      {"/帮助", "help", "", "Chinese name"},
      {"／帮助", "help", "", "full-width slash of a Chinese keyboard"},
      {"/HELP", "help", "", "case does not count"},
      {"", "help", "", "nothing but a mention"},
      {"   ", "help", "", "white space"},
      {"/whoami", "whoami", "", "slash form"},
      {"/我是谁", "whoami", "", "Chinese name"},
      {"我是谁", "whoami", "", "the words alone"},
      {"/scope", "scope", "", "no question"},
      {"/scope 我们上周定了什么？", "scope", "我们上周定了什么？", "with a question"},
      {"/范围 我的笔记", "scope", "我的笔记", "Chinese name"},
      {"/sources", "sources", "", "slash form"},
      {"/来源 01JABC", "sources", "01JABC", "with a query id"},
      {"/bind NLP 团队", "bind", "NLP 团队", "the team keeps its spaces"},
      {"/绑定 NLP", "bind", "NLP", "Chinese name"},
      {"绑定本群到 NLP 团队", "bind", "NLP", "natural words (INTERFACES §6)"},
      {"把本群绑定到NLP团队。", "bind", "NLP", "no spaces, a full stop"},
      {"綁定本群到 NLP 團隊", "bind", "NLP", "Traditional characters"},
      {"bind this group to NLP team", "bind", "NLP", "English"},
      {"Bind this group to NLP", "bind", "NLP", "case does not count"},
      {"绑定本群", "bind", "", "the team may be obvious"},
      {"怎么绑定本群？", "question", "", "asks about binding"},
      {"绑定本群到哪个团队？", "question", "", "asks, though it begins like the command"},
      {"绑定本群吗", "question", "", "asks without a mark"},
      {"绑定本群的步骤写在哪里", "question", "", "goes on after the command's words"},
      {"/confirm BIND-A2C4", "confirm", "BIND-A2C4", "slash form"},
      {"/确认 BIND-A2C4", "confirm", "BIND-A2C4", "Chinese name"},
      {"BIND-A2C4", "confirm", "BIND-A2C4", "the code alone"},
      {"unbind-a2c4", "confirm", "unbind-a2c4", "the code alone, lower case"},
      {"BIND-A2C4X", "question", "", "no code: one character too many"},
      {"确认绑定 BIND-A2C4", "confirm", "BIND-A2C4", "natural words"},
      {"/unbind", "unbind", "", "slash form"},
      {"/解绑", "unbind", "", "Chinese name"},
      {"解除绑定", "unbind", "", "natural words"},
      {"unbind this group", "unbind", "", "English"},
      {"/status", "status", "", "slash form"},
      {"/状态", "status", "", "Chinese name"},
      {"/halp", "help", "halp", "a slip gets the list"},
      {"/etc/hosts 里写了什么", "question", "", "a path is no command"},
      {"上周组会定了什么？", "question", "", "a question"},
      {"help me find the decision", "question", "", "help is not all of it"},
      {"状态机怎么实现", "question", "", "begins like a Chinese name without the slash"},
      {"来源", "question", "", "the bare word is no command"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    std::optional<Command> const command = parse_command(row.text);
    CHECK_EQ(name_of(command), row.kind);
    if (command) CHECK_EQ(command->argument, row.argument);
  }
}

TEST_CASE("the mention of the bot is no part of the question") {
  struct Row {
    std::string text;
    bool mentioned;
    std::string want;
    char const* why;
  };
  static Row const rows[] = {
      {"@bot 上周定了什么？", true, "上周定了什么？", "leading mention"},
      {"  @知识助手   /help ", true, "/help", "spaces around"},
      {"@bot @另一个 你好", true, "你好", "several mentions"},
      {"上周定了什么？ @bot", true, "上周定了什么？", "trailing mention"},
      {"@bot", true, "", "nothing else"},
      {"@Transactional 注解是什么", false, "@Transactional 注解是什么", "no mention: the text is the question"},
      {"发邮件到 a@example.org", true, "发邮件到 a@example.org", "an address is no mention"},
      {"上周 @bot 定了什么？", true, "上周 @bot 定了什么？", "in the middle it may be part of the sentence"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    CHECK_EQ(without_mention(row.text, row.mentioned), row.want);
  }
}

TEST_CASE("help names every command and says when one is unknown") {
  std::string const help = help_text("halp");
  for (char const* word :
       {"/halp", "/help", "/whoami", "/scope", "/sources", "/status", "/bind", "/confirm", "/unbind", "10 分钟"}) {
    CAPTURE(word);
    CHECK(help.find(word) != std::string::npos);
  }
  CHECK(help_text("").find("没有「") == std::string::npos);
}

}  // namespace kb::daemon
