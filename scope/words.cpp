#include "scope/words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scope/fold.hpp"

namespace kb::scope {
namespace {

// How a question is read: from left to right the longest entry of kWords that fits is one word; what no entry knows is
// skipped. A word that stands here only to say `nothing` keeps shorter ones from being seen inside it: 自我 hides 我.
// A dictionary segmenter would cut the same sentence differently from one ICU to the next, and knows no speech acts.
enum class Says : std::uint8_t {
  nothing,
  mine,      ///< the speaker's own material
  ours,      ///< the team's
  pronoun,   ///< 我 and I: what follows decides, see kAfterPronoun
  particle,  ///< in kAfterPronoun: look behind it
};

/// A row of the table: words (separated by '|', folded, so Simplified and lower case) that say the same thing.
struct Family {
  Says says;
  std::u32string_view words;
  std::u32string_view not_after = U"";  ///< does not fire behind one of these characters
};

constexpr std::u32string_view kNumerals = U"0123456789一二两三四五六七八九十百千万几多数每某这那哪各整俩仨";
constexpr std::u32string_view kThirdPerson = U"他她它们户工员生者方";

constexpr std::array kWords{
    // --- Chinese: the team (S1-23) ---
    Family{Says::ours,
           U"我们|咱们|咱|我等|团队|组会|例会|周会|项目|同学|成员|同事|队友|组员|课题组|小组|本组|我组|全组|组里|组内"},
    Family{Says::ours,
           U"实验室|我司|我部门|我科室|我班|我的团队|我的小组|我的组|我的部门|我的课题组|我的实验室|我的公司|我的单位"},
    Family{Says::ours,
           U"我所在的团队|我所在的组|我所在的小组|我所在的部门|我所在的课题组|我所在的实验室|我团队|我小组|我课题组|"
           U"我实验室"},
    // … and words that only look like it
    Family{Says::nothing,
           U"项目符号|项目编号|成员函数|成员变量|成员国|数据成员|类成员|数组|词组|分组|模组|元组|对照组|实验组"},

    // --- Chinese: the pronoun (S1-20, S1-22) ---
    Family{Says::pronoun, U"我"},
    Family{Says::mine, U"我的|我自己的|本人的|本人资料|本人笔记"},
    // 我 inside another word
    Family{Says::nothing,
           U"自我|忘我|本我|超我|你我他|唯我独尊|我行我素|卿卿我我|尔虞我诈|你追我赶|你死我活|我国|我军|我方|我党|我校|"
           U"我院|我省|我市|我县"},
    // … and words that only start like those, or would be cut wrongly
    Family{Says::mine,
           U"我国庆|我军训|我方案|我方法|我校对|我校验|我校准|我校正|我组织|我组建|我组装|我市场|我班级|我等了|我等过"},
    Family{Says::nothing, U"来自|有无|源自|出自|取自"},
    // what one says of oneself without asking for it
    Family{Says::nothing,
           U"我的问题是|我的疑问是|我的意思|我的理解|我的看法|我的观点|我的建议|我的猜测|我的想法是|我的天|我的妈|"
           U"我的老天|我的困惑"},
    Family{Says::nothing, U"我的问题如下|我的问题很简单|我的需求是"},
    // 我 as the one who is told, helped, reminded: a request, not a subject
    Family{Says::nothing,
           U"告诉我|给我|帮我|替我|为我|教我|让我|请我|问我|跟我说|和我说|对我说|跟我讲|和我讲|给我讲|提醒我|通知我|"
           U"推荐我|回复我|回答我|答复我"},
    Family{Says::nothing, U"带我|陪我|发我|指导我|教教我|帮帮我|救救我|麻烦我|大家好|同学们好|同学你好|各位同学"},
    Family{
        Says::mine,
        U"告诉我的|给我的|帮我的|替我的|为我的|教我的|让我的|问我的|提醒我的|通知我的|推荐我的|回复我的|发我的|带我的"},

    // --- Chinese: 个人 only as the owner of material (C-20) ---
    Family{Says::mine, U"个人资料|个人知识库|个人笔记|个人库|个人文档|个人文件|个人记录|个人收藏|个人日记|个人存档",
           kNumerals},
    Family{Says::mine, U"个人的资料|个人的知识库|个人的笔记|个人的文档", kNumerals},
    Family{Says::mine, U"私人资料|私人知识库|私人笔记|私人文档|私人日记|私人收藏"},
    Family{Says::nothing,
           U"个人资料保护|个人资料法|个人资料外泄|个人资料泄露|个人资料泄漏|个人资料泄|个人资料当事人|个人资料夹|"
           U"个人库存|个人记录片"},

    // --- English: the team ---
    Family{Says::ours,
           U"we|us|our|ours|ourselves|team|project|projects|members|teammate|teammates|colleague|colleagues|coworker|"
           U"coworkers"},
    Family{Says::ours,
           U"classmate|classmates|group meeting|lab meeting|my team|my own team|my whole team|my entire team|my new "
           U"team|my group|my lab|my squad"},
    Family{Says::ours,
           U"my company|my org|my organization|my organisation|my department|my dept|my school|my university|my "
           U"colleague|my colleagues"},
    Family{Says::ours, U"my coworker|my coworkers|my teammate|my teammates|my office|my employer|my class"},
    Family{Says::nothing,
           U"let us know|tell us|member function|member functions|member variable|member variables|data members|class "
           U"members|struct members"},

    // --- English: the speaker's own ---
    Family{Says::mine, U"my|of mine|is mine|are mine|was mine|were mine|and mine|or mine|i myself"},
    Family{Says::mine, U"about me|about myself|to myself|assigned to me|mention me|mentions me|mentioned me|who am i"},
    Family{Says::mine,
           U"did i|have i|had i|was i|do i have|do i know|do i own|am i working|am i responsible|am i assigned"},
    Family{Says::mine,
           U"personal notes|personal note|personal knowledge base|personal kb|personal wiki|personal "
           U"documents|personal files|personal library|private notes"},
    Family{Says::pronoun, U"i"},
    Family{Says::nothing,
           U"did i understand|did i get that|did i get this|did i miss|have i understood|have i got|have i missed|do i "
           U"have to|do i have access|do i have permission"},
    Family{Says::nothing,
           U"my question|my questions|my guess|my opinion|my understanding|my apologies|my bad|my point|my view|my "
           U"mind|my knowledge|my god|my goodness"},
    Family{Says::nothing,
           U"my impression|my concern|my suggestion|my assumption|my feeling|my problem is|my issue is|my pleasure|my "
           U"fault|my dear|oh my|my friend"},
};

/// Behind 我 or I. Nothing here: 我 is `mine` unless the rest of the sentence asks how, I says nothing.
constexpr std::array kAfterPronoun{
    Family{Says::particle,
           U"也|还|就|只|又|再|现在|目前|有点|真的|一直|确实|其实|今天|刚|刚刚|刚才|这边|这里|这儿|很|非常|太|特别|"
           U"不太|不是很|不是太|还是|是否|什么时候|什么时间|到底|究竟|一般|通常|自己|个人|突然|主要|先|都|总|总是|好像|"
           U"似乎|可能|大概|请问"},
    // asking, thinking, wishing
    Family{Says::nothing,
           U"想|问|请问|请教|咨询|打听|确认|核实|补充|求|求问|来问|查一下|查下|查查|看一下|看下|看看|看到|看见|看|"
           U"找一下|找下|找找|搜一下|搜下|搜了一下|搜"},
    Family{Says::nothing,
           U"知道|不知道|不清楚|不确定|不明白|不懂|没懂|没看懂|没看明白|看不懂|没搞懂|没搞清楚|搞不懂|搞不清|弄不懂|"
           U"弄不清|没明白|没听懂|记得|不记得|记不清|记不得|忘了|忘记|忘"},
    Family{Says::nothing,
           U"听说|听过|觉得|认为|以为|猜|感觉|发现|理解|明白|懂|了解|好奇|疑惑|困惑|纳闷|怀疑|估计|担心|希望|期待|打算|"
           U"准备|说|指|意思|代表大家|急用|急需|急着|急"},
    // needing, being able to: the same for everyone
    Family{Says::nothing,
           U"要|需要|得|该|应该|应当|必须|必需|可以|可否|可不可以|能|能不能|能否|能够|会|会不会|不会|不能|不可以|无法|"
           U"没法|没办法|没有办法|不想|不用|有必要|有没有必要|有没有办法|要不要|用不用|该不该"},
    Family{Says::nothing,
           U"怎么|怎样|怎么样|如何|咋|为什么|为何|为啥|去哪|去哪里|到哪|到哪里|从哪|从哪里|哪里能|哪里可以|在哪能|"
           U"在哪里能|在哪可以|在哪里可以|哪儿能|哪儿可以"},
    // trouble and circumstances, no matter whose
    Family{Says::nothing,
           U"有一个问题|有个问题|有几个问题|有问题|有疑问|有个疑问|有一个疑问|有权|有资格|没有权限|没权限|存在疑问|"
           U"存在问题|遇到|碰到|报错|连不上|登不上|登录不了|打不开|进不去|装不上|跑不起来|跑不通|下载不了|访问不了|"
           U"找不到|没找到|搜不到|没看到|看不到|在找|正在找"},
    Family{Says::nothing,
           U"是新人|是新来的|是新同学|是新成员|是新手|是新|是刚|是第一次|是一名|是一个|是个|是来|是说|是指|叫|第一次|"
           U"刚来|刚入职|来"},
    // what the speaker did, has or is
    Family{Says::mine,
           U"之前|以前|此前|曾|曾经|上次|上回|上周|上个月|上月|上学期|昨天|前天|前几天|去年|前年|那天|那时|当时|最近|"
           U"近期"},
    Family{Says::mine,
           U"存|记过|记的|记录|记下|记了|写|保存|收藏|负责|参与|做过|做的|看过|看的|看完|看了|读|查过|查的|找过|找的|"
           U"搜过|问过|问的|问了|说过|说的|听过的|想到的|想到过|想过|想出|想的|要做的|要交的|得到|得出|会议|发现的|"
           U"发现了|发现过|发现过的|遇到过|碰到过|整理|总结|上传|有哪些|有没有|有什么|有多少|来过|要的|忘了带"},
    // English
    Family{Says::particle,
           U"'ve|have|'d|had|already|just|also|once|previously|recently|never|ever|last|once|actually|originally|"
           U"personally|first"},
    Family{Says::mine,
           U"saved|stored|wrote|write down|wrote down|written|noted|note "
           U"down|recorded|read|bookmarked|kept|collected|uploaded|presented|promised|decided|did|done|made|learned|"
           U"learnt|worked "
           U"on|took|attended|reviewed|summarized|summarised|submitted|published|drafted|documented|logged|filed|"
           U"archived|imported|contributed|highlighted|annotated|am responsible|am assigned|ran|tested|measured"},
    Family{Says::nothing,
           U"read that|read in|read somewhere|read the|made a mistake|ran into|ran the|ran this|did not|didn't|keep "
           U"getting|decided to|read about"},
};

constexpr std::array<std::u32string_view, 24> kHow{
    U"怎么",     U"怎样",   U"如何",     U"咋",     U"为什么", U"为何",       U"为啥",     U"应该",
    U"该",       U"需要",   U"可以",     U"能不能", U"能否",   U"可否",       U"要不要",   U"哪里能",
    U"哪里可以", U"在哪能", U"什么原因", U"啥原因", U"原因是", U"是什么问题", U"什么情况", U"有人"};
// Not 过 inside these.
constexpr std::array<std::u32string_view, 6> kNoPast{U"通过", U"不过", U"经过", U"超过", U"过滤", U"过程"};

struct Entry {
  std::u32string_view word;
  Says says;
  std::u32string_view not_after;
};

/// The longest word of a table at a place.
class Lexicon {
 public:
  explicit Lexicon(std::span<Family const> families) {
    for (auto const& family : families) {
      for (auto words = family.words; !words.empty();) {
        auto const word = words.substr(0, words.find(U'|'));
        entries_.push_back({word, family.says, family.not_after});
        words.remove_prefix(std::min(words.size(), word.size() + 1));
      }
    }
    std::sort(entries_.begin(), entries_.end(), [](Entry const& a, Entry const& b) {
      if (a.word.front() != b.word.front()) return a.word.front() < b.word.front();
      return a.word.size() > b.word.size();
    });
  }

