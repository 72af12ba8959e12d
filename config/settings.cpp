#include "config/settings.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <map>
#include <utility>

#include "config/answer_settings.hpp"
#include "config/atomic_file.hpp"
#include "config/feishu_settings.hpp"
#include "config/json_fields.hpp"
#include "config/knowledge_base_settings.hpp"
#include "config/repo_settings.hpp"
#include "config/secret_file.hpp"
#include "config/token_settings.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSettingsBytes = 4 * 1024 * 1024;
constexpr std::string_view kFileName = "kbgate.json";

enum class Reach { loopback, network, nowhere };

/// Who can connect to an address; nowhere: it is none.
Reach reach_of(std::string const& address) {
  in_addr v4{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == 127 ? Reach::loopback : Reach::network;
  }
  in6_addr v6{};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) != 1) return Reach::nowhere;
  return IN6_IS_ADDR_LOOPBACK(&v6) ? Reach::loopback : Reach::network;
}

/// As names of knowledge bases are compared: without blanks around, ASCII case folded.
std::string folded(std::string_view name) {
  while (!name.empty() && name.front() <= ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() <= ' ') name.remove_suffix(1);
  std::string out(name);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// One kbgate.json on its way to Settings.
class SettingsReader {
 public:
  SettingsReader(fs::path const& file, FaultSink& sink) : base_(file.parent_path()), sink_(sink) {
    settings_.file = file;
  }

  Settings read(Json const& root) {
    Fields top(root, "", sink_);
    if (root.type != Json::Type::object) return std::move(settings_);
    settings_.state_dir = path(top, "state_dir", "state");
    settings_.users = path(top, "users", "users.json");
    settings_.teams = path(top, "teams", "teams.json");
    settings_.chat_bindings = path(top, "chat_bindings", "chat_bindings.json");
    for (auto& admin : top.texts("admins")) settings_.admins.emplace_back(std::move(admin));
    read_repos(top);
    if (Json const* listen = top.object("listen")) read_listen(*listen);
    read_tokens(top);
    if (Json const* adapters = top.object("adapters")) read_adapters(*adapters);
    if (Json const* answer = top.object("answer")) settings_.answer = config::read_answer(*answer, base_, sink_);
    if (Json const* rules = top.object("knowledge_bases")) {
      settings_.knowledge_bases = read_knowledge_base_rules(*rules, sink_);
    }
    if (Json const* limits = top.object("limits")) read_limits(*limits);
    top.reject_unknown();
    return std::move(settings_);
  }

 private:
  [[nodiscard]] fs::path absolute(std::string const& text) const { return (base_ / text).lexically_normal(); }

  fs::path path(Fields& fields, std::string_view key, std::string const& fallback) {
    std::string const text = fields.text(key, fallback);
    if (!text.empty()) return absolute(text);
    sink_.error(fields.place(key), fields.path(key) + " is empty", "name a path, or leave the key out");
    return absolute(fallback);
  }

  void read_repos(Fields& top) {
    Json const* const list = top.list("repos");
    if (list == nullptr || list->items.empty()) {
      sink_.warning(top.place("repos"), "no repository is configured: every question will be refused",
                    "add one under \"repos\"");
      return;
    }
    std::map<RepoId, int> lines;
    std::map<std::string, RepoId> asked_by;  // ids, and names whatever their case
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      Json const& item = list->items[i];
      RepoSettings repo = read_repo(item, "repos[" + std::to_string(i) + "]", base_, sink_);
      if (repo.id.owner.empty() || repo.id.repo.empty()) continue;
      auto const [first, fresh] = lines.emplace(repo.id, item.place.line);
      if (!fresh) {
        sink_.error(item.place, "repository " + repo.id.str() + " is configured twice",
                    "remove one; the first is in line " + std::to_string(first->second));
      }
      if (!repo.dir.empty() && repo.git.empty()) {
        repo.git = settings_.state_dir / "directories" / repo.id.owner / (repo.id.repo + ".git");
      }
      if (!fresh) continue;
      for (std::string const& word : {"id " + repo.knowledge_base.id, "name " + folded(repo.knowledge_base.name)}) {
        auto const [holder, free] = asked_by.emplace(word, repo.id);
        if (free) continue;
        sink_.error(item.place,
                    repo.id.str() + " and " + holder->second.str() + " have the same knowledge base " + word,
                    "agents ask by it: give each its own");
      }
      settings_.repos.push_back(std::move(repo));
    }
  }

  void read_listen(Json const& json) {
    Fields fields(json, "listen", sink_);
    ListenSettings& listen = settings_.listen;
    listen.address = fields.text("address", listen.address);
    if (listen.address == "localhost") listen.address = "127.0.0.1";
    listen.port = static_cast<std::uint16_t>(fields.number("port", listen.port, 0, 65535));
    listen.token_file = secret_file(fields, "token_file", base_, sink_);
    Reach const reach = reach_of(listen.address);
    if (reach == Reach::nowhere) {
      sink_.error(fields.place("address"), "listen.address \"" + listen.address + "\" is no IP address",
                  "write one such as \"127.0.0.1\" or \"::1\"");
    } else if (reach == Reach::network && listen.token_file.empty()) {
      sink_.error(fields.place("address"), "listen.address " + listen.address + " is open to others without a token",
                  "set listen.token_file, or listen on 127.0.0.1");
    }
    fields.reject_unknown();
  }

  void read_tokens(Fields& top) {
    Json const* const list = top.list("tokens");
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      Json const& item = list->items[i];
      TokenSettings token = read_token(item, "tokens[" + std::to_string(i) + "]", sink_);
      for (RepoId const& id : token.repos) {
        if (settings_.find(id) != nullptr) continue;
        sink_.error(item.place, "token " + token.name + " may read " + id.str() + ", which is not configured",
                    "add it under \"repos\", or remove it here");
      }
      for (TokenSettings const& other : settings_.tokens) {
        if (other.name != token.name && other.sha256 != token.sha256) continue;
        sink_.error(item.place, "token " + token.name + " has the name or the hash of another",
                    "make one for each caller with: kbgate token --name NAME");
      }
      settings_.tokens.push_back(std::move(token));
    }
    if (!settings_.tokens.empty() && settings_.listen.token_file.empty()) {
      sink_.warning(list->place, "tokens bind agents, but any program on this machine may use the bridge as anyone",
                    "set listen.token_file too");
    }
  }

  void read_adapters(Json const& json) {
    Fields fields(json, "adapters", sink_);
    if (Json const* feishu = fields.get("feishu")) settings_.feishu = read_feishu(*feishu, base_, sink_);
    if (Json const* openclaw = fields.object("openclaw")) {
      Fields inner(*openclaw, fields.path("openclaw"), sink_);
      settings_.openclaw.enabled = inner.flag("enabled", false);
      settings_.openclaw.sentence = inner.text("sentence", settings_.openclaw.sentence);
      if (settings_.openclaw.sentence.empty()) {
        sink_.error(inner.place("sentence"), inner.path("sentence") + " is empty", "write one, or leave the key out");
      }
      inner.reject_unknown();
    }
    fields.reject_unknown();
  }

  void read_limits(Json const& json) {
    Fields fields(json, "limits", sink_);
    Limits& limits = settings_.limits;
    auto const size = [&fields](std::string_view key, std::size_t& value, std::int64_t low, std::int64_t high) {
      value = static_cast<std::size_t>(fields.number(key, static_cast<std::int64_t>(value), low, high));
    };
    size("max_question_bytes", limits.max_question_bytes, 1, 60'000);  // a frame of the bridge has 64 KiB
    limits.questions_per_user_per_minute = static_cast<unsigned>(fields.number(
        "questions_per_user_per_minute", limits.questions_per_user_per_minute, 0, 100'000));  // 0: no limit
    size("max_pages", limits.max_pages, 1, 100);
    size("max_page_bytes", limits.max_page_bytes, 1024, 1024 * 1024 * 1024);
    size("chat_queue", limits.chat_queue, 1, 10'000);
    size("in_flight", limits.in_flight, 1, 100'000);
    size("connections", limits.connections, 1, 1'000'000);
    fields.reject_unknown();
  }

  fs::path base_;
  FaultSink& sink_;
  Settings settings_;
};

}  // namespace

RepoSettings const* Settings::find(RepoId const& id) const noexcept {
  auto const found = std::find_if(repos.begin(), repos.end(), [&id](RepoSettings const& r) { return r.id == id; });
  return found == repos.end() ? nullptr : &*found;
}

Result<fs::path> find_settings_file(std::string const& given) {
  std::vector<fs::path> places;
  auto const variable = [](char const* name) {
    char const* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  };
  // What was named outright is the only place: falling back to another file would hide a typing error.
  if (!given.empty()) {
    places.emplace_back(given);
  } else if (std::string const named = variable("KBGATE_CONFIG"); !named.empty()) {
    places.emplace_back(named);
  } else {
    if (std::string const xdg = variable("XDG_CONFIG_HOME"); !xdg.empty()) {
      places.push_back(fs::path(xdg) / "kbgate" / kFileName);
    } else if (std::string const home = variable("HOME"); !home.empty()) {
      places.push_back(fs::path(home) / ".config" / "kbgate" / kFileName);
    }
    places.push_back(fs::path("/etc/kbgate") / kFileName);
  }
  std::string looked;
  for (auto const& place : places) {
    std::error_code ignored;
    fs::path const file = fs::is_directory(place, ignored) ? place / kFileName : place;
    if (fs::exists(file, ignored)) return fs::absolute(file).lexically_normal();
    looked += (looked.empty() ? "" : ", ") + file.string();
  }
  return Error(Errc::not_found, "no configuration file; looked at " + looked);
}

Loaded<Settings> parse_settings(std::string_view text, fs::path const& file) {
  Loaded<Settings> loaded;
  std::optional<Json> const root = parse_json(text, file.string(), loaded.errors);
  if (!root) return loaded;
  FaultSink sink(file.string(), loaded.errors, loaded.warnings);
  Settings settings = SettingsReader(file, sink).read(*root);
  if (loaded.errors.empty()) loaded.value = std::move(settings);
  return loaded;
}

Loaded<Settings> load_settings(fs::path const& file) {
  fs::path const path = fs::absolute(file).lexically_normal();
  Result<std::string> const text = read_file(path, kMaxSettingsBytes);
  if (text) return parse_settings(*text, path);
  Loaded<Settings> loaded;
  loaded.errors.push_back({path.string(), 0, 0, text.error().what, "check the path and the rights"});
  return loaded;
}

}  // namespace kb::config
