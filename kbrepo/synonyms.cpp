#include "kbrepo/synonyms.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kb::kbrepo {
namespace {

struct Row {
  bool action;
  char const* words;  ///< separated by '|'
};

constexpr Row kRows[] = {
    {true, "rotate|rotation|renew|regenerate|roll over|轮换|更换|轮转"},
    {true, "revoke|revocation|invalidate|withdraw|吊销|撤销|作废"},
    {true, "create|generate|issue|provision|创建|新建|生成|签发"},
    {true, "delete|remove|purge|erase|删除|移除|清除"},
    {true, "deploy|deployment|release|roll out|部署|发布|上线"},
    {true, "back up|backup|备份"},
    {true, "restore|recover|recovery|恢复|还原"},
    {true, "install|set up|安装|装"},
    {true, "configure|configuration|配置|设置"},
    {true, "update|upgrade|patch|升级|更新"},
    {true, "approve|approval|sign off|审批|批准"},
    {true, "request|apply for|申请"},
    {true, "monitor|observe|监控|监测"},
    {true, "verify|check|validate|confirm|验证|核对|确认"},
    {false, "key|credential|token|secret|密钥|凭证|凭据|令牌"},
    {false, "password|passphrase|密码|口令"},
    {false, "login|sign in|log in|登录|登陆"},
    {false, "error|failure|fault|错误|故障|失败"},
    {false, "incident|outage|事故|事件|宕机"},
    {false, "meeting|standup|会议|例会|组会"},
    {false, "document|doc|page|文档|页面"},
    {false, "server|host|machine|服务器|主机|机器"},
    {false, "database|db|数据库"},
    {false, "employee|staff|worker|员工|职员"},
    {false, "vacation|leave|holiday|假期|年假|休假"},
    {false, "cost|price|fee|费用|价格|成本"},
    // Traditional folds to Simplified by character; these words differ beyond that.
    {false, "资料库|数据库"},
    {false, "伺服器|服务器"},
    {false, "程式|程序|代码"},
    {false, "软体|软件"},
    {false, "硬体|硬件"},
    {false, "网路|网络"},
    {false, "影片|视频"},
    {false, "使用者|用户|user"},
    {false, "档案|文件|file"},
    {false, "资讯|信息"},
    {false, "预设|默认|缺省|default"},
    {false, "登入|登录|登陆|login"},
    {false, "品质|质量"},
    {false, "专案|项目|project"},
    {false, "硬碟|硬盘|磁盘|disk"},
    {false, "记忆体|内存|memory"},
    {false, "讯息|消息|message"},
    {false, "连结|链接|link"},
    {false, "支援|支持"},
    {false, "回馈|反馈|feedback"},
    {false, "搜寻|搜索|search"},
    {false, "云端|云"},
    {false, "演算法|算法|algorithm"},
    {false, "帐号|账号|账户|account"},
    {false, "封锁|封禁|停权|ban|block"},
    {false, "志工|志愿者|volunteer"},
    // work
    {false, "pto|time off|vacation|annual leave|休假|年假|请假"},
    {false, "salary|pay|compensation|wage|薪资|工资|薪水|薪酬"},
    {false, "bonus|奖金"},
    {false, "benefits|perks|福利"},
    {false, "expense|reimbursement|reimburse|报销"},
    {false, "new hire|new starter|new teammate|new employee|newcomer|新人|新员工|新伙伴"},
    {false, "onboarding|onboard|入职"},
    {false, "offboarding|resign|resignation|quit|departing|leaving|离职|辞职"},
    {false, "swag|goodies|merch|merchandise|周边|周边商品"},
    {false, "gift|present|礼物"},
    {false, "laptop|computer|macbook|笔电|笔记本|电脑"},
    {false, "manager|supervisor|boss|主管|经理|上级"},
    {false, "teammate|colleague|coworker|同事"},
    {false, "customer|client|客户|客戶"},
    {false, "sync|meeting|call|开会|会议"},
    {false, "contact|reach|ping|notify|page|联系|联络|通知"},
    {false, "emergency|urgent|紧急"},
    {false, "on call|oncall|pager|值班|轮值"},
    {false, "schedule|timetable|calendar|shift|排班|日程|行程"},
    {false, "deadline|due date|ddl|截止|期限"},
    {false, "budget|预算"},
    {false, "花费|花多少钱|支出|费用|价钱|cost|spend"},
    {false, "rent|租金|场租"},
    {false, "venue|场地"},
    {false, "meetup|gathering|小聚|聚会|聚餐"},
    {false, "host|facilitator|moderator|主持|主持人"},
    {false, "guideline|policy|rule|规定|规范|准则"},
    {false, "limit|cap|maximum|上限"},
    {false, "allowance|stipend|津贴|补贴"},
    {false, "training|course|培训|课程"},
    {false, "hire|hiring|recruit|recruiting|招聘|招募"},
    {false, "interview|面试|访谈"},
    {false, "headcount|staffing|人数"},
    {false, "agenda|议程|议题"},
    {false, "minutes|会议记录|会议纪要|纪要"},
    {false, "invoice|bill|billing|发票|帐单|账单"},
    {false, "contract|agreement|合约|合同"},
    {false, "purchase|buy|order|procure|采购|购买|下单|订购"},
    {false, "remind|reminder|提醒"},
    {false, "side job|side gig|moonlighting|outside employment|second job|副业|兼职"},
    {false, "travel|trip|出差|差旅"},
    {false, "office|办公室"},
    {false, "salesperson|sales rep|account executive|业务|销售"},
    {false, "vendor|supplier|provider|供应商|厂商"},
    {false, "lead|leader|owner|in charge|responsible|负责人|负责"},
    // software
    {false, "gcp|google cloud|google 云"},
    {false, "aws|amazon web services"},
    {false, "k8s|kubernetes"},
    {false, "postgres|postgresql"},
    {false, "elasticsearch|elastic search"},
    {false, "repo|repository|仓库|代码库"},
    {false, "pull request|pr|merge request|合并请求"},
    {false, "environment|env|环境"},
    {false, "production|prod|正式环境|生产环境|正式站|线上"},
    {false, "staging|测试环境|测试站|预发"},
    {false, "bug|defect|缺陷"},
    {false, "cause|reason|原因|主因"},
    {false, "migrate|migration|move|搬迁|迁移|搬家"},
    {false, "reply|response|answer|回应|回复|回答"},
    {false, "spam|垃圾讯息|垃圾信息|洗版|刷屏"},
    {false, "label|tag|标签"},
    {false, "role|permission|privilege|角色|权限"},
    {false, "virtual machine|vm|虚拟机"},
    {false, "api endpoint|endpoint|接口"},
    {false, "command line|cli|terminal|命令行|终端"},
    {false, "feature|功能"},
    {false, "deprecate|deprecation|sunset|retire|remove|弃用|下架|淘汰"},
    {false, "trial|试用"},
    {false, "region|zone|区域|地区|机房"},
    {false, "dashboard|仪表板|看板"},
    {false, "log|日志"},
    {false, "encryption|encrypt|加密"},
    {false, "single sign on|sso|单点登录"},
    {false, "two factor|2fa|mfa|两步验证|双重验证"},
    {false, "timeout|超时"},
    {false, "version|版本"},
    {false, "test|测试"},
    // computing
    {false, "fenwick tree|binary indexed tree|bit|树状数组"},
    {false, "segment tree|线段树"},
    {false, "sparse table|st 表"},
    {false, "shortest path|最短路"},
    {false, "tree|树"},
    {false, "spanning tree|生成树"},
    {false, "dynamic programming|dp|动态规划"},
    {false, "greedy|贪心"},
    {false, "prime|质数|素数"},
    {false, "gcd|greatest common divisor|最大公约数|最大公因数"},
    {false, "interval|range|区间"},
    {false, "sum|总和|求和"},
    {false, "complexity|复杂度"},
    {false, "queue|队列"},
    {false, "stack|栈|堆栈"},
    {false, "heap|priority queue|堆|优先队列"},
    {false, "hash|哈希|散列"},
    {false, "sort|排序"},
    {false, "matrix|矩阵"},
    {false, "contest|competition|比赛|竞赛|赛场|考场"},
    {false, "judge|评测|评测机|评测环境"},
    {false, "compiler|compile|编译器|编译"},
    {false, "network flow|网络流"},
    {false, "propose|invent|introduce|提出|发明"},
    {false, "binary search|二分|二分查找"},
    {false, "string|字符串"},
    {false, "contestant|选手|参赛者"},
    {false, "parameter|argument|参数"},
    {false, "proof|prove|证明"},
};

std::vector<std::string> cut(std::string_view words) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= words.size();) {
    std::size_t const to = std::min(words.find('|', from), words.size());
    out.emplace_back(words.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

}  // namespace

Synonyms::Synonyms() {
  for (Row const& row : kRows) groups_.push_back({cut(row.words), row.action});
}

std::string Synonyms::add(std::string_view json) {
  nlohmann::json const table = nlohmann::json::parse(json, nullptr, false);
  if (!table.is_array()) return "synonyms.json is no JSON array of arrays of words; the built-in table is used";
  std::string fault;
  for (auto const& row : table) {
    SynonymGroup group;
    for (auto const& word : row) {
      if (word.is_string() && !word.get<std::string>().empty()) group.words.push_back(word.get<std::string>());
    }
    if (group.words.size() > 1) {
      groups_.push_back(std::move(group));
    } else {
      fault = "synonyms.json has a row that is no array of two words or more; it is left out";
    }
  }
  return fault;
}

namespace {

/// Half as much as the word itself: nearly the same is not the same.
constexpr float kStandIn = 0.5f;

/// Words, and of a CJK word its pairs of characters (of a single character itself), in order.
std::vector<index::Term> main_terms(std::string_view text) {
  std::vector<index::Term> all;
  index::terms_of(text, all);
  std::vector<index::Term> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool const in_pair =
        all[i].kind == index::TermKind::unigram && std::any_of(all.begin(), all.end(), [&](index::Term const& other) {
          return other.kind == index::TermKind::bigram && other.begin <= all[i].begin && all[i].end <= other.end;
        });
    if (all[i].kind != index::TermKind::part && !in_pair) out.push_back(std::move(all[i]));
  }
  std::stable_sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.begin < b.begin; });
  return out;
}

}  // namespace

