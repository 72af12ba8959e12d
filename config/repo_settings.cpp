#include "config/repo_settings.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/knowledge_base_settings.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array kKinds{
    Named<RepoKind>{"personal", RepoKind::personal},
    Named<RepoKind>{"team", RepoKind::team},
    Named<RepoKind>{"project_docs", RepoKind::project_docs},
    Named<RepoKind>{"brain", RepoKind::brain},
    Named<RepoKind>{"named", RepoKind::named},
    Named<RepoKind>{"search_root", RepoKind::search_root},
};
constexpr std::array kLogModes{
    Named<QueryLogMode>{"branch", QueryLogMode::branch},
    Named<QueryLogMode>{"commit", QueryLogMode::commit},
    Named<QueryLogMode>{"local", QueryLogMode::local},
};
constexpr std::string_view kNotInRefs = "~^:?*[\\";
constexpr std::array<std::string_view, 6> kWebUrlFields{"owner", "repo", "commit", "path", "start", "end"};

template <class Value, std::size_t N>
constexpr std::array<std::string_view, N> names_of(std::array<Named<Value>, N> const& rows) {
  std::array<std::string_view, N> names;
  std::transform(rows.begin(), rows.end(), names.begin(), [](auto const& row) { return row.name; });
  return names;
}

template <class Value, std::size_t N>
Value value_of(std::array<Named<Value>, N> const& rows, std::string_view name, Value fallback) {
  auto const found = std::find_if(rows.begin(), rows.end(), [name](auto const& row) { return row.name == name; });
  return found == rows.end() ? fallback : found->value;
}

template <class Value, std::size_t N>
std::string_view name_of(std::array<Named<Value>, N> const& rows, Value value) noexcept {
  auto const found = std::find_if(rows.begin(), rows.end(), [value](auto const& row) { return row.value == value; });
  return found == rows.end() ? std::string_view("unknown") : found->name;
}

bool is_control_or_blank(char c) noexcept { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; }

/// Why git would refuse the name (git-check-ref-format(1)), or empty.
std::string_view broken_ref(std::string_view ref) {
  if (!ref.starts_with("refs/")) return "it does not begin with refs/";
  if (ref.ends_with("/") || ref.ends_with(".")) return "it ends in a slash or a dot";
  if (ref.find("..") != ref.npos || ref.find("@{") != ref.npos) return "it holds .. or @{";
  if (ref.find("//") != ref.npos || ref.find("/.") != ref.npos) return "a part is empty or begins with a dot";
  if (ref.ends_with(".lock") || ref.find(".lock/") != ref.npos) return "a part ends in .lock";
  auto const forbidden = [](char c) { return is_control_or_blank(c) || kNotInRefs.find(c) != kNotInRefs.npos; };
  if (std::any_of(ref.begin(), ref.end(), forbidden)) return "it holds a blank or one of ~ ^ : ? * [ \\";
  return {};
}

