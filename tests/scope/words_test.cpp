#include "scope/words.hpp"

#include <doctest/doctest.h>
#include <ostream>
#include <string>

namespace kb::scope {
static std::ostream& operator<<(std::ostream& out, Ownership const& o) {
  return out << (o.personal ? "personal " : "") << (o.team ? "team" : "");
}
}  // namespace kb::scope

namespace {

using kb::scope::Ownership;
using kb::scope::ownership_of;

constexpr Ownership kNone{false, false};
constexpr Ownership kMine{true, false};
constexpr Ownership kOurs{false, true};
constexpr Ownership kBoth{true, true};

struct Row {
  char const* question;
  Ownership want;
  char const* why;
};

template <std::size_t N>
void check(Row const (&rows)[N]) {
  for (auto const& row : rows) {
    std::string const question = row.question;
    CAPTURE(question);
    std::string const why = row.why;
    CAPTURE(why);
    CHECK_EQ(ownership_of(question), row.want);
  }
}

}  // namespace

TEST_CASE("the speaker's own material is personal (Chinese)") {
  static constexpr Row rows[] = {
      {"我的", kMine, "S1-20"},
      {"我", kMine, "S1-20 names bare 我"},
      {"个人资料", kMine, "S1-20"},
      {"我的？", kMine, "one word and a mark"},
      {"我之前存的论文", kMine, "S1-22"},
      {"我之前读过哪些关于扩散模型的论文？", kMine, "S1-22"},
      {"我存的那篇综述在哪", kMine, "word of the origin"},
      {"我存了什么", kMine, "word of the origin"},
      {"我存在哪里的资料", kMine, "我存 is not 我存在 here"},
      {"我自己的实验记录", kMine, "word of the origin"},
      {"我的资料", kMine, "word of the origin"},
      {"我的资料里有没有提到 BERT", kMine, "word of the origin"},
      {"我的笔记里怎么写的", kMine, "我的 stays whatever is asked"},
      {"怎么找到我的笔记", kMine, "我的 stays behind a how"},
      {"我上次写的周报", kMine, "time behind 我"},
      {"我上次怎么解决这个报错的？", kMine, "a how about what was"},
      {"我当时怎么解决的呢", kMine, "a how about what was"},
      {"我以前是如何做消融的", kMine, "time wins over how"},
      {"我记过什么", kMine, "a thing done"},
      {"我记过的那个公式", kMine, "a thing done"},
      {"我做过哪些实验", kMine, "我 is the subject asked about"},
      {"我做过的实验怎么复现", kMine, "the past decides, not the how"},
      {"我看过哪些论文", kMine, "看过 is not 看看"},
      {"我看的那本书讲什么", kMine, "看的 is not 看一下"},
      {"我读了多少篇", kMine, "a thing done"},
      {"我写过什么", kMine, "a thing done"},
      {"我昨天整理的要点", kMine, "time behind 我"},
      {"我去年参加了哪些会议", kMine, "time behind 我, not 我去哪"},
      {"我负责什么", kMine, "asked of oneself"},
      {"我负责的模块怎么部署", kMine, "负责 ties it to the speaker"},
      {"我有哪些待办", kMine, "asked of oneself"},
      {"我有没有记过这个", kMine, "asked of oneself"},
      {"我明天要做什么", kMine, "要 is not directly behind 我"},
      {"我还没读的论文有哪些", kMine, "adverb between"},
      {"我也存过这篇吗", kMine, "adverb between"},
      {"我刚才保存的内容", kMine, "adverb between"},
      {"我想到的点子有哪些", kMine, "想到 is not 想"},
      {"我想过的方案", kMine, "想过 is not 想"},
      {"我查过的资料", kMine, "查过 is not 查一下"},
      {"我问过的问题", kMine, "问过 is not 问一下"},
      {"我得到的结论", kMine, "得到 is not 得"},
      {"我会议上说了什么", kMine, "会议 is not 会"},
      {"我在ICML的报告", kMine, "我在"},
      {"我组织的活动有哪些", kMine, "组织 is not 我组"},
      {"我组建的数据集", kMine, "组建 is not 我组"},
      {"我校对过的稿子", kMine, "校对 is not 我校"},
      {"我国庆写的随笔", kMine, "国庆 is not 我国"},
      {"我方案里的预算", kMine, "方案 is not 我方"},
      {"我等了多久", kMine, "等了 is not 我等"},
      {"来自我的笔记的内容", kMine, "来自 | 我的, not 自我"},
      {"来自我上次的总结", kMine, "来自 | 我, not 自我"},
      {"我自我介绍写在哪", kMine, "我 | 自我"},
      {"和我有关的决定有哪些", kMine, "object, but asked about"},
      {"分配给我的任务", kMine, "给我的 is not 给我"},
      {"提到我的地方", kMine, "我的"},
      {"跟我相关的待办", kMine, "object, but asked about"},
      {"我是谁", kMine, "asked of oneself"},
      {"我属于哪个组", kMine, "asked of oneself"},
      {"告诉我我的笔记写了什么", kMine, "request, then 我的"},
      {"帮我查一下我之前存的论文", kMine, "request, then 我之前"},
      {"给我讲讲我上次的实验", kMine, "request, then 我上次"},
      {"我想知道我做过什么", kMine, "speech act, then subject"},
      {"我想问一下，我的知识库里有没有X", kMine, "speech act, then 我的"},
      {"请问我上次写的总结在哪", kMine, "请问 takes nothing away"},
      {"能不能把我存的链接发一下", kMine, "我存"},
      {"查一下个人笔记", kMine, "C-20"},
      {"个人知识库里有什么", kMine, "C-20"},
      {"打开个人库", kMine, "C-20"},
      {"我个人资料", kMine, "bare statement"},
      {"我个人的笔记", kMine, "C-20 with 的"},
      {"这个个人资料在哪", kMine, "个 before 个人 is no numeral"},
      {"私人笔记里写了啥", kMine, "private is personal"},
      {"本人的资料", kMine, "formal 我的"},
      {"列出我收藏的网页", kMine, "a thing done"},
      {"我 的 笔记", kMine, "blanks between characters"},
      {"我的notes", kMine, "mixed"},
      {"我的Obsidian里有没有", kMine, "mixed"},
      {"我\u200b的笔记", kMine, "a zero-width space hides nothing"},
      {"我們不在的時候？我的筆記呢", kBoth, "both"},
      {"我昨天跟导师聊了什么", kMine, "time behind 我"},
      {"我去过哪些会议", kMine, "去过 is not 去哪"},
      {"帮我看看我有哪些待办", kMine, "request, then subject"},
      {"能给我看看我的笔记吗", kMine, "request, then 我的"},
      {"我最近在看什么", kMine, "adverb, then asked of oneself"},
      {"我有几篇论文", kMine, "asked of oneself"},
      {"张三和我讨论了什么", kMine, "我 second"},
      {"如何查我存了什么", kMine, "a how in front of 我"},
      {"我的代码报错了", kMine, "我的 stays whatever follows"},
      {"我没读过哪些论文", kMine, "没 takes nothing away"},
      {"我模型的最佳学习率是几", kMine, "我 without 的"},
      {"分配给我了哪些任务", kMine, "handed to, not told"},
      {"我刚才问了什么", kMine, "问了什么 is not 问一下"},
      {"帮我找一下我的个人笔记", kMine, "request, then 我的"},
      {"个人 笔记", kMine, "blank inside"},
  };
  check(rows);
}

