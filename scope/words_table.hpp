/// The words that decide whose material a question points at: the whole rule list, as data. words.cpp reads it.
///
/// A question is read from left to right; the longest entry of kWords that fits at a place is one word, and what no
/// entry knows is skipped. An entry that says `nothing` is there to be seen instead of what is inside it: 自我 hides
/// 我. (A dictionary segmenter cuts the same sentence differently from one version to the next and knows no speech
/// acts.)
///
/// Which way to err: a word missed costs little (in private both knowledge bases are read, in a group the team's), a
/// false 我 costs an answer in a group. So Chinese 我 is personal as the origin has it (S1-20) unless the sentence says
/// otherwise, while English "I" and "my", which every how-to question holds, are personal only with a reason.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kb::scope {

enum class Says : std::uint8_t {
  nothing,
  mine,      ///< the speaker's own material
  ours,      ///< the team's
  pronoun,   ///< 我, I: kAfterPronoun decides
  owner,     ///< my: kAfterMy decides
  particle,  ///< in kAfterPronoun: look behind it
};

/// Words that say the same thing, separated by '|', in folded form: lower case, Simplified, half width.
struct Family {
  Says says;
  std::u32string_view words;
  std::u32string_view not_after = U"";  ///< not behind these characters, blanks and one 的 left out
};

// 三个人, 3 个人, 每个人; 用户的个人资料 is the user's.
inline constexpr std::u32string_view kOthers =
    U"0123456789一二两三四五六七八九十百千万几多数每某这那哪各整俩仨他她它户员工生者方人们师";

