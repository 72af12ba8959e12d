#include "config/settings.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>

#include "config/atomic_file.hpp"
#include "config/json_fields.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSettingsBytes = 4 * 1024 * 1024;
constexpr std::string_view kFileName = "kbgate.json";
constexpr std::string_view kCredentials = "$CREDENTIALS_DIRECTORY/";

struct KindName {
  std::string_view name;
  RepoKind kind;
};
constexpr std::array kKinds{
    KindName{"personal", RepoKind::personal},
    KindName{"team", RepoKind::team},
    KindName{"project_docs", RepoKind::project_docs},
    KindName{"brain", RepoKind::brain},
    KindName{"named", RepoKind::named},
    KindName{"search_root", RepoKind::search_root},
};

struct LogModeName {
  std::string_view name;
  QueryLogMode mode;
};
constexpr std::array kLogModes{
    LogModeName{"branch", QueryLogMode::branch},
    LogModeName{"commit", QueryLogMode::commit},
    LogModeName{"local", QueryLogMode::local},
};

constexpr std::array<std::string_view, 6> kWebUrlFields{"owner", "repo", "commit", "path", "start", "end"};
constexpr std::array<std::string_view, 1> kDrafters{"extractive"};
constexpr std::array<std::string_view, 2> kAdapters{"feishu", "openclaw"};

/// "a", "b" or "c"
std::string listed(std::span<std::string_view const> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "\"" + std::string(words[i]) + "\"";
  }
  return text;
}

/// One word of a closed set. `fallback` when absent or (with a fault) unknown.
std::string one_of(Fields& fields, std::string_view key, std::span<std::string_view const> words,
                   std::string_view fallback, FaultSink& sink) {
  std::string word = fields.text(key, std::string(fallback));
  if (word == fallback || std::find(words.begin(), words.end(), word) != words.end()) return word;
  std::string hint = did_you_mean(word, words);
  if (hint.empty()) hint = "write " + listed(words);
  sink.error(fields.place(key), "unknown " + fields.path(key) + " \"" + word + "\"", std::move(hint));
  return std::string(fallback);
}

template <std::size_t N, class Row>
std::array<std::string_view, N> names_of(std::array<Row, N> const& rows) {
  std::array<std::string_view, N> names;
  std::transform(rows.begin(), rows.end(), names.begin(), [](Row const& row) { return row.name; });
  return names;
}

/// Why git would refuse the name (git-check-ref-format(1)), or empty.
std::string_view broken_ref(std::string_view ref) {
  if (!ref.starts_with("refs/")) return "it does not begin with refs/";
  if (ref.ends_with("/") || ref.ends_with(".")) return "it ends in a slash or a dot";
  if (ref.find("..") != ref.npos || ref.find("@{") != ref.npos) return "it holds .. or @{";
  if (ref.find("//") != ref.npos || ref.find("/.") != ref.npos) return "a part is empty or begins with a dot";
  if (ref.ends_with(".lock") || ref.find(".lock/") != ref.npos) return "a part ends in .lock";
  auto const forbidden = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
           std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
  };
  if (std::any_of(ref.begin(), ref.end(), forbidden)) return "it holds a blank or one of ~ ^ : ? * [ \\";
  return {};
}

/// Owners and repositories become parts of paths and links.
bool is_plain_name(std::string_view name) {
  auto const bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '/' || c == '\\'; };
  return !name.empty() && name != "." && name != ".." && std::none_of(name.begin(), name.end(), bad);
}

bool is_ip_address(std::string const& text) {
  std::array<unsigned char, sizeof(in6_addr)> out{};
  return ::inet_pton(AF_INET, text.c_str(), out.data()) == 1 || ::inet_pton(AF_INET6, text.c_str(), out.data()) == 1;
}