TEST_CASE("the speaker's own material is personal (Traditional Chinese)") {
  static constexpr Row rows[] = {
      {"我的筆記", kMine, "Traditional"},       {"我之前存的論文", kMine, "Traditional"},
      {"我記過什麼", kMine, "Traditional"},     {"個人資料在哪裡", kMine, "Traditional"},
      {"個人知識庫", kMine, "Traditional"},     {"我寫過的總結", kMine, "Traditional"},
      {"我讀過哪些書", kMine, "Traditional"},   {"我嘅筆記", kMine, "Cantonese 的"},
      {"我負責哪些模組", kMine, "Traditional"},
  };
  check(rows);
}

TEST_CASE("the speaker's own material is personal (English)") {
  static constexpr Row rows[] = {
      {"my notes", kMine, "plain"},
      {"What do my notes say about BERT?", kMine, "plain"},
      {"my old reading notes", kMine, "adjectives between"},
      {"what did I save about diffusion?", kMine, "did I"},
      {"What did I write last week?", kMine, "did I"},
      {"the paper I saved yesterday", kMine, "thing done"},
      {"I wrote something about LoRA", kMine, "thing done"},
      {"papers I've read", kMine, "contraction"},
      {"papers I’ve bookmarked", kMine, "curly apostrophe"},
      {"which experiments have I done", kMine, "have I"},
      {"list my experiments", kMine, "plain"},
      {"search my knowledge base for RLHF", kMine, "plain"},
      {"my KB", kMine, "upper case"},
      {"MY NOTES", kMine, "upper case"},
      {"ｍｙ ｎｏｔｅｓ", kMine, "full width"},
      {"those notes are mine", kMine, "mine"},
      {"a note of mine", kMine, "of mine"},
      {"who am I", kMine, "asked of oneself"},
      {"what do I have on transformers?", kMine, "do I have"},
      {"what do I know about Raft", kMine, "do I know"},
      {"what am I working on", kMine, "asked of oneself"},
      {"tasks assigned to me", kMine, "object, but asked about"},
      {"what do you know about me", kMine, "object, but asked about"},
      {"tell me what I wrote about X", kMine, "request, then thing done"},
      {"can you find the notes I took", kMine, "request, then thing done"},
      {"how do I find the notes I saved", kMine, "how, then thing done"},
      {"my personal notes", kMine, "plain"},
      {"personal knowledge base", kMine, "owner of material"},
      {"my todo list", kMine, "plain"},
      {"my thesis draft", kMine, "plain"},
      {"my paper's conclusion", kMine, "possessive behind"},
      {"summarize my documents", kMine, "plain"},
      {"I previously recorded a fix", kMine, "adverb between"},
      {"my 2023 summaries", kMine, "number between"},
      {"my笔记里有什么", kMine, "mixed"},
      {"my lab notebook", kMine, "the notebook, not the lab"},
      {"what I shared with Bob", kMine, "thing done"},
      {"my takeaways from the talk", kMine, "plain"},
  };
  check(rows);
}

