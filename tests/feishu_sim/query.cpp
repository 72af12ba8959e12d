#include "tests/feishu_sim/query.hpp"

#include "tests/feishu_sim/frames.hpp"

namespace kb::feishu_sim {

std::string decode_percent(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = text[i] == '%' ? from_hex(text.substr(i + 1, 2)) : Result<std::string>(std::string());
    if (text[i] == '%' && byte && byte->size() == 1) {
      plain += *byte;
      i += 2;
    } else {
      plain.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return plain;
}

std::map<std::string, std::string> parse_query(std::string_view target) {
  std::map<std::string, std::string> query;
  auto const mark = target.find('?');
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    std::string_view const pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    auto const equals = std::min(pair.find('='), pair.size());
    query[decode_percent(pair.substr(0, equals))] = decode_percent(pair.substr(std::min(equals + 1, pair.size())));
  }
  return query;
}

void add_fault(Json& faults, Json const& how, int times) {
  if (flag_or(how, "clear", false)) {
    faults = Json::array();
    return;
  }
  Json fault = how;
  if (!fault.contains("times")) fault["times"] = times;
  faults.push_back(std::move(fault));
}

std::optional<Json> next_fault(Json& faults, std::string_view route) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Json& fault = faults[i];
    std::string const for_route = text_or(fault, "route", "*");
    if (!route.empty() && for_route != "*" && for_route != route) continue;
    std::optional<Json> used = fault;
    std::int64_t const times = number_or(fault, "times", 1);
    if (times > 0) fault["times"] = times - 1;
    if (times == 1) faults.erase(faults.begin() + static_cast<Json::difference_type>(i));
    if (times != 0) return used;
  }
  return std::nullopt;
}

Json client_config(SimulatorOptions const& options) {
  return {{"ReconnectCount", options.reconnect_count},
          {"ReconnectInterval", options.reconnect_interval},
          {"ReconnectNonce", options.reconnect_nonce},
          {"PingInterval", options.ping_interval}};
}

bool matches(Json const& entry, Json const& filter) {
  for (auto const& [path, value] : filter.items()) {
    if (at_path(entry, path) != value) return false;
  }
  return true;
}

}  // namespace kb::feishu_sim
