#include "kbrepo/index/function_words.hpp"

#include <algorithm>
#include <array>

namespace kb::kbrepo::index {
namespace {

constexpr auto kEnglish = std::to_array<std::string_view>(
    {"a",      "about",  "after",  "all",    "also",    "am",     "an",      "and",   "another", "any",     "anybody",
     "anyone", "are",    "aren't", "as",     "at",      "be",     "because", "been",  "being",   "both",    "but",
     "by",     "can",    "can't",  "cannot", "could",   "did",    "didn't",  "do",    "does",    "doesn't", "doing",
     "don't",  "during", "each",   "either", "else",    "ever",   "every",   "exist", "explain", "find",    "for",
     "from",   "get",    "give",   "given",  "had",     "has",    "have",    "he",    "her",     "here",    "him",
     "his",    "how",    "i",      "i'm",    "if",      "in",     "into",    "is",    "isn't",   "it",      "its",
     "itself", "just",   "kind",   "know",   "let",     "like",   "long",    "many",  "may",     "me",      "mean",
     "might",  "mine",   "more",   "most",   "much",    "must",   "my",      "need",  "no",      "nor",     "not",
     "of",     "off",    "on",     "one",    "only",    "or",     "other",   "our",   "ours",    "out",     "over",
     "own",    "please", "same",   "shall",  "she",     "should", "so",      "some",  "such",    "tell",    "than",
     "that",   "the",    "their",  "them",   "then",    "there",  "these",   "they",  "this",    "those",   "to",
     "too",    "under",  "up",     "us",     "was",     "we",     "were",    "what",  "when",    "where",   "whether",
     "which",  "while",  "who",    "whom",   "whose",   "why",    "will",    "with",  "within",  "won't",   "would",
     "yes",    "you",    "your",   "yours",  "yourself"});
static_assert(std::is_sorted(kEnglish.begin(), kEnglish.end()));

constexpr auto kChinese = std::to_array<std::string_view>(
    {"为什么", "是不是", "有没有", "能不能", "可不可以", "会不会", "怎么样", "怎么办", "什么样", "什么", "怎么",
     "怎样",   "如何",   "为何",   "何时",   "何处",     "何种",   "哪些",   "哪个",   "哪里",   "哪儿", "哪种",
     "哪一个", "哪位",   "哪",     "多少",   "几个",     "几种",   "是否",   "能否",   "可否",   "请问", "关于",
     "对于",   "由于",   "因为",   "所以",   "但是",     "如果",   "以及",   "或者",   "还是",   "并且", "可以",
     "应该",   "需要",   "我们",   "你们",   "他们",     "它们",   "这个",   "那个",   "这些",   "那些", "这样",
     "其中",   "一个",   "一些",   "时候",   "告诉",     "介绍",   "知道",   "谁",     "的",     "了",   "吗",
     "呢",     "吧",     "啊",     "呀",     "么",       "是",     "在",     "有",     "和",     "与",   "及",
     "或",     "也",     "都",     "就",     "被",       "把",     "对",     "从",     "向",     "到",   "于",
     "为",     "以",     "而",     "其",     "之",       "所",     "我",     "你",     "他",     "她",   "它",
     "这",     "那",     "何",     "请",     "要",       "会",     "能"});

}  // namespace

bool is_english_function_word(std::string_view word) noexcept {
  return std::binary_search(kEnglish.begin(), kEnglish.end(), word);
}

std::size_t chinese_function_word_at(std::string_view text) noexcept {
  std::size_t longest = 0;
  for (std::string_view const word : kChinese) {
    if (word.size() > longest && text.starts_with(word)) longest = word.size();
  }
  return longest;
}

}  // namespace kb::kbrepo::index