TEST_CASE("the team's material is team") {
  static constexpr Row rows[] = {
      {"我们上周定了什么", kOurs, "S1-23: 我们 is not 我"},
      {"我们", kOurs, "S1-23"},
      {"咱们的结论", kOurs, "咱们"},
      {"咱上次定的啥", kOurs, "咱"},
      {"团队的目标", kOurs, "S1-23"},
      {"组会纪要", kOurs, "S1-23"},
      {"项目进展", kOurs, "S1-23"},
      {"哪些同学参加了", kOurs, "S1-23"},
      {"成员名单", kOurs, "S1-23"},
      {"我们团队的论文", kOurs, "S1-6"},
      {"我們組的結論", kOurs, "Traditional"},
      {"團隊成員有誰", kOurs, "Traditional"},
      {"組會上討論了什麼", kOurs, "Traditional"},
      {"項目時間表", kOurs, "Traditional"},
      {"我哋嘅計劃", kOurs, "Cantonese 我们"},
      {"我想知道我们的方案", kOurs, "speech act, then 我们"},
      {"告诉我团队的目标", kOurs, "request, then team"},
      {"给我讲讲项目背景", kOurs, "request, then team"},
      {"我想问一下组会几点", kOurs, "speech act, then team"},
      {"我觉得我们应该用哪个模型", kOurs, "speech act, then 我们"},
      {"我的团队有哪些人", kOurs, "my team's is the team's"},
      {"我所在的团队做什么", kOurs, "my team's is the team's"},
      {"我组的服务器", kOurs, "我组"},
      {"我司的报销制度", kOurs, "我司"},
      {"我部门的预算", kOurs, "我部门"},
      {"我怎么加入项目", kOurs, "generic 我, then team"},
      {"我该找哪位同学", kOurs, "generic 我, then team"},
      {"例会时间", kOurs, "team meeting"},
      {"同事里谁懂 Kubernetes", kOurs, "同事"},
      {"组员分工", kOurs, "组员"},
      {"课题组的设备", kOurs, "课题组"},
      {"实验室有几块 A100", kOurs, "实验室"},
      {"what did we decide last week", kOurs, "we"},
      {"our team's goals", kOurs, "our"},
      {"our roadmap", kOurs, "our"},
      {"who is on the team", kOurs, "team"},
      {"the project timeline", kOurs, "project as 项目"},
      {"my team's decisions", kOurs, "my team is the team"},
      {"my team", kOurs, "my team is the team"},
      {"what does my lab do", kOurs, "my lab is the team"},
      {"my own team's notes", kOurs, "my team is the team"},
      {"which teammates know Go", kOurs, "teammates"},
      {"for those of us in Europe", kOurs, "us"},
      {"team members", kOurs, "members"},
      {"I think we agreed on Postgres", kOurs, "I think, then we"},
      {"can you tell me what our deadline is", kOurs, "request, then our"},
      {"how do I join the project", kOurs, "generic I, then project"},
      {"We're moving to k8s, when?", kOurs, "contraction"},
      {"what's ours", kOurs, "ours"},
      {"my colleagues in Berlin", kOurs, "my colleagues are the team"},
      {"团队里有谁可以帮我", kOurs, "request behind"},
      {"同学你好，项目文档在哪", kOurs, "greeting takes nothing away"},
      {"告诉我们结论", kOurs, "告诉 | 我们, not 告诉我"},
      {"请帮我们查一下", kOurs, "帮 | 我们, not 帮我"},
      {"麻烦告诉我上次组会的结论", kOurs, "the time is the meeting's, not 我's"},
      {"我刚加入团队，有什么文档可以看", kOurs, "circumstance, then team"},
      {"我俩的分工", kOurs, "two of us"},
      {"开个小组会讨论", kOurs, "小组"},
      {"who are we", kOurs, "we"},
      {"tell us about our plan", kOurs, "request, then our"},
      {"项目标题是什么", kOurs, "项目 | 标题"},
  };
  check(rows);
}

