#include "daemon/asks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "answer/question.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::daemon {
namespace {

/// Wishes that are no questions by their form.
constexpr std::array<std::string_view, 33> kWishes{
    "查一下", "查查",      "查询",    "帮我查",   "帮我找",  "找一下",  "找找",    "搜一下", "搜索",
    "检索",   "介绍",      "总结",    "概括",     "讲讲",    "说说",    "列出",    "列一下", "解释",
    "说明",   "告诉我",    "请问",    "有没有",   "tell me", "show me", "look up", "search", "find",
    "list",   "summarize", "explain", "describe", "what's",  "who's"};

constexpr std::array<std::string_view, 24> kAsking{
    "什么", "怎么", "如何", "为什么", "为何", "哪",  "谁",  "几",    "多少",  "多久",  "是否", "能否",
    "吗",   "呢",   "what", "who",    "when", "why", "how", "where", "which", "whose", "does", "is there"};

}  // namespace

bool asks(std::string_view text) {
  std::string const folded = kbrepo::index::fold(text);
  if (folded.find('?') != folded.npos || text.find("？") != text.npos) return true;
  auto const said = [&folded](std::string_view word) { return answer::has_word(folded, word); };
  return std::any_of(kAsking.begin(), kAsking.end(), said) || std::any_of(kWishes.begin(), kWishes.end(), said);
}

}  // namespace kb::daemon