bool is_loopback(std::string const& address) {
  in_addr v4{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/// `https://user:password@host/…`
bool holds_password(std::string_view url) {
  auto const scheme = url.find("://");
  if (scheme == url.npos) return false;
  std::string_view const rest = url.substr(scheme + 3);
  std::string_view const authority = rest.substr(0, rest.find('/'));
  auto const at = authority.rfind('@');
  return at != authority.npos && authority.substr(0, at).find(':') != authority.npos;
}

/// One kbgate.json on its way to Settings.
class SettingsReader {
 public:
  SettingsReader(fs::path const& file, FaultSink& sink) : base_(file.parent_path()), sink_(sink) {
    settings_.file = file;
  }

  Settings read(Json const& root) {
    Fields top(root, "", sink_);
    settings_.state_dir = path(top, "state_dir", "state");
    settings_.users = path(top, "users", "users.json");
    settings_.teams = path(top, "teams", "teams.json");
    settings_.chat_bindings = path(top, "chat_bindings", "chat_bindings.json");
    for (auto& admin : top.texts("admins")) settings_.admins.emplace_back(std::move(admin));
    read_repos(top);
    if (Json const* listen = top.object("listen")) read_listen(*listen);
    if (Json const* adapters = top.object("adapters")) read_adapters(*adapters);
    if (Json const* answer = top.object("answer")) read_answer(*answer);
    if (Json const* limits = top.object("limits")) read_limits(*limits);
    top.reject_unknown();
    return std::move(settings_);
  }

 private:
  [[nodiscard]] fs::path absolute(std::string const& text) const { return (base_ / text).lexically_normal(); }

  fs::path path(Fields& fields, std::string_view key, std::string const& fallback) {
    std::string text = fields.text(key, fallback);
    if (text.empty() && !fallback.empty()) {
      sink_.error(fields.place(key), fields.path(key) + " is empty", "name a path, or leave the key out");
      text = fallback;
    }
    return text.empty() ? fs::path() : absolute(text);
  }

  /// A file that holds a secret; may stand in systemd's credentials directory.
  fs::path secret_file(Fields& fields, std::string_view key) {
    std::string const text = fields.text(key);
    if (!text.starts_with(kCredentials)) return text.empty() ? fs::path() : absolute(text);
    char const* const directory = std::getenv("CREDENTIALS_DIRECTORY");
    if (directory != nullptr) return fs::path(directory) / text.substr(kCredentials.size());
    sink_.error(fields.place(key), fields.path(key) + " names $CREDENTIALS_DIRECTORY, which is not set",
                "start under systemd with LoadCredential=, or name a file");
    return text;
  }

  void read_repos(Fields& top) {
    Json const* const list = top.list("repos");
    if (list == nullptr || list->items.empty()) {
      sink_.warning(top.place("repos"), "no repository is configured: every question will be refused",
                    "add one under \"repos\"");
      return;
    }
    std::map<RepoId, int> lines;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      Json const& item = list->items[i];
      RepoSettings repo = read_repo(item, "repos[" + std::to_string(i) + "]");
      if (repo.id.owner.empty() || repo.id.repo.empty()) continue;
      auto const [first, fresh] = lines.emplace(repo.id, item.place.line);
      if (!fresh) {
        sink_.error(item.place, "repository " + repo.id.str() + " is configured twice",
                    "remove one; the first is in line " + std::to_string(first->second));
      }
      settings_.repos.push_back(std::move(repo));
    }
  }

  RepoSettings read_repo(Json const& json, std::string name) {
    Fields fields(json, std::move(name), sink_);
    RepoSettings repo;
    repo.id = RepoId(plain_name(fields, "owner"), plain_name(fields, "repo"));
    repo.kind = kind(fields);
    read_source(fields, repo);
    repo.ref = ref(fields);
    repo.sync = std::chrono::seconds(fields.number("sync_seconds", repo.sync.count(), 1, 7 * 24 * 3600));
    repo.web_url = web_url(fields);
    repo.query_log = log_mode(fields);
    repo.push_query_log = fields.flag("push_query_log", false);
    if (repo.push_query_log && repo.remote.empty()) {
      sink_.error(fields.place("push_query_log"), fields.path("push_query_log") + " is true without a remote",
                  "set \"remote\", or set this to false");
    }
    repo.include = fields.texts("include");
    repo.exclude = fields.texts("exclude");
    fields.reject_unknown();
    return repo;
  }

  std::string plain_name(Fields& fields, std::string_view key) {
    Json const* const value = fields.get(key);
    std::string text = fields.text(key);
    if (value == nullptr) {
      sink_.error(fields.place(key), fields.path(key) + " is missing", "name the repository as owner and repo");
    } else if (value->type == Json::Type::text && !is_plain_name(text)) {
      sink_.error(value->place, fields.path(key) + " is no name: \"" + text + "\"",
                  "use the name without slashes and blanks");
      text.clear();
    }
    return text;
  }

  RepoKind kind(Fields& fields) {
    if (fields.get("kind") == nullptr) {
      sink_.error(fields.place("kind"), fields.path("kind") + " is missing", "write " + listed(names_of(kKinds)));
      return RepoKind::team;
    }
    std::string const word = one_of(fields, "kind", names_of(kKinds), "", sink_);
    if (word.empty()) return RepoKind::team;
    return std::find_if(kKinds.begin(), kKinds.end(), [&](KindName const& k) { return k.name == word; })->kind;
  }

  QueryLogMode log_mode(Fields& fields) {
    std::string const word = one_of(fields, "query_log", names_of(kLogModes), "branch", sink_);
    return std::find_if(kLogModes.begin(), kLogModes.end(), [&](LogModeName const& m) { return m.name == word; })->mode;
  }

  /// `git`, or `dir`, and the remote of `git`.
  void read_source(Fields& fields, RepoSettings& repo) {
    bool const git = fields.get("git") != nullptr;
    bool const dir = fields.get("dir") != nullptr;
    if (git == dir) {
      std::string const message = git ? " has both \"git\" and \"dir\"" : " has neither \"git\" nor \"dir\"";
      sink_.error(git ? fields.place("dir") : fields.place(""), fields.path("") + message,
                  git ? "keep one of them" : "name a git repository or a plain directory");
    }
    repo.git = path(fields, "git", "");
    repo.dir = path(fields, "dir", "");
    repo.remote = fields.text("remote");
    if (holds_password(repo.remote)) {
      sink_.error(fields.place("remote"), fields.path("remote") + " holds a password",
                  "use ssh or a credential helper; secrets do not stand in this file");
    }
    if (dir && !git && !repo.remote.empty()) {
      sink_.error(fields.place("remote"), fields.path("remote") + " goes with \"git\", not with \"dir\"",
                  "remove it, or use \"git\"");
    }
    // A path is relative to the file, like the others; URLs and host:path forms stay.
    bool const is_path = repo.remote.starts_with("./") || repo.remote.starts_with("../");
    if (is_path) repo.remote = absolute(repo.remote).string();
  }

  std::string ref(Fields& fields) {
    std::string text = fields.text("ref");
    if (text.empty()) return text;
    std::string_view const broken = broken_ref(text);
    if (broken.empty()) return text;
    bool const short_name = !text.starts_with("refs/") && broken_ref("refs/heads/" + text).empty();
    sink_.error(fields.place("ref"),
                fields.path("ref") + " \"" + text + "\" is no full ref name: " + std::string(broken),
                short_name ? "write \"refs/heads/" + text + "\"" : "write a name like \"refs/heads/main\"");
    return {};
  }

  std::string web_url(Fields& fields) {
    std::string text = fields.text("web_url");
    if (text.empty()) return text;
    if (!text.starts_with("https://") && !text.starts_with("http://")) {
      sink_.error(fields.place("web_url"), fields.path("web_url") + " is no web address",
                  "begin it with https:// or http://");
    }
    for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
      auto const close = text.find('}', open);
      std::string const name = text.substr(open + 1, close == text.npos ? text.npos : close - open - 1);
      if (std::find(kWebUrlFields.begin(), kWebUrlFields.end(), name) != kWebUrlFields.end()) continue;
      std::string hint = did_you_mean(name, kWebUrlFields);
      if (hint.empty()) hint = "use " + listed(kWebUrlFields);
      sink_.error(fields.place("web_url"), fields.path("web_url") + " has an unknown field {" + name + "}", hint);
    }
    return text;
  }

  void read_listen(Json const& json) {
    Fields fields(json, "listen", sink_);
    ListenSettings& listen = settings_.listen;
    listen.address = fields.text("address", listen.address);
    if (listen.address == "localhost") listen.address = "127.0.0.1";
    listen.port = static_cast<std::uint16_t>(fields.number("port", listen.port, 0, 65535));
    listen.token_file = secret_file(fields, "token_file");
    if (!is_ip_address(listen.address)) {
      sink_.error(fields.place("address"), "listen.address \"" + listen.address + "\" is no IP address",
                  "write one such as \"127.0.0.1\" or \"::1\"");
    } else if (!is_loopback(listen.address) && listen.token_file.empty()) {
      sink_.error(fields.place("address"), "listen.address " + listen.address + " is open to others without a token",
                  "set listen.token_file, or listen on 127.0.0.1");
    }
    fields.reject_unknown();
  }

  void read_adapters(Json const& json) {
    Fields fields(json, "adapters", sink_);
    for (auto const name : kAdapters) {
      Json const* const adapter = fields.object(name);
      if (adapter == nullptr) continue;
      Fields inner(*adapter, fields.path(name), sink_);
      if (inner.flag("enabled", false)) {
        sink_.warning(inner.place("enabled"), "adapter " + std::string(name) + " is not built in this version",
                      "set it to false; chats reach kbgate through the WebSocket bridge");
      }
      inner.reject_unknown();
    }
    fields.reject_unknown();
  }

  void read_answer(Json const& json) {
    Fields fields(json, "answer", sink_);
    (void)one_of(fields, "drafter", kDrafters, kDrafters.front(), sink_);
    fields.reject_unknown();
  }

  void read_limits(Json const& json) {
    Fields fields(json, "limits", sink_);
    Limits& limits = settings_.limits;
    auto const size = [&fields](std::string_view key, std::size_t& value, std::int64_t low, std::int64_t high) {
      value = static_cast<std::size_t>(fields.number(key, static_cast<std::int64_t>(value), low, high));
    };
    size("max_question_bytes", limits.max_question_bytes, 1, 60'000);  // a frame of the bridge has 64 KiB
    limits.questions_per_user_per_minute = static_cast<unsigned>(
        fields.number("questions_per_user_per_minute", limits.questions_per_user_per_minute, 1, 100'000));
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

std::string_view to_string(RepoKind kind) noexcept {
  for (auto const& row : kKinds) {
    if (row.kind == kind) return row.name;
  }
  return "unknown";
}

std::string_view to_string(QueryLogMode mode) noexcept {
  for (auto const& row : kLogModes) {
    if (row.mode == mode) return row.name;
  }
  return "unknown";
}

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