TEST_CASE("both kinds of word make both") {
  static constexpr Row rows[] = {
      {"我之前和团队讨论的方案", kBoth, "N-16"},
      {"我和团队的计划", kBoth, "N-16"},
      {"我在项目里做了什么", kBoth, "C-21"},
      {"我们组会上我说过什么", kBoth, "both"},
      {"我的笔记和团队的结论有什么不同", kBoth, "both"},
      {"我參與的項目", kBoth, "Traditional"},
      {"对比一下我的实验和我们的基线", kBoth, "both"},
      {"compare my notes with our decisions", kBoth, "both"},
      {"what did I promise the team", kBoth, "both"},
      {"我的项目进展", kBoth, "both"},
      {"my project notes", kBoth, "both"},
      {"在组会上我负责什么", kBoth, "both"},
  };
  check(rows);
}

TEST_CASE("words that only look like the pronoun are neither") {
  static constexpr Row rows[] = {
      {"自我介绍怎么写", kNone, "自我"},
      {"自我監督學習是什麼", kNone, "自我, Traditional"},
      {"忘我地工作", kNone, "忘我"},
      {"我国的数据安全法", kNone, "我国"},
      {"我國的法律", kNone, "我国, Traditional"},
      {"我军的历史", kNone, "我军"},
      {"我校图书馆几点关", kNone, "institution, not the speaker"},
      {"本我和超我的区别", kNone, "本我"},
      {"你我他", kNone, "idiom"},
      {"唯我独尊什么意思", kNone, "idiom"},
      {"卿卿我我", kNone, "idiom"},
      {"mysql 怎么备份", kNone, "my inside a word"},
      {"my.cnf 放在哪", kNone, "a file name"},
      {"the my-app container", kNone, "hyphenated name"},
      {"MyBatis 是什么", kNone, "my inside a word"},
      {"gold mine history", kNone, "mine the noun"},
      {"how to mine data", kNone, "mine the verb"},
      {"what is IO and I/O", kNone, "I in an abbreviation"},
      {"phase I results", kNone, "I the numeral"},
      {"weather in Ourense", kNone, "our inside a word"},
      {"the US market", kNone, "US the country"},
      {"Uses of museums", kNone, "us inside a word"},
      {"week 3 agenda", kNone, "we inside a word"},
      {"steam engines", kNone, "team inside a word"},
      {"oh my zsh plugins", kNone, "a name"},
      {"上周会议定了什么", kNone, "上周 | 会议, no 周会"},
      {"本周会发版吗", kNone, "本周 | 会"},
      {"条例会变吗", kNone, "条例 | 会, no 例会"},
      {"最小组合数", kNone, "最小 | 组合, no 小组"},
      {"样本组成", kNone, "样本 | 组成, no 本组"},
      {"数组里有几个元素", kNone, "数组 | 里, no 组里"},
      {"各项目标", kNone, "各项 | 目标, no 项目"},
      {"C++ 成员函数", kNone, "no member of a team"},
      {"C++ member functions", kNone, "no member of a team"},
      {"Microsoft Teams meeting link", kNone, "a product"},
  };
  check(rows);
}

