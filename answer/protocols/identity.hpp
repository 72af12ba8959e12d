/// kb-identity (N-1…3): which project a folder belongs to, told from its git files. Runs no git and reads nothing else.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/clock.hpp"

namespace kb::protocols {

struct Identity {
  std::string status;  ///< success | not_git_repo | error
  std::string project_name, identity_hash, full_identity, remote_url;
  bool is_worktree = false;
  std::string main_repo_path;  ///< of a worktree
  std::string derived_from;    ///< remote_origin | folder_name
  std::string error;
};

/// All worktrees of a repository have one identity. A submodule is a project of its own.
[[nodiscard]] Identity identity_of(std::filesystem::path const& project_root);

/// identity_of() kept for 60 minutes, or until the folder's git files change (N-5). One thread.
class IdentityCache {
 public:
  explicit IdentityCache(Clock const& clock) : clock_(clock) {}
  [[nodiscard]] Identity const& of(std::filesystem::path const& project_root);

 private:
  struct Entry {
    Identity identity;
    std::vector<std::filesystem::path> files;  ///< that it was read from
    std::string state;                         ///< of these then
    std::chrono::steady_clock::time_point read_at;
  };
  Clock const& clock_;
  std::map<std::filesystem::path, Entry> entries_;  ///< bounded: the oldest goes
};

/// Last segment of a remote's URL, without .git, in lower case; empty when it has none.
[[nodiscard]] std::string name_of_remote(std::string_view url);
/// First 8 hex digits of SHA-256.
[[nodiscard]] std::string short_hash(std::string_view text);
/// All 64 of them.
[[nodiscard]] std::string sha256_hex(std::string_view text);

[[nodiscard]] std::string to_json(Identity const& identity);

}  // namespace kb::protocols
