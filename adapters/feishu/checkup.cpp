#include "adapters/feishu/checkup.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "adapters/feishu/api.hpp"

namespace kb::feishu {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using State = Finding::State;

constexpr auto kTolerableSkew = 300s;
constexpr auto kLimit = 15s;
constexpr std::string_view kScopes = "/open-apis/application/v6/scopes";
constexpr int kGranted = 1;

/// One of several permissions is enough.
struct Need {
  std::string_view what;
  std::array<std::string_view, 3> any;  ///< the first is the one to ask for
  bool needed;
};
constexpr std::array kNeeds{
    Need{"private messages", {"im:message.p2p_msg:readonly", "im:message.p2p_msg", ""}, true},
    Need{"group messages that mention the bot",
         {"im:message.group_at_msg:readonly", "im:message.group_at_msg", ""},
         true},
    Need{"its replies", {"im:message:send_as_bot", "im:message:send", "im:message"}, true},
    Need{"the reaction on slow answers", {"im:message.reactions:write_only", "im:message", ""}, false},
};

/// The envelope's words, if it has any.
std::string message_of(Json const& answer) {
  auto const msg = answer.find("msg");
  return msg != answer.end() && msg->is_string() ? msg->get<std::string>() : std::string();
}

std::string console_of(App const& app) { return app.domain + "/app/" + app.id; }

/// Seconds that the server's clock is ahead of ours.
std::optional<std::chrono::seconds> skew(std::string const& date, TimePoint now) {
  std::tm parts{};
  // RFC 9110 §5.6.7: always English, always GMT.
  char const* const end = ::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr) return std::nullopt;
  auto const theirs = std::chrono::system_clock::from_time_t(::timegm(&parts));
  return std::chrono::duration_cast<std::chrono::seconds>(theirs - now);
}

Finding clock_finding(aio::HttpResponse const& response, TimePoint now) {
  auto const date = response.headers.find("date");
  std::optional<std::chrono::seconds> const ahead =
      date == response.headers.end() ? std::nullopt : skew(date->second, now);
  if (!ahead) return {"clock", State::note, "the platform did not tell its time", ""};
  auto const off = std::chrono::abs(*ahead);
  std::string detail = std::to_string(off.count()) + " s from the platform's";
  if (off <= kTolerableSkew) return {"clock", State::ok, std::move(detail), ""};
  return {"clock", State::fault, std::move(detail), "set this machine's clock: timedatectl set-ntp true"};
}

Finding bot_finding(Result<BotInfo> const& bot, std::string const& console) {
  if (!bot)
    return {"bot", State::fault, bot.error().what, "check app_id and app_secret_file against " + console + "/baseinfo"};
  constexpr int kEnabled = 2;
  if (bot->open_id.empty() || bot->activate_status != kEnabled) {
    return {"bot", State::fault, "the app has no bot in use",
            "switch the bot on at " + console + "/bot and publish a version at " + console + "/version"};
  }
  return {"bot", State::ok, bot->name + ", " + bot->open_id, ""};
}

Finding connection_finding(Result<aio::HttpResponse> const& response, std::string const& console) {
  std::string const what = "long connection";
  if (!response)
    return {what, State::fault, response.error().what, "check the network, a proxy, or adapters.feishu.domain"};
  Json const answer = Json::parse(response->body, nullptr, false);
  bool const sound = answer.is_object() && answer.contains("code") && answer["code"].is_number_integer();
  if (!sound) {
    return {what, State::fault, "no answer that could be read, HTTP " + std::to_string(response->status),
            "check adapters.feishu.domain"};
  }
  if (answer["code"] == 0) return {what, State::ok, "the platform offers one", ""};
  return {what, State::fault, "refused with " + answer["code"].dump() + " " + message_of(answer),
          "check the app's state and secret at " + console + "/baseinfo; only one program may use an app"};
}

}  // namespace

std::vector<Finding> check_permissions(std::string_view body, std::string_view console) {
  Json const answer = Json::parse(body, nullptr, false);
  std::string const where(console);
  auto const unknown = [&](std::string detail) {
    return std::vector<Finding>{{"permissions", State::note, std::move(detail),
                                 "look at " + where + "/auth, or grant application:application:self_manage"}};
  };
  if (!answer.is_object()) return unknown("could not be listed");
  Json const code = answer.value("code", Json());
  if (code != 0) return unknown("could not be listed: " + code.dump() + " " + message_of(answer));
  Json const data = answer.value("data", Json());
  Json const scopes = data.is_object() ? data.value("scopes", Json()) : Json();
  if (!scopes.is_array()) return unknown("could not be listed: the answer names none");
  std::set<std::string, std::less<>> granted;
  for (Json const& scope : scopes) {
    if (scope.is_object() && scope.value("grant_status", Json()) == kGranted && scope.contains("scope_name") &&
        scope["scope_name"].is_string())
      granted.insert(scope["scope_name"].get<std::string>());
  }
  std::vector<Finding> findings;
  for (Need const& need : kNeeds) {
    auto const has = [&granted](std::string_view name) { return !name.empty() && granted.contains(name); };
    std::string const name = "permission for " + std::string(need.what);
    if (std::any_of(need.any.begin(), need.any.end(), has)) {
      findings.push_back({name, State::ok, "granted", ""});
      continue;
    }
    findings.push_back({name, need.needed ? State::fault : State::note, std::string(need.any[0]) + " is not granted",
                        "add it at " + where + "/auth?q=" + std::string(need.any[0]) + " and publish a version"});
  }
  return findings;
}

aio::Task<std::vector<Finding>> check_up(aio::Executor ex, aio::HttpClient& http, App app, Clock const& clock) {
  std::vector<Finding> findings;
  std::string const console = console_of(app);

  aio::HttpCall discovery;
  discovery.method = "POST";
  discovery.url = app.domain + "/callback/ws/endpoint";
  discovery.headers = {{"content-type", "application/json"}, {"locale", "zh"}};
  discovery.body = Json{{"AppID", app.id}, {"AppSecret", app.secret}}.dump();
  discovery.limit = kLimit;
  discovery.repeatable = true;
  Result<aio::HttpResponse> const endpoint = co_await http.send(std::move(discovery));
  if (endpoint) findings.push_back(clock_finding(*endpoint, clock.now()));
  findings.push_back(connection_finding(endpoint, console));
  if (!endpoint) co_return findings;

  Api api(ex, http, app, clock);
  Result<BotInfo> const bot = co_await api.bot_info();
  findings.push_back(bot_finding(bot, console));
  if (!bot) co_return findings;

  std::string path(kScopes);
  Result<std::string> const scopes = co_await api.get(std::move(path));
  std::vector<Finding> permissions = check_permissions(scopes ? *scopes : scopes.error().what, console);
  findings.insert(findings.end(), permissions.begin(), permissions.end());
  findings.push_back(
      {"events", State::note, "what the app subscribes to cannot be asked",
       "at " + console + "/event: persistent connection, im.message.receive_v1, and card.action.trigger"});
  co_return findings;
}

}  // namespace kb::feishu
