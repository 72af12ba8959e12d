#include "answer/protocols/synonyms.hpp"

#include <nlohmann/json.hpp>

namespace kb::protocols {
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

}  // namespace kb::protocols