TEST_CASE("个人 is personal only as the owner of material") {
  static constexpr Row rows[] = {
      {"三个人的分工", kNone, "C-20"},
      {"三個人的分工", kNone, "C-20, Traditional"},
      {"3个人的分工", kNone, "numeral"},
      {"3 个人资料表", kNone, "numeral, blank"},
      {"每个人资料怎么填", kNone, "every"},
      {"几个人负责这个", kNone, "how many"},
      {"一个人笔记本丢了", kNone, "numeral"},
      {"两个人文件冲突怎么办", kNone, "numeral"},
      {"哪个人负责部署", kNone, "which"},
      {"个人信息保护法", kNone, "a topic"},
      {"个人所得税怎么算", kNone, "a topic"},
      {"個人所得稅", kNone, "a topic"},
      {"個人資料保護法第幾條", kNone, "a topic, the Taiwanese law"},
      {"个人资料泄露怎么处理", kNone, "a topic"},
      {"个人隐私政策", kNone, "a topic"},
      {"个人简介模板", kNone, "not material"},
      {"个人观点", kNone, "not material"},
      {"个人电脑能连内网吗", kNone, "not material"},
      {"用户个人资料存在哪张表", kNone, "somebody else's"},
      {"他的个人资料", kNone, "somebody else's"},
      {"个人库存", kNone, "库 inside a word"},
      {"personal information protection law", kNone, "a topic"},
      {"personal data of users", kNone, "a topic"},
      {"个人笔记本电脑丢了", kNone, "笔记本电脑 is not 笔记"},
      {"每个人的个人资料", kNone, "somebody else's"},
      {"这三个人资料齐了吗", kNone, "numeral"},
  };
  check(rows);
}

