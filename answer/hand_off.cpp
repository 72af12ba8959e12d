#include <algorithm>
#include <array>

#include "answer/characters.hpp"
#include "answer/respond.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::answer {
namespace {

// A request begins with its verb, once politeness is off; a question about storing asks (怎么, 谁, 什么…) or tells.
constexpr auto kPolite = std::to_array<std::string_view>(
    {"请你",    "请",        "麻烦你",    "麻烦",    "帮我",   "帮忙",  "你能不能", "能不能", "你可以",
     "可以",    "可否",      "能否",      "能",      "你",     "给我",  "我想",     "我要",   "please",
     "can you", "could you", "would you", "help me", "kindly", "let's", "，",       ",",      " "});
constexpr auto kPoliteEnds = std::to_array<std::string_view>(
    {"好吗",   "可以吗", "行吗", "好不好", "谢谢", "吧", "哈", "吗", "thanks", "thank you",
     "please", "？",     "?",    "。",     ".",    "！", "!",  "，", ",",      " "});
constexpr auto kAsking = std::to_array<std::string_view>(
    {"怎么",   "如何",   "怎样", "为什么", "为何", "谁",   "什么", "哪",   "多少",   "第几",  "几点",   "几号", "是否",
     "有没有", "是不是", "了吗", "过吗",   "了没", "how ", "why ", "who ", "where ", "when ", "which ", "what "});

constexpr auto kStoreVerbs = std::to_array<std::string_view>(
    {"存到", "存入", "存进",   "存下", "存一下", "保存", "收录", "录入", "入库", "归档",  "收藏",
     "导入", "上传", "添加到", "加到", "加入",   "写入", "放到", "放进", "记到", "记录到"});
constexpr auto kStores = std::to_array<std::string_view>({"知识库", "资料库", "个人库", "团队库", "入库"});
constexpr auto kPointing =
    std::to_array<std::string_view>({"这", "此", "以下", "下面", "附件", "链接", "文件", "上面"});
constexpr auto kLatinStoreVerbs = std::to_array<std::string_view>(
    {"save ", "store ", "ingest ", "add ", "put ", "file ", "upload ", "import ", "archive "});
constexpr auto kLatinStores = std::to_array<std::string_view>({"knowledge base", " kb", "knowledge-base"});
constexpr auto kReviewNouns =
    std::to_array<std::string_view>({"综述", "研究缺口", "研究空白", "实验建议", "文献回顾", "研究建议"});
constexpr auto kReviewVerbs =
    std::to_array<std::string_view>({"写", "生成", "做", "整理", "撰写", "起草", "产出", "出一", "来一", "找出",
                                     "找一下", "找", "分析", "梳理", "给出", "提", "一份", "一篇"});
constexpr auto kLatinReviews =
    std::to_array<std::string_view>({"review of", "literature review", "survey of", "research gap", "experiment advice",
                                     "experiment suggestions", "suggest experiments"});
constexpr auto kLatinReviewVerbs = std::to_array<std::string_view>(
    {"write ", "draft ", "generate ", "produce ", "find ", "identify ", "suggest ", "give "});

template <std::size_t N>
bool holds_any(std::string_view text, std::array<std::string_view, N> const& words) noexcept {
  return std::any_of(words.begin(), words.end(), [text](std::string_view w) { return text.find(w) != text.npos; });
}
template <std::size_t N>
bool starts_any(std::string_view text, std::array<std::string_view, N> const& words) noexcept {
  return std::any_of(words.begin(), words.end(), [text](std::string_view w) { return text.starts_with(w); });
}

/// The request without politeness at either end.
std::string_view bare(std::string_view text) {
  for (bool changed = true; changed;) {
    changed = false;
    text = trim(text);
    for (std::string_view const word : kPolite) {
      if (!text.starts_with(word)) continue;
      text.remove_prefix(word.size());
      changed = true;
      break;
    }
    for (std::string_view const word : kPoliteEnds) {
      if (!text.ends_with(word)) continue;
      text.remove_suffix(word.size());
      changed = true;
      break;
    }
  }
  return text;
}

/// S1-9: 把这个存到知识库 · 保存这篇论文 · "save this to the knowledge base".
bool is_storing(std::string_view text) {
  bool const object_first = text.starts_with("把") || text.starts_with("将") || starts_any(text, kPointing);
  if (object_first || starts_any(text, kStoreVerbs)) {
    bool const has_verb = holds_any(text, kStoreVerbs);
    return has_verb && (holds_any(text, kStores) || (holds_any(text, kPointing) && text.find("到") == text.npos));
  }
  return starts_any(text, kLatinStoreVerbs) && holds_any(text, kLatinStores);
}

/// S1-10: 批量编译这个仓库, not 批量编译的进度.
bool is_compiling(std::string_view text) {
  for (std::string_view const verb :
       {"批量编译", "批量导入", "批量处理", "批量入库", "batch compile", "batch-compile"}) {
    auto const at = text.find(verb);
    if (at == text.npos) continue;
    std::string_view const rest = text.substr(at + verb.size());
    bool const leads = at == 0 || text.starts_with("把") || text.starts_with("将");
    if (leads && !rest.starts_with("的") && !rest.starts_with("失败") && !rest.starts_with("任务")) return true;
  }
  return false;
}

/// S1-11: 写一份 X 综述 · 找出 X 的研究缺口; 综述 is what is to be made, so that little follows it.
bool is_reviewing(std::string_view text) {
  if (starts_any(text, kReviewVerbs)) {
    for (std::string_view const noun : kReviewNouns) {
      auto const at = text.rfind(noun);
      if (at != text.npos && count_chars(text.substr(at + noun.size())) <= 2 &&
          !text.substr(at + noun.size()).starts_with("的")) {
        return true;
      }
    }
    bool const writes = text.starts_with("写") || text.starts_with("生成") || text.starts_with("撰写");
    if (writes && text.find("综述") != text.npos && text.find("综述的") == text.npos) return true;
  }
  return starts_any(text, kLatinReviewVerbs) && holds_any(text, kLatinReviews);
}

}  // namespace

std::string hand_off_of(std::string_view question) {
  std::string const folded = kbrepo::index::fold(first_chars(question, 1000));
  std::string_view const text = bare(folded);
  if (holds_any(text, kAsking)) return {};
  if (is_compiling(text)) return "batch_compile";  // before storing: 批量入库 is both
  if (is_storing(text)) return "ingest_document";
  if (is_reviewing(text)) return "kb_review";
  return {};
}

}  // namespace kb::answer
