/// The closed lists of words that follow-ups are recognised by. Whatever stands in none of them is a subject.
#pragma once

#include <array>
#include <string_view>

namespace kb::answer {

enum class WordClass {
  opener,    ///< joins on to what was said: 那, "and"; counts at the beginning only
  polite,    ///< says nothing at the beginning
  it,        ///< stands for a thing
  he,        ///< stands for a person
  pointer,   ///< 这个, "that": stands for a thing alone, with a property or with a general noun
  article,   ///< 该, 此: with a property or a general noun only
  general,   ///< a noun that names nothing by itself: 项目, "project"
  property,  ///< a property of something: 负责人, "deadline"
  asking,
  filler,   ///< joins and helps
  subject,  ///< a subject of its own though it begins like one of the above
};

struct WordFamily {
  WordClass word_class;
  std::string_view words;  ///< folded, separated by |
};

/// The longest word that fits is taken; Latin words must stand alone.
constexpr std::array kFollowUpWords{
    WordFamily{WordClass::opener,
               "那么|那|然后|还有|另外|此外|以及|所以|但是|不过|顺便问一下|再问一下|and|then|also|so|but"
               "|what about|how about"},
    WordFamily{WordClass::polite,
               "好的|嗯|哦|谢谢|多谢|明白了|知道了|了解了|请问一下|请问|请|你好|您好|麻烦|ok|okay|thanks"
               "|thank you|please|hi|hello|hey|well|can you|could you|do you know"},
    WordFamily{WordClass::it, "它们|它|其中|其余|其|上述|it|its|it's|itself|they|them|their|they're|that's"},
    WordFamily{WordClass::he, "他们|她们|他|她|这位|那位|此人|he|him|his|he's|she|her|she's"},
    WordFamily{WordClass::pointer,
               "这个|那个|这些|那些|这项|那项|这篇|那篇|这次|那次|这份|那份|这种|那种|这条|那条|这"
               "|this|that|these|those"},
    WordFamily{WordClass::article, "该|此"},
    WordFamily{
        WordClass::general,
        "项目|系统|方法|论文|文章|文档|页面|会议|实验|数据集|模型|工具|问题|方案|决定|平台|服务|算法|概念|框架|资源"
        "|报告|笔记|计划|内容|成员|资料|纪要|产品|功能|任务|规则|规定|政策|东西|人|同学|同事"
        "|project|system|method|paper|page|document|guide|meeting|experiment|dataset|model|tool|service|platform"
        "|person|people|problem|plan|algorithm|concept|report|note|notes|feature|task|rule|policy|members|thing"},
    WordFamily{
        WordClass::property,
        "负责人|结论|结果|原因|理由|目的|目标|背景|时间|日期|地点|地址|位置|进展|进度|状态|端口|版本|作者|步骤|流程"
        "|缺点|优点|优势|细节|链接|来源|风险|预算|费用|价格|邮箱|电话|手机|手机号|大小|数量|长度|深度|复杂度|温度"
        "|参数|区别|用途|作用|定义|意思|含义|例子|要点|下一步|截止日期|截止时间|名字|名称|职责|职位|性能|精度"
        "|准确率|延迟|频率|里程碑|时间线|依据|证据|指标|第一|第二|第三|第四|第五|最后一|另一"
        "|owner|owners|lead|maintainer|author|authors|deadline|date|time|place|location|status|progress|reason"
        "|reasons|goal|goals|purpose|result|results|conclusion|conclusions|decision|decisions|port|version|budget"
        "|cost|price|risk|risks|link|source|difference|definition|meaning|step|steps|milestone|milestones"
        "|timeline|size|number|email|phone|latency|limit|limits|default|name|first|second|third|fourth|last|next"
        "|other|one|ones|previous"},
    WordFamily{
        WordClass::asking,
        "为什么|为何|什么时候|何时|什么|什么人|啥|谁|哪位|哪里|哪儿|在哪|哪个|哪些|哪几|哪天|哪年|哪一年|哪一天"
        "|多少|多久|多大|多长|多高|几个|几号|几点|几月|怎么|怎样|怎么样|如何|是不是|是否|有没有|能不能|会不会"
        "|可不可以|要不要|吗|具体|详细|展开|举例|举个例子|还有呢|然后呢|那呢"
        "|what|what's|when|when's|where|where's|who|who's|whom|whose|why|how|which|many|much|long|often|else|more"
        "|details|detail|example|examples"},
    WordFamily{
        WordClass::filler,
        "的|是|有|在|和|与|跟|对|从|到|于|由|被|把|给|让|用|要|会|能|可以|应该|需要|还|也|都|又|再|就|才|只|了|过|着"
        "|呀|啊|吧|嘛|么|呢|一下|帮我|告诉我|说说|讲讲|介绍|解释|说明|说|讲|看|一共|总共|大概|目前|现在|当时|最后"
        "|最终|最初|最新|主要|关于|上|中|里|下|个|点|条|项|步|种|位|些|后来|之后|之前|已经|上线|开始|结束|推迟|延期"
        "|提前|发布|部署|完成|负责|参加|参与|写|做|改|换|选|选择|选用|采用|使用|运行|举行|进行|提出|支持|更新|修改"
        "|实现|解决|提到|定|来|去|找|联系|不"
        "|is|are|was|were|be|been|being|do|does|did|has|have|had|can|could|should|would|will|the|a|an|of|in|on|at"
        "|for|to|from|with|by|about|or|not|there|any|anything|something|tell|me|show|explain|give|again|exactly"
        "|just|still|now|currently|already|really|some|start|started|starts|begin|begins|end|ended|ends|finish"
        "|finished|launch|launched|ship|shipped|release|released|deploy|deployed|change|changed|use|used|uses|own"
        "|owns|owned|maintain|maintains|leads|run|runs|write|wrote|written|decide|decided|choose|chosen|chose|pick"
        "|picked|delayed|postponed|work|works|mean|means|made|make|happen|happened|take|takes|took|support|located"},
    WordFamily{
        WordClass::subject,
        "其他|其它|其实|其次|尤其|与其|极其|他人|吉他|那里|那边|那天|那时|那年|那周|那曲|那不勒斯|这里|这周|这个月"
        "|这个季度|这个学期|这个周|这个团队|这个群|这样|这么|这边|那样|哪吒|上海|上下文|中文|中国|在线|人工|人类|用户"
        "|what time is it"},
};

/// "How long does it take to …", "is it true that …": this "it" stands for what follows.
constexpr std::array<std::string_view, 16> kAfterDummyIt{"take", "takes", "took",    "possible", "true",  "ok",
                                                         "okay", "safe",  "allowed", "better",   "worth", "necessary",
                                                         "fine", "right", "correct", "likely"};

/// Whose something is, in front of what a question is about.
constexpr std::array<std::string_view, 11> kOwners{"我们的", "我们", "我的", "我",  "你们的", "你们",
                                                   "咱们",   "my ",  "our ", "we ", "i "};

/// What may hang on behind a topic once its question is cut off. Those with a blank are whole words.
constexpr std::array<std::string_view, 30> kBehindTopic{
    "是",   "有",   "的",   "了",   "从",   "由",   "被",   "和",   "要",     "每周",
    "每天", "每年", "一共", "总共", "大概", "目前", "现在", "最后", "采用了", "采用",
    "使用", "选用", "负责", "分别", " 用",  " 在",  " is",  " was", " are",   " does"};

}  // namespace kb::answer
