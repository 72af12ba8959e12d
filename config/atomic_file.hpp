/// Reading with a limit, and the one durable way to replace a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "config/result.hpp"

namespace kb::config {

/// The whole of a regular file. not_found, denied, exhausted (larger than max_bytes) or unavailable, naming the path.
[[nodiscard]] Result<std::string> read_file(std::filesystem::path const& path, std::size_t max_bytes);

/// Temporary file beside it (same mode and owner as the old file, or 0600), write, fsync, rename, fsync of the
/// directory. A symbolic link stays one: what it points to is replaced. When it returns an error the old file is
/// untouched; only an error that names the directory's fsync comes after the rename: the new content then stands but
/// may not survive a loss of power.
[[nodiscard]] Result<void> replace_file(std::filesystem::path const& path, std::string_view content);

/// Holds the advisory lock of a file, which stands beside it as `.NAME.lock`, until destroyed. Other processes and
/// other holders in this process wait. The lock file stays: removing it would let two holders in.
class FileLock {
 public:
  [[nodiscard]] static Result<FileLock> acquire(std::filesystem::path const& file);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) noexcept : fd_(fd) {}
  int fd_;
};

}  // namespace kb::config
