#include "config/feishu_settings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "config/secret_file.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFeishu = "https://open.feishu.cn";
constexpr std::string_view kLark = "https://open.larksuite.com";
constexpr std::int64_t kMostConnections = 50;  // the platform's limit for one app

/// scheme://host[:port] without a path; empty when it is none. Plain http is for a server on this machine only: the
/// app's secret travels in it.
std::string origin_of(std::string text) {
  if (text == "feishu") return std::string(kFeishu);
  if (text == "lark") return std::string(kLark);
  while (text.ends_with('/')) text.pop_back();
  bool const secure = text.starts_with("https://");
  bool const plain = text.starts_with("http://");
  if (!secure && !plain) return {};
  std::string const place = text.substr(secure ? 8 : 7);
  if (place.empty() || place.find_first_of("/?#@ \t") != place.npos) return {};
  std::string const host =
      place.starts_with('[') ? place.substr(0, place.find(']') + 1) : place.substr(0, place.find(':'));
  if (host.empty()) return {};
  if (plain && host != "127.0.0.1" && host != "localhost" && host != "[::1]") return {};
  return text;
}

FeishuSettings read_app(Fields& fields, fs::path const& base, FaultSink& sink, bool& enabled) {
  FeishuSettings app;
  enabled = fields.flag("enabled", fields.get("app_id") != nullptr);
  app.app_id = fields.text("app_id");
  app.app_secret_file = secret_file(fields, "app_secret_file", base, sink);
  std::string const domain = fields.text("domain", "feishu");
  app.domain = origin_of(domain);
  std::string const ca_file = fields.text("ca_file");
  if (!ca_file.empty()) app.ca_file = (base / ca_file).lexically_normal();
  app.connections = static_cast<unsigned>(fields.number("connections", 1, 1, kMostConnections));
  app.greet = fields.flag("greet", true);
  fields.reject_unknown();
  if (!enabled) return app;
  if (app.app_id.empty()) {
    sink.error(fields.place("app_id"), fields.path("app_id") + " is missing",
               "copy it from the developer console, Credentials & Basic Info; it begins with cli_");
  } else if (!app.app_id.starts_with("cli_")) {
    sink.warning(fields.place("app_id"), fields.path("app_id") + " does not begin with cli_",
                 "copy it from the developer console, Credentials & Basic Info");
  }
  if (app.app_secret_file.empty()) {
    sink.error(fields.place("app_secret_file"), fields.path("app_secret_file") + " is missing",
               "put the app secret in a file that only kbgate can read and name it here");
  }
  if (app.domain.empty()) {
    sink.error(fields.place("domain"),
               fields.path("domain") + " \"" + domain + "\" is no origin kbgate will send a secret to",
               R"(write "feishu", "lark" or https://HOST; http:// only for 127.0.0.1, localhost or [::1])");
  }
  return app;
}

}  // namespace

std::vector<FeishuSettings> read_feishu(Json const& json, fs::path const& base, FaultSink& sink) {
  std::vector<FeishuSettings> apps;
  auto const read = [&](Json const& item, std::string name) {
    Fields fields(item, std::move(name), sink);
    if (item.type != Json::Type::object) return;
    bool enabled = false;
    FeishuSettings app = read_app(fields, base, sink, enabled);
    if (!enabled) return;
    auto const same = [&app](FeishuSettings const& other) { return other.app_id == app.app_id; };
    if (std::any_of(apps.begin(), apps.end(), same)) {
      sink.error(item.place, "app " + app.app_id + " is configured twice", "remove one; \"connections\" opens several");
      return;
    }
    apps.push_back(std::move(app));
  };
  if (json.type != Json::Type::array) {
    read(json, "adapters.feishu");
    return apps;
  }
  for (std::size_t i = 0; i < json.items.size(); ++i) read(json.items[i], "adapters.feishu[" + std::to_string(i) + "]");
  return apps;
}

}  // namespace kb::config
