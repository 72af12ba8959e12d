#include "adapters/feishu/discovery.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adapters/aio/url.hpp"

namespace kb::feishu {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr auto kLongestWait = milliseconds(600'000);  // whatever a header says

// PROTOCOL: error codes of discovery, and of the handshake's Handshake-Status and Handshake-Autherrcode.
constexpr long long kForbidden = 403;
constexpr long long kNotAuthenticated = 514;
constexpr long long kTooManyConnections = 1000040350;
constexpr long long kBadCredentialsOrBusy = 1000040345;

std::optional<long long> integer(std::string_view text) noexcept {
  long long value = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

json parsed(std::string_view text) { return json::parse(text, nullptr, false); }

json const& member(json const& object, char const* name) {
  static json const none;
  if (!object.is_object()) return none;
  auto const at = object.find(name);
  return at == object.end() ? none : *at;
}

std::string text_of(json const& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

/// Seconds as milliseconds; nothing when it is no number or below zero. Huge ones are cut before they overflow.
std::optional<milliseconds> seconds(json const& value) {
  constexpr double kMost = 1e6;
  if (!value.is_number()) return std::nullopt;
  double const number = value.get<double>();
  if (!(number >= 0)) return std::nullopt;
  return milliseconds(static_cast<milliseconds::rep>(std::ceil(std::min(number, kMost) * 1000)));
}

void tune(Tuning& tuning, json const& config, ConnectionLimits const& limits) {
  auto const ping = seconds(member(config, "PingInterval"));
  if (ping && *ping > milliseconds::zero()) {
    tuning.ping = std::clamp(*ping, limits.shortest_ping, limits.longest_ping);
  }
  auto const reconnect = seconds(member(config, "ReconnectInterval"));
  if (reconnect) tuning.reconnect = *reconnect;
  auto const nonce = seconds(member(config, "ReconnectNonce"));
  if (nonce) tuning.nonce = *nonce;
}

bool says_busy(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return text.find("busy") != text.npos;
}

bool refuses_app(long long code, std::string const& msg) {
  if (code == kBadCredentialsOrBusy) return !says_busy(msg);
  return code == kForbidden || code == kNotAuthenticated || code == kTooManyConnections;
}

std::string header(aio::HttpResponse const& response, char const* name) {
  auto const at = response.headers.find(name);
  return at == response.headers.end() ? std::string() : at->second;
}

milliseconds asked_wait(aio::HttpResponse const& response) {
  for (char const* name : {"x-ogw-ratelimit-reset", "retry-after"}) {
    auto const asked = integer(header(response, name));
    if (asked && *asked > 0) return std::min(milliseconds(std::min(*asked, 1'000'000LL) * 1000), kLongestWait);
  }
  return milliseconds::zero();
}

/// The value of a query's parameter.
std::string parameter(std::string_view url, std::string_view name) {
  std::string_view query = url.substr(std::min(url.find('?'), url.size() - 1) + 1);
  while (!query.empty()) {
    std::string_view const pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    std::size_t const equals = pair.find('=');
    if (equals != pair.npos && pair.substr(0, equals) == name) return std::string(pair.substr(equals + 1));
  }
  return {};
}

Discovery trouble(std::string what, bool refused = false) {
  Discovery discovery;
  discovery.trouble.what = std::move(what);
  discovery.trouble.refused = refused;
  return discovery;
}

Discovery endpoint_of(std::string url, App const& app) {
  Result<aio::Url> const place = aio::parse_url(url);
  if (!place || !place->scheme.starts_with("ws")) return trouble("discovery: no WebSocket URL in the answer");
  if (app.domain.starts_with("https") && !place->secure()) {
    return trouble("discovery: the WebSocket URL is not encrypted");
  }
  Endpoint endpoint;
  endpoint.device_id = parameter(url, "device_id");
  auto const service = integer(parameter(url, "service_id")).value_or(0);
  endpoint.service = static_cast<std::int32_t>(service);
  for (char const* name : {"access_key", "ticket"}) endpoint.secrets.push_back(parameter(url, name));
  endpoint.url = std::move(url);
  Discovery discovery;
  discovery.endpoint = std::move(endpoint);
  return discovery;
}

}  // namespace

void tune(Tuning& tuning, std::string_view client_config, ConnectionLimits const& limits) {
  tune(tuning, parsed(client_config), limits);
}

aio::HttpCall discovery_call(App const& app, milliseconds limit) {
  aio::HttpCall call;
  call.method = "POST";
  call.url = app.domain;
  while (call.url.ends_with('/')) call.url.pop_back();
  call.url += "/callback/ws/endpoint";
  call.headers = {{"Content-Type", "application/json"}, {"locale", "zh"}};
  call.body = json{{"AppID", app.id}, {"AppSecret", app.secret}}.dump(-1, ' ', false, json::error_handler_t::replace);
  call.limit = limit;
  call.repeatable = true;
  return call;
}

Discovery read_discovery(aio::HttpResponse const& response, App const& app, Tuning& tuning,
                         ConnectionLimits const& limits) {
  json const answer = parsed(response.body);
  json const& code = member(answer, "code");
  std::string const msg = redacted(text_of(member(answer, "msg")), {app.secret});
  if (code.is_number_integer() && code != 0) {
    auto const number = code.get<long long>();
    Discovery no = trouble("discovery: code " + std::to_string(number) + ": " + msg, refuses_app(number, msg));
    no.trouble.wait = asked_wait(response);
    return no;
  }
  if (response.status != 200) {
    Discovery no = trouble("discovery: HTTP status " + std::to_string(response.status));
    no.trouble.wait = asked_wait(response);
    return no;
  }
  json const& data = member(answer, "data");
  std::string url = text_of(member(data, "URL"));
  if (!code.is_number_integer() || url.empty()) return trouble("discovery: no WebSocket URL in the answer");
  tune(tuning, member(data, "ClientConfig"), limits);
  return endpoint_of(std::move(url), app);
}

Trouble read_refusal(aio::WsAnswer const& answer) {
  Trouble trouble;
  trouble.what = answer.error.what;
  if (answer.response.status == 0) return trouble;
  auto const status = integer(header(answer.response, "handshake-status")).value_or(0);
  auto const detail = integer(header(answer.response, "handshake-autherrcode")).value_or(0);
  std::string const msg = header(answer.response, "handshake-msg");
  // 514 alone is a ticket that has run out: the next discovery gives a new one.
  trouble.refused = status == kForbidden || (status == kNotAuthenticated && detail == kTooManyConnections);
  if (status != 0) trouble.what += ", Handshake-Status " + std::to_string(status);
  if (detail != 0) trouble.what += ", Handshake-Autherrcode " + std::to_string(detail);
  if (!msg.empty()) trouble.what += ": " + msg;
  trouble.wait = asked_wait(answer.response);
  return trouble;
}

std::string redacted(std::string text, std::vector<std::string> const& secrets) {
  constexpr std::string_view kHidden = "***";
  for (auto const& secret : secrets) {
    if (secret.empty()) continue;
    for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + kHidden.size())) {
      text.replace(at, secret.size(), kHidden);
    }
  }
  return text;
}

}  // namespace kb::feishu