  [[nodiscard]] Entry const* longest(std::u32string_view text, std::size_t at) const {
    auto const first = text[at];
    auto it = std::lower_bound(entries_.begin(), entries_.end(), first,
                               [](Entry const& entry, char32_t c) { return entry.word.front() < c; });
    for (; it != entries_.end() && it->word.front() == first; ++it) {
      if (!text.substr(at).starts_with(it->word) || !stands_alone(text, at, it->word.size())) continue;
      if (!it->not_after.empty() && follows(text, at, it->not_after)) continue;
      return &*it;
    }
    return nullptr;
  }

 private:
  static bool follows(std::u32string_view text, std::size_t at, std::u32string_view characters) {
    while (at > 0 && text[at - 1] == U' ') --at;
    return at > 0 && characters.find(text[at - 1]) != characters.npos;
  }

  std::vector<Entry> entries_;
};

Lexicon const& words() {
  static Lexicon const lexicon(kWords);
  return lexicon;
}

Lexicon const& after_pronoun() {
  static Lexicon const lexicon(kAfterPronoun);
  return lexicon;
}

bool ends_sentence(char32_t c) {
  return c == U'。' || c == U'？' || c == U'?' || c == U'！' || c == U'!' || c == U'；' || c == U';' || c == U'\n';
}

std::u32string_view sentence_from(std::u32string_view text, std::size_t at) {
  auto end = at;
  while (end < text.size() && !ends_sentence(text[end])) ++end;
  return text.substr(at, end - at);
}

/// 我做过的…, 我当时怎么解决的？ tell of what was, also where they ask how.
bool tells_of_the_past(std::u32string_view rest) {
  for (auto at = rest.find(U'过'); at != rest.npos; at = rest.find(U'过', at + 1)) {
    bool const other = std::any_of(kNoPast.begin(), kNoPast.end(), [&](std::u32string_view word) {
      return rest.substr(at).starts_with(word) || (at > 0 && rest.substr(at - 1).starts_with(word));
    });
    if (!other) return true;
  }
  while (!rest.empty() && std::u32string_view(U" 呢吗啊呀来着").find(rest.back()) != rest.npos) rest.remove_suffix(1);
  return rest.ends_with(U'的');
}

/// A question after the way things are done is the same for everyone: 我用 Mac 怎么装环境.
bool asks_how(std::u32string_view rest) {
  if (tells_of_the_past(rest)) return false;
  return std::any_of(kHow.begin(), kHow.end(), [&](std::u32string_view how) { return rest.find(how) != rest.npos; });
}

/// What a bare pronoun that ends at `at` says; moves `at` behind what was read.
Says read_pronoun(std::u32string_view text, bool chinese, std::size_t& at) {
  auto here = at;
  for (;;) {
    while (here < text.size() && text[here] == U' ') ++here;
    auto const* entry = here < text.size() ? after_pronoun().longest(text, here) : nullptr;
    if (entry == nullptr) break;
    here += entry->word.size();
    if (entry->says == Says::particle) continue;
    at = here;
    return entry->says;
  }
  if (!chinese) return Says::nothing;
  return asks_how(sentence_from(text, at)) ? Says::nothing : Says::mine;
}

}  // namespace

Ownership ownership_of(std::string_view question) {
  auto const text = spoken(question);
  Ownership found;
  for (std::size_t at = 0; at < text.size();) {
    auto const* entry = words().longest(text, at);
    if (entry == nullptr) {
      ++at;
      continue;
    }
    at += entry->word.size();
    auto says = entry->says;
    if (says == Says::pronoun) says = read_pronoun(text, entry->word == U"我", at);
    found.personal |= says == Says::mine;
    found.team |= says == Says::ours;
  }
  return found;
}

Lang language_of(std::string_view text) noexcept { return speaks_han(text) ? Lang::zh : Lang::en; }

}  // namespace kb::scope