TEST_CASE("speech acts are neither") {
  static constexpr Row rows[] = {
      {"我想问一下怎么部署", kNone, "brief"},
      {"我想知道 Transformer 的原理", kNone, "brief"},
      {"我想了解注意力机制", kNone, "brief"},
      {"我想了解一下", kNone, "brief"},
      {"我問一下部署流程", kNone, "Traditional"},
      {"我问一下谁管服务器", kNone, "asking"},
      {"我想請問怎麼請假", kNone, "Traditional"},
      {"请问我该怎么申请权限", kNone, "请问 and a generic 我"},
      {"请问我需要准备什么", kNone, "generic 我"},
      {"告诉我部署流程", kNone, "request"},
      {"告訴我部署流程", kNone, "Traditional"},
      {"给我讲讲强化学习", kNone, "request"},
      {"給我講講強化學習", kNone, "Traditional"},
      {"帮我查一下 RLHF", kNone, "request"},
      {"帮我总结这篇论文", kNone, "request"},
      {"幫我找一下文件", kNone, "Traditional"},
      {"我不明白什么是 LoRA", kNone, "not understanding"},
      {"我不懂这个公式", kNone, "not understanding"},
      {"我忘了 VPN 地址是什么", kNone, "forgetting"},
      {"我忘记部署步骤了", kNone, "forgetting"},
      {"我不太确定接口的格式", kNone, "adverb between"},
      {"我也想知道", kNone, "adverb between"},
      {"我现在需要一个账号", kNone, "adverb between"},
      {"我真的看不懂", kNone, "adverb between"},
      {"我記得有個文檔講這個", kNone, "Traditional"},
      {"我听说有新政策", kNone, "hearsay"},
      {"我觉得这个不对，依据是什么", kNone, "opinion"},
      {"我有个问题，VPN 怎么连", kNone, "announcing"},
      {"我有一個問題", kNone, "Traditional"},
      {"教我用 git", kNone, "request"},
      {"让我看看部署文档", kNone, "request"},
      {"可以跟我说说背景吗", kNone, "request"},
      {"有人能告诉我密码规则吗", kNone, "request"},
      {"提醒我几点开会", kNone, "request"},
      {"推荐我几篇论文", kNone, "request"},
      {"我的问题是：怎么部署", kNone, "discourse"},
      {"我的意思是部署的步骤", kNone, "discourse"},
      {"我的理解是这样，对吗", kNone, "discourse"},
      {"我是新来的，怎么配环境", kNone, "introduction"},
      {"我刚入职，怎么申请账号", kNone, "circumstance, then how"},
      {"can you tell me the deadline", kNone, "brief"},
      {"I want to know how RAFT works", kNone, "brief"},
      {"let me know the port", kNone, "brief"},
      {"I'm wondering what LoRA is", kNone, "brief"},
      {"I’m wondering what LoRA is", kNone, "curly apostrophe"},
      {"show me the deployment guide", kNone, "brief"},
      {"do I need to register first?", kNone, "brief"},
      {"how do I deploy", kNone, "generic I"},
      {"where can I find the VPN guide", kNone, "generic I"},
      {"should I use rebase", kNone, "generic I"},
      {"can I get a refund", kNone, "generic I"},
      {"do I have to sign", kNone, "generic I"},
      {"do I have access to prod", kNone, "generic I"},
      {"I need help with kubectl", kNone, "generic I"},
      {"my question is how to deploy", kNone, "discourse"},
      {"my guess is that it fails", kNone, "discourse"},
      {"in my opinion it is wrong, is it?", kNone, "discourse"},
      {"to my knowledge there is no limit", kNone, "discourse"},
      {"I don't understand attention", kNone, "not understanding"},
      {"I get an error when building", kNone, "circumstance"},
      {"I ran into a 502", kNone, "circumstance"},
      {"I read that BERT is old", kNone, "hearsay"},
      {"did I understand correctly", kNone, "checking"},
      {"let us know the port", kNone, "let us is a request"},
      {"give me the link", kNone, "request"},
      {"help me debug", kNone, "request"},
      {"I was wondering about LoRA", kNone, "asking"},
      {"I have a question", kNone, "announcing"},
      {"我提个问题", kNone, "announcing"},
      {"在我看来不对", kNone, "opinion"},
      {"据我所知没有", kNone, "opinion"},
      {"对我来说太难", kNone, "opinion"},
      {"我说的是部署文档", kNone, "correcting"},
      {"告诉我上周定了什么", kNone, "the time is not 我's"},
      {"告诉我负责人是谁", kNone, "负责 is not 我's"},
      {"老师让我整理会议纪要，格式是什么", kNone, "told to"},
      {"大家好，请问怎么报销", kNone, "greeting"},
      {"各位同学，文档在哪", kNone, "greeting"},
      {"why did I get this email", kNone, "trouble"},
      {"I did a git pull and it broke", kNone, "circumstance"},
      {"I wrote a script but it fails", kNone, "circumstance"},
      {"I've read the guide, what next", kNone, "circumstance"},
      {"do I know you", kNone, "small talk"},
      {"张三说的那个我没记住", kNone, "not understanding"},
      {"我方便问一下吗", kNone, "politeness"},
  };
  check(rows);
}

