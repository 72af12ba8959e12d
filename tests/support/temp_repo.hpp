/// Real directories and real git repositories that live as long as a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kb::test {

/// A fresh directory under the system's temporary one; removed with everything in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(TempDir const&) = delete;
  TempDir& operator=(TempDir const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  /// Writes a file below it, making folders; returns its path.
  std::filesystem::path write(std::string const& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

/// One change of a tree: content, nothing for a deletion; `mode` as git has it (0100644, 0100755, 0120000 symlink,
/// 0160000 submodule: content is 40 hex).
struct FileChange {
  std::optional<std::string> content;
  std::uint32_t mode = 0100644;
};
using Changes = std::map<std::string, FileChange>;
/// {"a.md", "text"} pairs as plain changes.
[[nodiscard]] Changes files(std::map<std::string, std::string> contents);

/// A bare repository made with libgit2. Commits are deterministic: fixed author, time counted up by a minute from
/// 2026-01-01T00:00:00Z.
class TempRepo {
 public:
  TempRepo();                                          ///< bare, in a directory of its own, HEAD → refs/heads/main
  explicit TempRepo(std::filesystem::path const& at);  ///< bare, there
  ~TempRepo();
  TempRepo(TempRepo const&) = delete;
  TempRepo& operator=(TempRepo const&) = delete;

  /// Commits on top of `ref`; returns the id in hex.
  std::string commit(Changes const& changes, std::string const& message = "change",
                     std::string const& ref = "refs/heads/main");
  std::string commit(std::map<std::string, std::string> contents, std::string const& message = "change");
  /// Moves or makes a ref; forced.
  void set_ref(std::string const& ref, std::string const& commit_hex);
  void set_head(std::string const& ref);
  void remove_ref(std::string const& ref);
  [[nodiscard]] std::string head(std::string const& ref = "refs/heads/main") const;  ///< hex, or empty
  /// Content of a path at a ref, or nothing.
  [[nodiscard]] std::optional<std::string> file(std::string const& path,
                                                std::string const& ref = "refs/heads/main") const;
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::optional<TempDir> dir_;
  std::filesystem::path path_;
  std::int64_t time_ = 1767225600;
};

}  // namespace kb::test
