#include "tests/feishu_sim/api.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "logging/service_log.hpp"
#include "tests/feishu_sim/answers.hpp"
#include "tests/feishu_sim/query.hpp"

namespace kb::feishu_sim {
namespace {

/// Compares a path with a pattern such as "/messages/:message_id/reply", and fills what the names stand for.
bool fits(std::string_view pattern, std::string_view path, std::map<std::string, std::string>& params) {
  params.clear();
  while (!pattern.empty() && !path.empty()) {
    std::string_view const want = pattern.substr(1, pattern.find('/', 1) - 1);
    std::string_view const got = path.substr(1, path.find('/', 1) - 1);
    if (want.starts_with(':') && !got.empty()) {
      params[std::string(want.substr(1))] = decode_percent(got);
    } else if (want != got) {
      return false;
    }
    pattern.remove_prefix(std::min(pattern.size(), want.size() + 1));
    path.remove_prefix(std::min(path.size(), got.size() + 1));
  }
  return pattern.empty() && path.empty();
}

Answer injected(Json const& fault) {
  Answer answer;
  answer.status = static_cast<unsigned>(number_or(fault, "status", 400));
  Json const headers = part(fault, "headers");
  for (auto const& [name, value] : headers.items()) {
    answer.headers[name] = value.is_string() ? value.get<std::string>() : dump(value);
  }
  Json const body = at_path(fault, "body");
  answer.json = body.is_null() ? Json{{"code", number_or(fault, "code", 1)},
                                      {"msg", text_or(fault, "msg", "injected by the test")},
                                      {"data", Json::object()}}
                               : body;
  return answer;
}

}  // namespace

std::string Call::param(char const* name) const { return params.contains(name) ? params.at(name) : std::string(); }
std::string Call::asked(char const* name) const { return query.contains(name) ? query.at(name) : std::string(); }

Answer refused(World& world, Refusal const& refusal) {
  Answer answer;
  answer.status = refusal.status;
  Json error{{"log_id", world.hex(16)}};
  if (refusal.error.is_object()) error.update(refusal.error);
  answer.json = {{"code", refusal.code}, {"msg", refusal.msg}, {"error", std::move(error)}};
  return answer;
}

Answer done(Json data) {
  Answer answer;
  answer.json = {{"code", 0}, {"data", std::move(data)}, {"msg", "success"}};
  return answer;
}

struct Api::Route {
  std::string_view method, pattern, name;
  Handler handler;
  bool needs_token = true;
};

std::vector<Api::Route> const& Api::routes() {
  static std::vector<Route> const table{
      {"POST", "/callback/ws/endpoint", "ws_endpoint", &Api::discover, false},
      {"POST", "/open-apis/auth/v3/tenant_access_token/internal", "token", &Api::token, false},
      {"GET", "/open-apis/bot/v3/info", "bot_info", &Api::bot_info},
      {"GET", "/open-apis/application/v6/scopes", "scopes", &Api::scopes},
      {"POST", "/open-apis/im/v1/messages", "send", &Api::send},
      {"POST", "/open-apis/im/v1/messages/:message_id/reply", "reply", &Api::reply},
      {"PATCH", "/open-apis/im/v1/messages/:message_id", "patch_card", &Api::patch_card},
      {"PUT", "/open-apis/im/v1/messages/:message_id", "edit", &Api::edit},
      {"DELETE", "/open-apis/im/v1/messages/:message_id", "recall", &Api::recall},
      {"GET", "/open-apis/im/v1/messages/:message_id", "get_message", &Api::get_message},
      {"POST", "/open-apis/im/v1/messages/:message_id/reactions", "add_reaction", &Api::add_reaction},
      {"GET", "/open-apis/im/v1/messages/:message_id/reactions", "list_reactions", &Api::list_reactions},
      {"DELETE", "/open-apis/im/v1/messages/:message_id/reactions/:reaction_id", "delete_reaction",
       &Api::delete_reaction},
      {"GET", "/open-apis/im/v1/chats/:chat_id", "get_chat", &Api::get_chat},
      {"GET", "/open-apis/contact/v3/users/:user_id", "get_user", &Api::get_user},
      {"POST", "/open-apis/interactive/v1/card/update", "delayed_card_update", &Api::delayed_card_update},
      {"POST", "/open-apis/cardkit/v1/cards", "cardkit_create", &Api::cardkit_create},
      {"PUT", "/open-apis/cardkit/v1/cards/:card_id", "cardkit_update", &Api::cardkit_update},
      {"PATCH", "/open-apis/cardkit/v1/cards/:card_id/settings", "cardkit_settings", &Api::cardkit_settings},
      {"PUT", "/open-apis/cardkit/v1/cards/:card_id/elements/:element_id/content", "cardkit_content",
       &Api::cardkit_content},
  };
  return table;
}

Api::Api(aio::Executor ex, World& world, Hub& hub, Network& network)
    : ex_(std::move(ex)), world_(world), hub_(hub), network_(network), cards_(world), resumed_(ex_) {}
Api::~Api() = default;

// The response of a call, and what a test has ordered to happen instead.
aio::Task<aio::HttpResponse> Api::handle(aio::HttpRequest request) {
  Call call;
  call.query = parse_query(request.target);
  call.host = request.header("host");
  auto const fitting = [&](Route const& r) {
    return r.method == request.method && fits(r.pattern, request.path(), call.params);
  };
  auto const& table = routes();
  auto const route = std::find_if(table.begin(), table.end(), fitting);
  std::string const name(route == table.end() ? "unknown" : route->name);
  Json record{{"at", world_.clock.now().count()},
              {"method", request.method},
              {"path", request.path()},
              {"query", call.query},
              {"kind", name},
              {"headers",
               {{"user-agent", request.header("user-agent")},
                {"authorization", request.header("authorization")},
                {"content-type", request.header("content-type")},
                {"locale", request.header("locale")}}},
              {"body", request.body}};
  std::optional<Json> const slow = next_fault(delays_, name);
  std::optional<Json> const fault = next_fault(faults_, name);
  bool const effect = !fault || flag_or(*fault, "after_effect", false);
  Millis wait(slow ? number_or(*slow, "ms", 0) : 0);
  if (fault) wait += Millis(number_or(*fault, "delay_ms", 0));
  if (wait.count() > 0) {
    co_await hold_back(wait);
  }
  Answer answer;
  if (route == table.end()) {
    answer.status = 404;
  } else if (effect) {
    answer = run(*route, request, call);
    if (fault) record["effect"] = answer.json;
  }
  std::string text = route == table.end() ? "404 page not found" : "";
  if (fault) {
    answer = injected(*fault);
    record["fault"] = true;
    text = text_or(*fault, "text");
  }
  record["status"] = answer.status;
  record["code"] = at_path(answer.json, "code");
  world_.record(world_.requests, std::move(record));
  if (world_.options.verbose) {
    log::write(log::Level::info, "feishu_sim.call", {{"route", name}, {"status", answer.status}});
  }
  if (fault && flag_or(*fault, "close", false)) network_.cut(request.peer, false);
  if (fault && flag_or(*fault, "hang", false)) network_.freeze(request.peer);
  aio::HttpResponse response;
  response.status = answer.status;
  response.headers = std::move(answer.headers);
  response.headers["x-tt-logid"] = world_.log_id();
  response.content_type = text.empty() ? "application/json; charset=utf-8" : "text/plain; charset=utf-8";
  response.body = text.empty() ? dump(answer.json) : text;
  co_return response;
}

aio::Task<> Api::hold_back(Millis time) {
  auto const over = std::make_shared<bool>(false);
  world_.clock.in(time, [this, over] {
    *over = true;
    resumed_.notify();
  });
  while (!*over && !stopped_) {
    bool const go_on = co_await resumed_.wait();
    if (!go_on) co_return;
  }
}

void Api::stop() {
  stopped_ = true;
  resumed_.notify();
}

Answer Api::run(Route const& route, aio::HttpRequest const& request, Call& call) {
  if (route.needs_token) {
    if (auto no = check_token(request)) return refused(world_, *no);
    if (auto no = check_api_rate(std::string(route.name))) return *no;
  }
  call.body = Json::object();
  if (!request.body.empty()) {
    call.body = Json::parse(request.body, nullptr, false);
    if (!call.body.is_object()) return refused(world_, {9499, "Invalid parameter type in json"});
  }
  return (this->*route.handler)(call);
}

std::optional<Refusal> Api::check_token(aio::HttpRequest const& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  std::string const header = request.header("authorization");
  if (header.empty()) {
    return Refusal{99991661, "Missing access token for authorization. Please make a request with token attached."};
  }
  std::string const token = header.starts_with(kBearer) ? header.substr(kBearer.size()) : std::string();
  if (!token.starts_with("t-") && !token.starts_with("u-")) {
    return Refusal{99991671, "Invalid access token format for authorization. Please attach a valid token."};
  }
  if (!world_.token_valid(token)) {
    return Refusal{99991663, "Invalid access token for authorization. Please make a request with token attached."};
  }
  return std::nullopt;
}

std::optional<Answer> Api::check_api_rate(std::string const& route) {
  SimulatorOptions const& o = world_.options;
  if (!o.rate_limits) return std::nullopt;
  Millis const now = world_.clock.now();
  auto const second = world_.rates.wait_for("second:" + route, o.per_api_second, Millis(1000), now);
  auto const minute = world_.rates.wait_for("minute:" + route, o.per_api_minute, Millis(60'000), now);
  if (!second && !minute) return std::nullopt;
  Answer answer = refused(world_, {99991400, "request trigger frequency limit", Json(), 429});
  auto const seconds = std::max<std::int64_t>(1, ((second ? *second : *minute).count() + 999) / 1000);
  answer.headers["x-ogw-ratelimit-limit"] = std::to_string(second ? o.per_api_second : o.per_api_minute);
  answer.headers["x-ogw-ratelimit-reset"] = std::to_string(seconds);
  return answer;
}

Answer Api::discover(Call const& call) {
  Answer answer;
  SimulatorOptions const& o = world_.options;
  if (endpoint_.is_object()) {
    Json const mode = endpoint_;
    std::int64_t const times = number_or(mode, "times", -1);
    if (times > 0) endpoint_["times"] = times - 1;
    if (times == 1) endpoint_ = Json();
    answer.status = static_cast<unsigned>(number_or(mode, "http_status", 200));
    answer.json = {{"code", number_or(mode, "code", 1)}, {"msg", text_or(mode, "msg")}};
    if (!flag_or(mode, "no_data", false)) answer.json["data"] = part(mode, "data");
    return answer;
  }
  if (text_or(call.body, "AppID") != o.app_id || text_or(call.body, "AppSecret") != o.app_secret) {
    answer.json = {{"code", 1000040345}, {"msg", "app_id or app_secret is invalid"}, {"data", Json::object()}};
    return answer;
  }
  Json data{{"URL", hub_.new_url(scheme_, call.host)}, {"ClientConfig", client_config(o)}};
  answer.json = {{"code", 0}, {"msg", ""}, {"data", std::move(data)}};
  return answer;
}

Answer Api::token(Call const& call) {
  SimulatorOptions const& o = world_.options;
  Answer answer;
  bool const known = text_or(call.body, "app_id") == o.app_id;
  if (!known || text_or(call.body, "app_secret") != o.app_secret) {
    answer.status = o.token_error_status;
    answer.json =
        known ? Json{{"code", 10014}, {"msg", "app secret invalid"}} : Json{{"code", 10003}, {"msg", "invalid param"}};
    return answer;
  }
  Token const& token = world_.issue_token();
  answer.json = {{"code", 0},
                 {"expire", (token.ends - world_.clock.now()).count() / 1000},
                 {"msg", "ok"},
                 {"tenant_access_token", token.text}};
  return answer;
}

Answer Api::scopes(Call const&) {
  constexpr int kGranted = 1, kAskedFor = 2;
  Json list = Json::array();
  for (std::string const& name : world_.options.scopes)
    list.push_back({{"scope_name", name}, {"scope_type", "tenant"}, {"grant_status", kGranted}});
  list.push_back(
      {{"scope_name", "contact:contact.base:readonly"}, {"scope_type", "tenant"}, {"grant_status", kAskedFor}});
  Answer answer;
  answer.json = {{"code", 0}, {"msg", "ok"}, {"data", {{"scopes", std::move(list)}}}};
  return answer;
}

Answer Api::bot_info(Call const&) {
  Answer answer;
  answer.json = {{"code", 0},
                 {"msg", "ok"},
                 {"bot",
                  {{"activate_status", 2},
                   {"app_name", world_.options.bot_name},
                   {"avatar_url", "https://example.invalid/avatar.png"},
                   {"ip_white_list", Json::array()},
                   {"open_id", world_.options.bot_open_id}}}};
  return answer;
}

Json Api::fail(Json const& how) {
  add_fault(faults_, how, 1);
  return {{"faults", faults_}};
}

Json Api::delay(Json const& how) {
  add_fault(delays_, how, -1);
  return {{"latencies", delays_}};
}

Json Api::endpoint(Json const& how) {
  SimulatorOptions& o = world_.options;
  Json const config = part(how, "client_config");
  o.reconnect_count = static_cast<int>(number_or(config, "ReconnectCount", o.reconnect_count));
  o.reconnect_interval = static_cast<int>(number_or(config, "ReconnectInterval", o.reconnect_interval));
  o.reconnect_nonce = static_cast<int>(number_or(config, "ReconnectNonce", o.reconnect_nonce));
  o.ping_interval = static_cast<int>(number_or(config, "PingInterval", o.ping_interval));
  endpoint_ = !config.empty() || flag_or(how, "clear", false) ? Json() : how;
  return {{"mode", endpoint_}, {"client_config", client_config(o)}};
}

void Api::reset() {
  faults_ = delays_ = Json::array();
  endpoint_ = Json();
  cards_.clear();
}

}  // namespace kb::feishu_sim