TEST_CASE("the same for everyone is nobody's own") {
  static constexpr Row rows[] = {
      {"我怎么申请报销", kNone, "generic 我"},
      {"我该怎么办", kNone, "generic 我"},
      {"我应该看哪些文档", kNone, "generic 我"},
      {"我要请假找谁", kNone, "generic 我"},
      {"我可以用外网吗", kNone, "generic 我"},
      {"我能请几天年假", kNone, "generic 我"},
      {"我需要签什么协议", kNone, "generic 我"},
      {"我用 Mac 怎么装环境", kNone, "a how behind a circumstance"},
      {"我安装时报错怎么办", kNone, "a how behind a circumstance"},
      {"我这边报错 502 是什么原因", kNone, "trouble"},
      {"我连不上 VPN", kNone, "trouble"},
      {"我登不上邮箱", kNone, "trouble"},
      {"我电脑连不上 VPN 怎么办", kNone, "a how behind a circumstance"},
      {"我找不到部署文档", kNone, "trouble"},
      {"我無法登入", kNone, "Traditional"},
      {"我會收到通知嗎", kNone, "Traditional"},
      {"我的电脑坏了找谁", kNone, "a thing no page is about"},
      {"我的笔记本电脑蓝屏了", kNone, "笔记本电脑 is not 笔记"},
      {"我的年假有几天", kNone, "pay and leave"},
      {"我的账号被锁了", kNone, "account"},
      {"我的密碼多久要換", kNone, "account, Traditional"},
      {"为什么会把我自己坑 WA", kNone, "object of a mishap"},
      {"does my PR need a backport", kNone, "a thing no page is about"},
      {"how long should my password be", kNone, "a thing no page is about"},
      {"can I work from Ukraine with my parents", kNone, "a thing no page is about"},
      {"does the company put anything into my 401k", kNone, "a thing no page is about"},
      {"how do I enroll my dog", kNone, "a thing no page is about"},
      {"my mac is 3 years old", kNone, "a thing no page is about"},
      {"where do I store secrets", kNone, "generic I"},
      {"my manager's notes", kNone, "the notes of another"},
      {"我在看论文，里面的 KL 散度是什么", kNone, "the first clause sets the scene"},
      {"我对强化学习感兴趣，有什么资料", kNone, "the first clause sets the scene"},
      {"我第一次来，请问怎么开通权限", kNone, "introduction"},
      {"我最近想学 Rust，从哪开始", kNone, "adverb, then wish"},
      {"我之前没用过 git，怎么开始", kNone, "not done is nothing kept"},
      {"我代码跑不起来", kNone, "trouble"},
      {"我模型不收敛", kNone, "trouble"},
      {"我老板让我查部署文档", kNone, "told to"},
      {"我在知识库里没找到部署文档，有人知道吗", kNone, "trouble"},
      {"我 VPN 过期了怎么续", kNone, "过期 tells of no past"},
      {"我的 mac 怎么装", kNone, "a thing no page is about"},
      {"what's my role", kNone, "a thing no page is about"},
      {"who is my manager", kNone, "a thing no page is about"},
      {"my docker build fails", kNone, "trouble"},
  };
  check(rows);
}