StandIns::StandIns(Synonyms const& synonyms) {
  for (std::size_t group = 0; group < synonyms.groups().size(); ++group) {
    for (std::string const& word : synonyms.groups()[group].words) {
      Phrase phrase;
      phrase.group = group;
      for (index::Term& term : main_terms(word)) phrase.terms.push_back(std::move(term.text));
      if (phrase.terms.empty()) continue;
      by_first_.emplace(phrase.terms.front(), phrases_.size());
      phrases_.push_back(std::move(phrase));
    }
  }
}

bool StandIns::stands_at(Phrase const& phrase, std::vector<index::Term> const& text, std::size_t at) {
  if (at + phrase.terms.size() > text.size()) return false;
  for (std::size_t i = 0; i < phrase.terms.size(); ++i) {
    if (text[at + i].text != phrase.terms[i]) return false;
  }
  return true;
}

std::vector<StandIn> StandIns::of(std::string_view question) const {
  std::vector<StandIn> out;
  std::vector<index::Term> const text = main_terms(question);
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const [begin, end] = by_first_.equal_range(text[at].text);
    for (auto found = begin; found != end; ++found) {
      Phrase const& said = phrases_[found->second];
      if (!stands_at(said, text, at)) continue;
      StandIn& one = out.emplace_back();
      one.said = said.terms;
      auto const [first, last] = std::equal_range(phrases_.begin(), phrases_.end(), said,
                                                  [](auto const& a, auto const& b) { return a.group < b.group; });
      for (auto other = first; other != last; ++other) {
        if (other->terms != said.terms) one.instead.push_back(other->terms);
      }
    }
  }
  return out;
}

void add_stand_ins(std::span<StandIn const> stand_ins, std::vector<index::QueryTerm>& terms) {
  auto const place_of = [&](std::string_view term) {
    auto const at = std::find_if(terms.begin(), terms.end(), [&](auto const& t) { return t.text == term; });
    return static_cast<std::size_t>(at - terms.begin());
  };
  for (StandIn const& one : stand_ins) {
    std::size_t const said = place_of(one.said.back());  // the head of a phrase, as a rule
    if (said == terms.size()) continue;
    for (std::vector<std::string> const& phrase : one.instead) {
      for (std::string const& term : phrase) {
        if (place_of(term) < terms.size()) continue;
        index::QueryTerm stand_in;
        stand_in.text = term;
        stand_in.weight = kStandIn / static_cast<float>(phrase.size());
        stand_in.stands_for = static_cast<std::int32_t>(said);
        terms.push_back(std::move(stand_in));
      }
    }
  }
}

}  // namespace kb::kbrepo