inline constexpr std::array kWords{
    // --- Chinese, the team: S1-23 ---
    Family{Says::ours, U"我们|咱们|咱|团队|组会|项目|同学|成员|同事|队友|组员|课题组|实验室|我司|我组|我部门|我科室"},
    Family{Says::ours, U"我的团队|我的小组|我的组|我的部门|我的课题组|我的实验室|我的公司|我的单位|我所在|我俩|我仨"},
    Family{Says::ours, U"我团队|我小组|我课题组|我实验室|我公司|我单位"},
    Family{Says::ours, U"例会|周会", U"条案比示实样用先特惯本下上一两三几每这"},
    Family{Says::ours, U"小组|组里|组内|本组", U"最大数词分模元照验字向样文脚版基成标剧副"},
    Family{Says::ours, U"项目标题|项目标签|项目录入|项目录像"},
    // … and what only looks like it
    Family{Says::nothing, U"项目标|项目录|项目符号|项目编号|成员函数|成员变量|成员国|数据成员|类成员|周会议"},
    Family{Says::nothing, U"大家好|同学们好|同学你好|同学您好|各位同学|同事们好|各位同事"},

    // --- Chinese, the speaker: S1-20, S1-22 ---
    Family{Says::pronoun, U"我"},
    Family{Says::mine, U"我的|我自己的"},
    Family{Says::mine, U"本人的|本人资料|本人笔记", kOthers},
    // 我 inside another word
    Family{Says::nothing, U"自我|忘我|本我|超我|你我他|唯我独尊|我行我素|卿卿我我|尔虞我诈|你追我赶|你死我活"},
    Family{Says::nothing, U"我国|我军|我方|我党|我校|我院|我省|我市|我县"},
    // … and words that only begin like those, or end where 自我 would seem to begin
    Family{Says::mine, U"我国庆|我国外|我军训|我方案|我方法|我方向|我院子|我省略|我省下|我省了|我市场"},
    Family{Says::mine, U"我校对|我校验|我校准|我校正|我校园|我组织|我组建|我组装|我组合|我组成|我组队"},
    Family{Says::nothing, U"来自|源自|出自|取自|有无|有没有"},
    // what one says about oneself without asking for it
    Family{Says::nothing, U"我的问题是|我的问题如下|我的疑问|我的困惑|我的需求是|我的意思|我的理解|我的看法|我的观点"},
    Family{Says::nothing, U"我的建议|我的猜测|我的想法是|我的感觉|我的印象|我的天|我的妈|我的老天"},
    Family{Says::nothing,
           U"我的疑惑|我的目的是|据我所知|就我而言|从我的角度|没有我的同意|不关我的事|没我的事|我的世界"},
    // things of the speaker that no page tells of: the question is after a rule, the same for everyone
    Family{Says::nothing,
           U"我的电脑|我的笔记本电脑|我的笔电|我的手机|我的机器|我的浏览器|我的mac|我的macbook|我的iphone|我的ipad|"
           U"我的windows|我的vpn|我的账号|我的账户|我的密码"},
    Family{Says::nothing, U"我的权限|我的邮箱|我的工资|我的薪水|我的薪资|我的年假|我的假期|我的社保|我的公积金"},
    Family{Says::nothing, U"我的保险|我的护照|我的签证|我的工位|我的工牌|我的门禁|我的报销|我的发票|我的快递"},
    Family{Says::nothing, U"我的家人|我的父母|我的孩子|我的朋友|我的室友"},

    // --- Chinese 个人, only as the owner of material: C-20 ---
    Family{Says::mine, U"个人资料|个人知识库|个人笔记|个人库|个人文档|个人文件|个人记录|个人收藏|个人日记|个人存档",
           kOthers},
    Family{Says::mine, U"个人的资料|个人的知识库|个人的笔记|个人的文档|个人的记录", kOthers},
    Family{Says::mine, U"私人资料|私人知识库|私人笔记|私人文档|私人日记|私人收藏", kOthers},
    Family{Says::nothing,
           U"个人资料保护|个人资料法|个人资料外泄|个人资料泄|个人资料当事人|个人资料夹|个人库存|个人笔记本电脑"},
    Family{Says::nothing, U"个人记录片|个人文件夹权限"},

    // --- English, the team ---
    Family{Says::ours, U"we|us|our|ours|ourselves|team|project|projects|members|teammate|teammates"},
    Family{Says::ours, U"colleague|colleagues|coworker|coworkers|classmate|classmates|group meeting|lab meeting"},
    Family{Says::ours,
           U"my team|my own team|my whole team|my entire team|my new team|my group|my lab|my squad|my class"},
    Family{Says::ours,
           U"my company|my org|my organization|my organisation|my department|my dept|my office|my employer"},
    Family{Says::ours, U"my school|my university|my colleague|my colleagues|my coworker|my coworkers|my teammate"},
    Family{Says::ours, U"my teammates|my classmates"},
    Family{Says::nothing, U"let us know|tell us|member functions|member variables|data members|class members"},
    Family{Says::nothing, U"struct members"},

    // --- English, the speaker ---
    Family{Says::owner, U"my"},
    Family{Says::pronoun, U"i"},
    Family{Says::mine, U"of mine|is mine|are mine|was mine|were mine|and mine|or mine|i myself|who am i"},
    Family{Says::mine, U"about me|about myself|to myself|assigned to me|mention me|mentions me|mentioned me"},
    Family{Says::mine, U"did i|have i|had i|was i|do i have|do i know|do i own|am i working|am i responsible"},
    Family{Says::mine,
           U"am i assigned|my lab notebook|my lab notes|my class notes|this mine|these mine|that mine|those "
           U"mine|search my|list my|summarize my|summarise "
           U"my|recall my|look through my"},
    Family{Says::mine,
           U"personal notes|personal note|personal knowledgebase|personal knowledge base|personal kb|personal wiki"},
    Family{Says::mine, U"personal documents|personal files|personal library|private notes|private knowledge base"},
    Family{Says::nothing, U"did i understand|did i get that|did i get this|did i miss|have i understood|have i got"},
    Family{Says::nothing,
           U"have i missed|do i have to|do i have access|do i have permission|do i have the right|do i have time|do i "
           U"have enough"},
    Family{Says::nothing, U"do i know you|did i go wrong|did i do wrong|why did i get|have i done something"},
};

