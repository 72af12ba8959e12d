#include "answer/question.hpp"

#include <algorithm>
#include <array>

#include "answer/characters.hpp"
#include "answer/texts.hpp"
#include "kbrepo/index/terms.hpp"
#include "scope/words.hpp"

namespace kb::answer {
namespace {

using kbrepo::index::fold;

struct IntentWord {
  std::string_view word;
  Intent intent;
};

/// First hit decides; names of people and projects come before this table. Words are folded.
constexpr std::array kIntentWords{
    IntentWord{"项目", Intent::project},        IntentWord{"进展", Intent::project},
    IntentWord{"里程碑", Intent::project},      IntentWord{"project", Intent::project},
    IntentWord{"milestone", Intent::project},   IntentWord{"roadmap", Intent::project},
    IntentWord{"是谁", Intent::person},         IntentWord{"谁", Intent::person},
    IntentWord{"负责人", Intent::person},       IntentWord{"哪位", Intent::person},
    IntentWord{"who", Intent::person},          IntentWord{"whom", Intent::person},
    IntentWord{"论文", Intent::material},       IntentWord{"纪要", Intent::material},
    IntentWord{"组会", Intent::material},       IntentWord{"会议", Intent::material},
    IntentWord{"实验", Intent::material},       IntentWord{"报告", Intent::material},
    IntentWord{"笔记", Intent::material},       IntentWord{"资料", Intent::material},
    IntentWord{"paper", Intent::material},      IntentWord{"meeting", Intent::material},
    IntentWord{"experiment", Intent::material}, IntentWord{"notes", Intent::material},
    IntentWord{"report", Intent::material},     IntentWord{"数据集", Intent::resource},
    IntentWord{"工具", Intent::resource},       IntentWord{"资源", Intent::resource},
    IntentWord{"链接", Intent::resource},       IntentWord{"仓库", Intent::resource},
    IntentWord{"dataset", Intent::resource},    IntentWord{"tool", Intent::resource},
    IntentWord{"resource", Intent::resource},   IntentWord{"什么是", Intent::concept_},
    IntentWord{"是什么", Intent::concept_},     IntentWord{"什么意思", Intent::concept_},
    IntentWord{"定义", Intent::concept_},       IntentWord{"概念", Intent::concept_},
    IntentWord{"区别", Intent::concept_},       IntentWord{"what is", Intent::concept_},
    IntentWord{"what's", Intent::concept_},     IntentWord{"definition", Intent::concept_},
    IntentWord{"mean", Intent::concept_},
};

struct ExpectedWord {
  std::string_view word;
  Expected expected;
};

/// First hit decides. Words are folded; Latin ones must stand alone.
constexpr std::array kExpectedWords{
    ExpectedWord{"为什么", Expected::reason},
    ExpectedWord{"为何", Expected::reason},
    ExpectedWord{"原因", Expected::reason},
    ExpectedWord{"理由", Expected::reason},
    ExpectedWord{"why", Expected::reason},
    ExpectedWord{"哪些", Expected::list},
    ExpectedWord{"哪几", Expected::list},
    ExpectedWord{"列出", Expected::list},
    ExpectedWord{"谁", Expected::person},
    ExpectedWord{"哪位", Expected::person},
    ExpectedWord{"负责人", Expected::person},
    ExpectedWord{"who", Expected::person},
    ExpectedWord{"whom", Expected::person},
    ExpectedWord{"whose", Expected::person},
    ExpectedWord{"什么时候", Expected::time},
    ExpectedWord{"何时", Expected::time},
    ExpectedWord{"几号", Expected::time},
    ExpectedWord{"几月", Expected::time},
    ExpectedWord{"哪天", Expected::time},
    ExpectedWord{"哪一天", Expected::time},
    ExpectedWord{"哪年", Expected::time},
    ExpectedWord{"哪一年", Expected::time},
    ExpectedWord{"几点", Expected::time},
    ExpectedWord{"多久", Expected::quantity},
    ExpectedWord{"when", Expected::time},
    ExpectedWord{"what year", Expected::time},
    ExpectedWord{"what time", Expected::time},
    ExpectedWord{"which day", Expected::time},
    ExpectedWord{"多少", Expected::quantity},
    ExpectedWord{"几", Expected::quantity},
    ExpectedWord{"多大", Expected::quantity},
    ExpectedWord{"how many", Expected::quantity},
    ExpectedWord{"how much", Expected::quantity},
    ExpectedWord{"how long", Expected::quantity},
    ExpectedWord{"how often", Expected::quantity},
    ExpectedWord{"哪里", Expected::place},
    ExpectedWord{"哪儿", Expected::place},
    ExpectedWord{"在哪", Expected::place},
    ExpectedWord{"where", Expected::place},
    ExpectedWord{"怎么", Expected::way},
    ExpectedWord{"如何", Expected::way},
    ExpectedWord{"怎样", Expected::way},
    ExpectedWord{"how", Expected::way},
    ExpectedWord{"是什么", Expected::definition},
    ExpectedWord{"什么是", Expected::definition},
    ExpectedWord{"什么意思", Expected::definition},
    ExpectedWord{"what is a", Expected::definition},
    ExpectedWord{"which", Expected::anything},
    ExpectedWord{"what", Expected::anything},
    ExpectedWord{"吗", Expected::yes_no},
    ExpectedWord{"是否", Expected::yes_no},
    ExpectedWord{"有没有", Expected::yes_no},
    ExpectedWord{"能不能", Expected::yes_no},
    ExpectedWord{"是不是", Expected::yes_no},
};
constexpr std::array<std::string_view, 12> kYesNoOpeners{"is ",    "are ", "does ", "do ",  "did ",    "can ",
                                                         "could ", "has ", "have ", "was ", "should ", "will "};

// Asking words around a subject (S1-39), taken off again and again. Longer ones first where one begins another.
constexpr auto kLeads = std::to_array<std::string_view>(
    {"请问一下",       "请问",     "你好",     "您好",   "麻烦",     "帮我查一下", "帮我查查", "帮我看看", "帮我",
     "查一下",         "查询",     "查查",     "告诉我", "我想知道", "我想问一下", "我想问",   "想问一下", "想知道",
     "知识库里有没有", "知识库里", "知识库中", "有没有", "什么是",   "谁是",       "为什么",   "怎么",     "如何",
     "关于",           "一下",     "，",       ",",      "、",       "：",         ":"});
constexpr auto kTails = std::to_array<std::string_view>(
    {"在什么时候", "在什么地方", "在几点",     "在哪天",   "在哪一天", "几点开始", "几点",   "几号",   "是什么意思",
     "是什么",     "什么意思",   "是谁呢",     "是谁",     "在哪里",   "在哪儿",   "在哪",   "是哪里", "是哪儿",
     "是哪个",     "是哪一个",   "是哪天",     "是哪一天", "是哪年",   "是哪些",   "有哪些", "是多少", "有多少",
     "多少钱",     "多少",       "是什么时候", "什么时候", "怎么样",   "怎么办",   "怎么做", "怎么写", "怎么用",
     "怎么",       "如何",       "是啥",       "啥",       "什么",     "哪里",     "谁",     "的资料", "的内容",
     "吗",         "呢",         "啊",         "呀",       "吧",       "么",       "了",     "的",     "？",
     "?",          "。",         "！",         "!",        ".",        "~",        "，",     ","});
constexpr auto kLatinLeads = std::to_array<std::string_view>(
    {"please",      "hi",       "hello",    "hey",       "can you",  "could you", "tell me",   "i want to know",
     "do you know", "what is",  "what's",   "what are",  "what was", "what were", "what does", "what do",
     "what",        "who is",   "who's",    "who are",   "who",      "where is",  "where are", "where's",
     "where",       "when is",  "when was", "when does", "when did", "when",      "why is",    "why are",
     "why do",      "why does", "why did",  "why",       "how do i", "how do we", "how to",    "how does",
     "how many",    "how much", "how long", "how",       "which",    "is there",  "are there", "is",
     "are",         "does",     "do",       "did",       "the",      "a",         "an",        "about",
     "any"});

bool take_lead(std::string_view& text) {
  for (std::string_view const lead : kLeads) {
    if (text.size() > lead.size() && text.starts_with(lead)) {
      text = trim(text.substr(lead.size()));
      return true;
    }
  }
  std::string const lower = lower_ascii(text.substr(0, 40));
  for (std::string_view const lead : kLatinLeads) {
    if (lower.size() > lead.size() && lower.starts_with(lead) &&
        (lower[lead.size()] == ' ' || lower[lead.size()] == ',')) {
      text = trim(text.substr(lead.size() + 1));
      return true;
    }
  }
  return false;
}

bool take_tail(std::string_view& text) {
  for (std::string_view const tail : kTails) {
    bool const inside_word = tail == "么" && (text.ends_with("什么") || text.ends_with("怎么"));
    if (text.size() > tail.size() && text.ends_with(tail) && !inside_word) {
      text = trim(text.substr(0, text.size() - tail.size()));
      return true;
    }
  }
  return false;
}

void add(std::vector<Names::Entry>& out, std::string_view name, std::string_view id) {
  std::string folded = fold(name);
  if (count_chars(folded) < 2) return;  // one character names nobody for sure
  out.push_back({std::move(folded), std::string(id)});
}

std::string_view stem_of(std::string_view path) noexcept {
  std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

std::vector<std::string> named_in(std::string_view question, std::vector<Names::Entry> const& entries) {
  std::vector<std::string> out;
  for (Names::Entry const& entry : entries) {
    if (has_word(question, entry.name) && std::find(out.begin(), out.end(), entry.id) == out.end())
      out.push_back(entry.id);
  }
  return out;
}

Intent intent_of(Question const& question) {
  if (!question.people.empty()) return Intent::person;
  if (!question.projects.empty()) return Intent::project;
  for (IntentWord const& entry : kIntentWords) {
    if (has_word(question.folded, entry.word)) return entry.intent;
  }
  return Intent::general;
}

}  // namespace

bool has_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  auto const alnum = [](char c) { return is_ascii_alnum(static_cast<unsigned char>(c)); };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    bool const before = at > 0 && alnum(text[at - 1]) && alnum(word.front());
    std::size_t const end = at + word.size();
    bool const after = end < text.size() && alnum(text[end]) && alnum(word.back());
    if (!before && !after) return true;
  }
  return false;
}