TEST_CASE("what is quoted, code, a link or a name is a mention") {
  static constexpr Row rows[] = {
      {"《我的奋斗》讲什么", kNone, "a title"},
      {"《我的奋斗》", kNone, "a title alone"},
      {"《我们》的作者", kNone, "a title"},
      {"〈我的母亲〉是谁写的", kNone, "a title"},
      {"「我的」是什麼詞性", kNone, "quoted"},
      {"“我们”这个词怎么翻译", kNone, "quoted"},
      {"\"my\" 是什么意思", kNone, "straight quotes"},
      {"what does 'my' mean", kNone, "straight single quotes"},
      {"what does “our” mean", kNone, "curly quotes"},
      {"`my_notes` 这个变量在哪", kNone, "code"},
      {"`my notes` 是什么", kNone, "code"},
      {"```\nmy notes\n```\n这段什么意思", kNone, "code block"},
      {"https://example.com/my/notes 打不开", kNone, "a link"},
      {"see www.my-notes.org", kNone, "a link"},
      {"/home/my/notes/a.md 在哪", kNone, "a path"},
      {"@my 部署流程", kNone, "a name"},
      {"我的《奋斗》读书笔记", kMine, "a title behind 我的"},
      {"我的笔记里的「组会」", kMine, "the quoted word is not team"},
      {"“我的笔记里有什么？”", kMine, "quoted from end to end is not quoted"},
      {"\"my notes\"", kMine, "quoted from end to end is not quoted"},
      {"「我的筆記」", kMine, "quoted from end to end is not quoted"},
      {"don't show my notes, it's fine", kMine, "apostrophes are no quotes"},
      {"“我的笔记", kMine, "never closed"},
      {"我的`config`笔记", kMine, "code behind 我的"},
      {"@bot我的笔记里有什么", kMine, "a name ends where Han begins"},
      {"@bot my notes", kMine, "a name, then the question"},
      {"5' 我的笔记 6'", kMine, "feet are no quotes"},
  };
  check(rows);
}

TEST_CASE("other text is neither") {
  static constexpr Row rows[] = {
      {"", kNone, "empty"},
      {" ", kNone, "blank"},
      {"？", kNone, "a mark"},
      {"🙂", kNone, "emoji"},
      {"🙂我的笔记🙂", kMine, "emoji beside"},
      {"上周定了什么", kNone, "no owner"},
      {"Transformer 是什么", kNone, "no owner"},
      {"法国首都是哪里", kNone, "no owner"},
      {"what is attention", kNone, "no owner"},
      {"Что такое BERT", kNone, "another script"},
      {"これは何ですか", kNone, "another language"},
      {"12345", kNone, "digits"},
      {"\xff\xfe", kNone, "malformed"},
      {"\xff"
       "我的"
       "\xff",
       kMine, "malformed beside"},
      {"\xe6\x88", kNone, "a character cut off"},
      {"\xe6\x88"
       "我的",
       kMine, "a character cut off beside"},
  };
  check(rows);
}

TEST_CASE("a long text full of pronouns is read in time that grows with its length alone") {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "我x“《";
  text += "怎么";
  CHECK_EQ(ownership_of(text), kMine);  // a minute, were each 我 to look at all that follows
}