/// Behind 我 or I. When nothing here fits, 我 is `mine` unless its sentence asks how (kHow); I says nothing.
inline constexpr std::array kAfterPronoun{
    Family{Says::particle, U"也|还|就|只|又|再|很|先|都|总|刚|太|现在|目前|有点|真的|一直|确实|其实|今天|刚刚|刚才"},
    Family{Says::particle, U"这边|这里|这儿|非常|特别|不太|不是很|不是太|还是|是否|什么时候|什么时间|到底|究竟|一般"},
    Family{Says::particle, U"通常|自己|个人|突然|主要|总是|好像|似乎|可能|大概|有没有|会不会|最近|近期"},
    // asking, thinking, wishing
    Family{Says::nothing, U"想|问|请问|请教|咨询|打听|确认|核实|补充|求|说|讲|指|叫|说的是|问的是|指的是|讲的是"},
    Family{Says::nothing, U"看|查一下|查下|查查|查了一下|查了下|找一下|找下|找找|找了一下|找了下|搜|在找|正在找"},
    Family{Says::nothing,
           U"知道|不知道|清楚|不清楚|确定|不确定|明白|不明白|没明白|懂|不懂|没懂|没看懂|没看明白|看不懂"},
    Family{Says::nothing, U"没听懂|没搞懂|没搞清楚|搞不懂|搞不清|弄不懂|弄不清|记得|不记得|记不清|记不得|忘了|忘记|忘"},
    Family{Says::nothing, U"听说|觉得|认为|以为|猜|感觉|发现|理解|不理解|了解|不了解|熟悉|不熟悉|好奇|疑惑|困惑|纳闷"},
    Family{Says::nothing, U"怀疑|估计|担心|希望|期待|打算|准备|急|有一个问题|有个问题|有几个问题|有问题|有疑问"},
    Family{Says::nothing, U"有个疑问|有一个疑问|存在疑问|存在问题"},
    // needing, being able to: the same for everyone
    Family{Says::nothing,
           U"要|不要|需要|不需要|得|该|应该|应当|必须|必需|可以|不可以|可否|可不可以|能|不能|能不能|能否"},
    Family{Says::nothing,
           U"能够|会|不会|不用|不想|无法|没法|没办法|没有办法|必要|办法|要不要|用不用|该不该|有权|有资格"},
    Family{Says::nothing,
           U"怎么|怎样|如何|咋|为什么|为何|为啥|去哪|到哪|从哪|哪里能|哪里可以|在哪能|在哪里能|在哪可以"},
    Family{Says::nothing, U"在哪里可以|哪儿能|哪儿可以|有什么办法"},
    // trouble and circumstances, no matter whose
    Family{Says::nothing,
           U"遇到|碰到|报错|连不上|登不上|登录不了|打不开|进不去|装不上|跑不起来|跑不通|下载不了|访问不了"},
    Family{Says::nothing,
           U"找不到|没找到|搜不到|没看到|看不到|没有权限|没权限|是新|是刚|是第一次|是一名|是一个|是个|是来"},
    Family{Says::nothing, U"是说|是指|第一次|来|靠|擦|晕|提个|提一个|提一下|代表|替"},
    Family{Says::nothing,
           U"之前没|以前没|从来没|从没|没用过|没接触过|没学过|没做过|没听过|没听清|没记住|没记清|没参加|没赶上|错过"},
    // whom and what one mentions on the way
    Family{Says::nothing, U"朋友|爸|妈|家|孩子|老婆|老公|女儿|儿子|室友|哥们|电脑|手机|机器|账号|账户|密码|邮箱"},
    Family{Says::nothing, U"同事说|同事让|同学说|老板说|老板让|领导说|领导让|导师说|导师让"},
    // when it was: the speaker's own past, also where the sentence asks how
    Family{Says::mine,
           U"之前|以前|此前|曾|上次|上回|上周|上个月|上月|上学期|昨天|前天|前几天|去年|前年|那天|那时|当时"},
    // what is tied to the speaker
    Family{Says::mine,
           U"存的|存过|存了|写的|写过|记的|记过|记下|记录的|记录过|保存的|保存过|收藏的|收藏过|整理的|整理过"},
    Family{Says::mine,
           U"总结的|总结过|上传的|上传过|提交的|提交过|发表的|发表过|做的|做过|读的|读过|学的|学过|查的|查过"},
    Family{Says::mine,
           U"找的|找过|搜的|搜过|问的|问过|问了什么|问了哪|问了多少|查了什么|查了哪|找了什么|搜了什么|说的|说过|讲的|"
           U"讲过|负责的|参与的|参与过|参加的|参加过|准备的"},
    // … and words that only begin like something above
    Family{Says::mine,
           U"看的|看过|看完的|看了哪|看了什么|看了多少|看板|想到的|想到过|想过|想出|想的|得到|得出|得过|得了"},
    Family{Says::mine,
           U"会议|会上|发现的|发现过|确认的|确认过|补充的|补充过|咨询过|要做的|要交的|指导|来自|来过|听过的"},
    // English
    Family{Says::particle, U"'ve|'d|have|had|already|just|also|once|previously|recently|never|ever|last|actually"},
    Family{Says::particle, U"originally|personally|first"},
    Family{Says::mine, U"saved|stored|wrote|written|noted|recorded|read|bookmarked|kept|collected|uploaded|presented"},
    Family{Says::mine, U"promised|decided|did|done|made|learned|learnt|took|attended|reviewed|summarized|summarised"},
    Family{Says::mine, U"submitted|published|drafted|documented|logged|filed|archived|imported|contributed|ran|tested"},
    Family{Says::mine, U"highlighted|annotated|measured|shared|worked on|am responsible|am assigned"},
    Family{Says::nothing,
           U"read that|read in|read somewhere|read the|read about|made a mistake|ran into|ran the|read your|read "
           U"this|read all|wrote a script|wrote some code"},
    Family{Says::nothing,
           U"ran this|did not|didn't|decided to|did a|did the|did this|did it|made changes|made some changes|took the "
           U"wrong|done the|tested it|tested this"},
};