Names names_of(kbrepo::Shelf const& shelf) {
  Names out;
  for (kbrepo::SnapshotPtr const& book : shelf.books) {
    for (kbrepo::PageInfo const& page : book->pages(shelf.grant)) {
      if (page.kind != kbrepo::PageKind::evidence) continue;
      if (page.role == kbrepo::PageRole::person) {
        add(out.people, page.title, page.path);
        add(out.people, stem_of(page.path), page.path);
        for (std::string const& alias : page.aliases) add(out.people, alias, page.path);
      } else if (page.role == kbrepo::PageRole::project) {
        std::string_view const project = kbrepo::project_of(page.path);
        if (project.empty() || stem_of(page.path) != "index") continue;
        add(out.projects, project, project);
        add(out.projects, page.title, project);
        for (std::string const& alias : page.aliases) add(out.projects, alias, project);
      }
    }
    for (kbrepo::CatalogEntry const& project : book->catalog(shelf.grant).projects) {
      add(out.projects, project.id, project.id);
      add(out.projects, project.title, project.id);
    }
  }
  return out;
}

Expected expected_of(std::string_view folded) {
  for (ExpectedWord const& entry : kExpectedWords) {
    if (has_word(folded, entry.word)) return entry.expected;
  }
  for (std::string_view const opener : kYesNoOpeners) {
    if (folded.starts_with(opener)) return Expected::yes_no;
  }
  return Expected::anything;
}

std::string subject_of(std::string_view question) {
  std::string const clean = subject_text(first_chars(question, 400));
  std::string_view text = clean;
  while (take_tail(text) || take_lead(text)) {
  }
  return std::string(text.empty() ? std::string_view(clean) : text);
}

Question understand(std::string const& text, Names const& names, std::optional<std::string> const& project_id) {
  Question out;
  out.text = text;
  out.folded = fold(text);
  out.lang = scope::language_of(text);
  out.subject = subject_of(text);
  out.expected = expected_of(out.folded);
  out.people = named_in(out.folded, names.people);
  out.projects = named_in(out.folded, names.projects);
  bool const known =
      project_id && std::find(out.projects.begin(), out.projects.end(), *project_id) != out.projects.end();
  if (project_id && !known) out.projects.insert(out.projects.begin(), *project_id);
  out.intent = intent_of(out);
  return out;
}

}  // namespace kb::answer