/// Owners and repositories become parts of paths and links.
bool is_plain_name(std::string_view name) {
  auto const bad = [](char c) { return is_control_or_blank(c) || c == '/' || c == '\\'; };
  return !name.empty() && name != "." && name != ".." && std::none_of(name.begin(), name.end(), bad);
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

/// As git tells them apart: a URL has a scheme, and host:path a colon before its first slash.
bool is_local_path(std::string_view remote) {
  return !remote.empty() && remote.find(':') >= std::min(remote.find('/'), remote.size());
}

std::string plain_name(Fields& fields, std::string_view key, FaultSink& sink) {
  std::string text = fields.text(key);
  Json const* const value = fields.get(key);
  if (value == nullptr) {
    sink.error(fields.place(), fields.path(key) + " is missing", "name the repository by \"owner\" and \"repo\"");
  } else if (value->type == Json::Type::text && !is_plain_name(text)) {
    sink.error(value->place, fields.path(key) + " is no name: \"" + text + "\"",
               "use the name without slashes and blanks");
    text.clear();
  }
  return text;
}

RepoKind kind_of(Fields& fields, FaultSink& sink) {
  if (fields.get("kind") == nullptr) {
    sink.error(fields.place(), fields.path("kind") + " is missing", "write " + listed(names_of(kKinds)));
  }
  return value_of(kKinds, fields.word("kind", names_of(kKinds), "team"), RepoKind::team);
}

/// `git` and its `remote`, or `dir`.
void read_source(Fields& fields, fs::path const& base, RepoSettings& repo, FaultSink& sink) {
  std::string const git = fields.text("git");
  std::string const dir = fields.text("dir");
  bool const has_git = fields.get("git") != nullptr;
  bool const has_dir = fields.get("dir") != nullptr;
  if (has_git && has_dir) {
    sink.error(fields.place("dir"), fields.name() + " has both \"git\" and \"dir\"", "keep one of them");
  } else if (!has_git && !has_dir) {
    sink.error(fields.place(), fields.name() + " has neither \"git\" nor \"dir\"",
               "name a git repository or a plain directory");
  }
  for (std::string_view const key : {"git", "dir"}) {
    Json const* const value = fields.get(key);
    if (value == nullptr || value->type != Json::Type::text || !value->text.empty()) continue;
    sink.error(value->place, fields.path(key) + " is empty", "name a path, or remove the key");
  }
  if (!git.empty()) repo.git = (base / git).lexically_normal();
  if (!dir.empty()) repo.dir = (base / dir).lexically_normal();

  repo.remote = fields.text("remote");
  if (holds_password(repo.remote)) {
    sink.error(fields.place("remote"), fields.path("remote") + " holds a password",
               "use ssh or a credential helper: secrets do not stand in this file");
  }
  if (has_dir && !has_git && !repo.remote.empty()) {
    sink.error(fields.place("remote"), fields.path("remote") + " goes with \"git\", not with \"dir\"",
               "remove it, or use \"git\"");
  }
  if (is_local_path(repo.remote)) repo.remote = (base / repo.remote).lexically_normal().string();
}

std::string ref_of(Fields& fields, FaultSink& sink) {
  std::string text = fields.text("ref");
  std::string_view const broken = text.empty() ? std::string_view() : broken_ref(text);
  if (broken.empty()) return text;
  bool const short_name = !text.starts_with("refs/") && broken_ref("refs/heads/" + text).empty();
  sink.error(fields.place("ref"), fields.path("ref") + " \"" + text + "\" is no full ref name: " + std::string(broken),
             "write \"refs/heads/" + (short_name ? text : std::string("main")) + "\"");
  return {};
}

std::string web_url_of(Fields& fields, FaultSink& sink) {
  std::string text = fields.text("web_url");
  if (text.empty()) return text;
  if (!text.starts_with("https://") && !text.starts_with("http://")) {
    sink.error(fields.place("web_url"), fields.path("web_url") + " is no web address",
               "begin it with https:// or http://");
  }
  for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    auto const close = text.find('}', open);
    std::string const name = text.substr(open + 1, close == text.npos ? text.npos : close - open - 1);
    if (close != text.npos && std::find(kWebUrlFields.begin(), kWebUrlFields.end(), name) != kWebUrlFields.end()) {
      continue;
    }
    std::string hint = did_you_mean(name, kWebUrlFields);
    if (hint.empty()) hint = "use " + listed(kWebUrlFields) + " in braces";
    sink.error(fields.place("web_url"), fields.path("web_url") + " has an unknown field {" + name + "}", hint);
  }
  return text;
}

}  // namespace

std::string_view to_string(RepoKind kind) noexcept { return name_of(kKinds, kind); }
std::string_view to_string(QueryLogMode mode) noexcept { return name_of(kLogModes, mode); }

RepoSettings read_repo(Json const& json, std::string name, fs::path const& base, FaultSink& sink) {
  Fields fields(json, std::move(name), sink);
  RepoSettings repo;
  if (json.type != Json::Type::object) return repo;
  std::string owner = plain_name(fields, "owner", sink);
  repo.id = RepoId(std::move(owner), plain_name(fields, "repo", sink));
  repo.kind = kind_of(fields, sink);
  read_source(fields, base, repo, sink);
  repo.ref = ref_of(fields, sink);
  repo.sync = std::chrono::seconds(fields.number("sync_seconds", repo.sync.count(), 1, 7 * 24 * 3600));
  repo.web_url = web_url_of(fields, sink);
  repo.query_log =
      value_of(kLogModes, fields.word("query_log", names_of(kLogModes), to_string(repo.query_log)), repo.query_log);
  if (!repo.dir.empty() && repo.query_log == QueryLogMode::commit) {
    sink.error(fields.place("query_log"),
               fields.path("query_log") + " is \"commit\", but a plain directory is never written",
               "write \"branch\" or \"local\"");
  }
  repo.push_query_log = fields.flag("push_query_log", false);
  if (repo.push_query_log && repo.remote.empty()) {
    sink.error(fields.place("push_query_log"), fields.path("push_query_log") + " is true without a remote",
               "set \"remote\", or set this to false");
  }
  repo.include = fields.texts("include");
  repo.exclude = fields.texts("exclude");
  repo.knowledge_base =
      read_knowledge_base(fields.object("knowledge_base"), fields.path("knowledge_base"), repo.id, sink);
  fields.reject_unknown();
  return repo;
}

}  // namespace kb::config