/// Behind "my" and at most two words: only what a knowledge base holds makes it the speaker's material. "My laptop",
/// "my PTO" ask after a rule that is the same for everyone.
inline constexpr std::array kAfterMy{
    Family{
        Says::mine,
        U"note|notes|knowledgebase|notebook|notebooks|knowledge base|knowledge bases|kb|wiki|document|documents|docs"},
    Family{Says::mine, U"paper|papers|article|articles|experiment|experiments|results|findings|journal|diary|summary"},
    Family{Says::mine, U"summaries|drafts|thesis|dissertation|reading|readings|bookmark|bookmarks"},
    Family{Says::mine, U"records|recordings|memo|memos|todo|todos|to-do|to-dos|tasks|ideas|research"},
    Family{Says::mine, U"materials|slides|presentation|presentations|highlights|annotations|clippings"},
    Family{Says::mine,
           U"goals|takeaways|saves|plans|decisions|meetings|minutes|contributions|files|笔记|资料|知识库|文档|论文|"
           U"实验|总结"},
    Family{Says::nothing, U"is|are|was|were|be|to|in|on|at|and|or|of|for|with|from|about|need|needs|do|does|did|can"},
    Family{Says::nothing, U"should|will|has|have|if|when|so|but|by|keep|get|gets"},
};

/// Verbs with 我 as the one who is told or helped: a request, not a subject. 告诉我上次组会的结论 asks after the
/// meeting.
inline constexpr std::array<std::u32string_view, 24> kTelling{
    U"告诉", U"给",   U"帮", U"替", U"教", U"让",   U"请", U"问",   U"提醒", U"通知", U"推荐", U"回复",
    U"回答", U"答复", U"带", U"陪", U"发", U"麻烦", U"害", U"会把", U"叫",   U"指导", U"支持", U"救"};

/// … unless it ends a word of another kind: a task handed to 我 is 我's.
inline constexpr std::array<std::u32string_view, 8> kNotTelling{U"请问", U"分配给", U"指派给", U"布置给",
                                                                U"交给", U"分给",   U"派给",   U"安排给"};

/// With one of these in its sentence a bare 我 is anyone: 我用 Mac 怎么装环境.
inline constexpr std::array<std::u32string_view, 45> kHow{
    U"怎么",   U"怎样",   U"如何", U"咋",     U"为什么",     U"为何",     U"为啥",     U"应该",   U"需要",
    U"可以",   U"能不能", U"能否", U"可否",   U"要不要",     U"哪里能",   U"哪里可以", U"在哪能", U"该怎",
    U"该找",   U"该看",   U"该用", U"该去",   U"该向",       U"该问",     U"该填",     U"该选",   U"原因",
    U"有人",   U"报错",   U"出错", U"没反应", U"是什么问题", U"什么情况", U"找不到",   U"没找到", U"没看到",
    U"搜不到", U"跑不",   U"连不", U"登不",   U"打不开",     U"装不",     U"起不来",   U"失败",   U"不收敛"};

/// A clause without any of these, with more behind it, only sets the scene: 我在看论文，里面的 KL 散度是什么.
inline constexpr std::array<std::u32string_view, 15> kAsking{U"什么", U"哪",     U"谁",   U"几",     U"多少",
                                                             U"多久", U"吗",     U"么",   U"怎",     U"何",
                                                             U"啥",   U"有没有", U"是否", U"是不是", U"?"};

/// 过 in these tells of no past.
inline constexpr std::array<std::u32string_view, 19> kNoPast{
    U"通过", U"不过", U"经过", U"超过", U"过滤", U"过程", U"过期",   U"过敏", U"过去", U"过大",
    U"过多", U"过长", U"过高", U"过低", U"过慢", U"过来", U"过拟合", U"过于", U"难过"};

}  // namespace kb::scope
