#include "answer/protocols/identity.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <openssl/sha.h>
#include <optional>
#include <sys/stat.h>
#include <vector>

#include "config/atomic_file.hpp"
#include "kbrepo/lines.hpp"

namespace kb::protocols {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxGitFile = 1024 * 1024;
constexpr std::chrono::minutes kKept{60};  // N-5
constexpr std::size_t kMostKept = 64;

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

std::string unquoted(std::string_view value) {
  value = trimmed(value);
  bool const quoted = value.size() > 1 && value.starts_with('"') && value.ends_with('"');
  return std::string(quoted ? value.substr(1, value.size() - 2) : value);
}

/// What of a git config tells a project: the origin, and what its URL is rewritten to.
struct GitConfig {
  std::string origin;
  std::vector<std::pair<std::string, std::string>> instead;  ///< prefix written → base used

  [[nodiscard]] std::string url() const {
    std::pair<std::string, std::string> const* longest = nullptr;
    for (auto const& rule : instead) {
      bool const better = longest == nullptr || rule.first.size() > longest->first.size();
      if (origin.starts_with(rule.first) && better) longest = &rule;
    }
    return longest == nullptr ? origin : longest->second + origin.substr(longest->first.size());
  }
};

GitConfig parse_config(std::string_view text) {
  GitConfig out;
  std::string section, name;
  kbrepo::LineReader lines(text);
  while (auto const line = lines.next()) {
    std::string_view const content = trimmed(line->of(text));
    if (content.empty() || content.starts_with('#') || content.starts_with(';')) continue;
    if (content.starts_with('[')) {
      std::string_view const head = content.substr(1, content.rfind(']') - 1);
      auto const quote = head.find('"');
      section = lower(trimmed(head.substr(0, quote)));
      name = quote == head.npos ? std::string() : unquoted(head.substr(quote));
      continue;
    }
    auto const equals = content.find('=');
    if (equals == content.npos) continue;
    std::string const key = lower(trimmed(content.substr(0, equals)));
    std::string value = unquoted(content.substr(equals + 1));
    if (section == "remote" && name == "origin" && key == "url") out.origin = std::move(value);
    if (section == "url" && key == "insteadof") out.instead.emplace_back(std::move(value), name);
  }
  return out;
}

Identity failed(std::string status, std::string error) {
  Identity out;
  out.status = std::move(status);
  out.error = std::move(error);
  return out;
}

/// The folder that holds `config`, from the content of a .git file.
std::optional<fs::path> git_dir_of(std::string_view pointer, fs::path const& root) {
  constexpr std::string_view kKey = "gitdir:";
  pointer = trimmed(pointer);
  if (!pointer.starts_with(kKey)) return std::nullopt;
  std::string const target(trimmed(pointer.substr(kKey.size())));
  if (target.empty()) return std::nullopt;
  return (root / target).lexically_normal();
}

/// `looked_at`: the files the result follows from.
Identity read_identity(fs::path const& given, std::vector<fs::path>& looked_at) {
  std::error_code ignored;
  fs::path root = fs::absolute(given, ignored).lexically_normal();
  if (!root.has_filename()) root = root.parent_path();
  fs::path const mark = root / ".git";
  looked_at.push_back(mark);
  Identity out;
  fs::path git_dir;
  if (fs::is_directory(mark, ignored)) {
    git_dir = mark;
  } else if (fs::is_regular_file(mark, ignored)) {
    Result<std::string> const pointer = config::read_file(mark, kMaxGitFile);
    std::optional<fs::path> const target = pointer ? git_dir_of(*pointer, root) : std::nullopt;
    if (!target) return failed("error", "Cannot parse worktree gitdir");
    git_dir = *target;
    std::string const text = git_dir.string();
    auto const worktrees = text.rfind("/worktrees/");
    if (worktrees != text.npos) {
      git_dir = text.substr(0, worktrees);
      out.is_worktree = true;
      // A bare repository has no work tree of its own: it is named by itself.
      out.main_repo_path = git_dir.filename() == ".git" ? git_dir.parent_path().string() : git_dir.string();
    }
  } else if (fs::is_regular_file(root / "HEAD", ignored) && fs::is_directory(root / "objects", ignored)) {
    git_dir = root;  // bare
  } else {
    return failed("not_git_repo", "No .git found at " + given.string());
  }
  fs::path const file = git_dir / "config";
  looked_at.push_back(file);
  Result<std::string> const config = config::read_file(file, kMaxGitFile);
  if (!config) return failed("error", "Cannot read git config at " + file.string());
  out.remote_url = parse_config(*config).url();
  out.project_name = name_of_remote(out.remote_url);
  out.derived_from = "remote_origin";
  fs::path const home = out.is_worktree ? fs::path(out.main_repo_path) : root;
  if (out.project_name.empty()) {
    out.derived_from = "folder_name";
    out.remote_url.clear();
    out.project_name = name_of_remote(home.filename().string());
  }
  out.identity_hash = short_hash(out.remote_url.empty() ? home.string() : out.remote_url);
  out.full_identity = out.project_name + "-" + out.identity_hash;
  out.status = "success";
  return out;
}

/// What tells that files have changed: inode, size and time of each.
std::string state_of(std::vector<fs::path> const& files) {
  std::string out;
  for (fs::path const& file : files) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) found = {};
    for (auto const part :
         {static_cast<std::int64_t>(found.st_ino), static_cast<std::int64_t>(found.st_size),
          static_cast<std::int64_t>(found.st_mtim.tv_sec), static_cast<std::int64_t>(found.st_mtim.tv_nsec)}) {
      out += std::to_string(part) + ' ';
    }
  }
  return out;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<unsigned char const*>(text.data()), text.size(), digest.data());
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char const byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string short_hash(std::string_view text) { return sha256_hex(text).substr(0, 8); }

std::string name_of_remote(std::string_view url) {
  url = trimmed(url);
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  auto const cut = url.find_last_of("/:");
  return lower(cut == url.npos ? url : url.substr(cut + 1));
}

Identity identity_of(fs::path const& project_root) {
  std::vector<fs::path> looked_at;
  return read_identity(project_root, looked_at);
}

Identity const& IdentityCache::of(fs::path const& project_root) {
  auto const now = clock_.steady();
  auto const known = entries_.find(project_root);
  if (known != entries_.end() && now - known->second.read_at < kKept &&
      state_of(known->second.files) == known->second.state)
    return known->second.identity;
  if (known == entries_.end() && entries_.size() >= kMostKept) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](auto const& a, auto const& b) { return a.second.read_at < b.second.read_at; }));
  }
  Entry entry;
  entry.identity = read_identity(project_root, entry.files);
  entry.state = state_of(entry.files);
  entry.read_at = now;
  return entries_.insert_or_assign(project_root, std::move(entry)).first->second.identity;
}

std::string to_json(Identity const& identity) {
  auto const or_null = [](std::string const& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
  };
  return nlohmann::ordered_json{{"status", identity.status},
                                {"project_name", or_null(identity.project_name)},
                                {"full_identity", or_null(identity.full_identity)},
                                {"identity_hash", or_null(identity.identity_hash)},
                                {"remote_url", or_null(identity.remote_url)},
                                {"is_worktree", identity.is_worktree},
                                {"main_repo_path", or_null(identity.main_repo_path)},
                                {"derived_from", or_null(identity.derived_from)},
                                {"error", or_null(identity.error)}}
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kb::protocols
