#include "config/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kb::config {
namespace {

namespace fs = std::filesystem;

/// An owned file descriptor; -1: none.
class Fd {
 public:
  explicit Fd(int fd) noexcept : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(Fd const&) = delete;
  Fd& operator=(Fd const&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// Removes the temporary file unless it became the real one.
class Scrap {
 public:
  explicit Scrap(fs::path path) : path_(std::move(path)) {}
  ~Scrap() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Scrap(Scrap const&) = delete;
  Scrap& operator=(Scrap const&) = delete;
  void keep() noexcept { path_.clear(); }

 private:
  fs::path path_;
};

Error failed(char const* step, fs::path const& path, int code) {
  Errc errc = Errc::unavailable;
  if (code == ENOENT || code == ENOTDIR) errc = Errc::not_found;
  if (code == EACCES || code == EPERM || code == EROFS) errc = Errc::denied;
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) errc = Errc::exhausted;
  return {errc, std::string(step) + " " + path.string() + ": " + std::generic_category().message(code)};
}

/// 0, or errno.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    ssize_t const n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

/// Mode and, where we may, owner of the file that is replaced. 0, or errno.
int take_after(int fd, fs::path const& old) {
  struct stat info {};
  if (::stat(old.c_str(), &info) != 0) return errno == ENOENT ? 0 : errno;
  // The owner first: a change of owner clears bits of the mode. Only root may give a file away; others keep their own.
  if (::geteuid() == 0 && ::fchown(fd, info.st_uid, info.st_gid) != 0) return errno;
  return ::fchmod(fd, info.st_mode & 07777) == 0 ? 0 : errno;
}

Result<void> sync_directory(fs::path const& directory) {
  Fd const fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.open()) return failed("opening directory", directory, errno);
  if (::fsync(fd.get()) != 0) return failed("fsync of directory", directory, errno);
  return {};
}

}  // namespace

Result<std::string> read_file(fs::path const& path, std::size_t max_bytes) {
  Fd const fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // non-blocking: a pipe must not hold us
  if (!fd.open()) return failed("opening", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return failed("reading", path, errno);
  if (!S_ISREG(info.st_mode)) return Error(Errc::unavailable, "reading " + path.string() + ": not a regular file");

  std::string content;
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    ssize_t const n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("reading", path, errno);
    if (n == 0) return content;
    if (content.size() + static_cast<std::size_t>(n) > max_bytes) {
      return Error(Errc::exhausted,
                   "reading " + path.string() + ": larger than " + std::to_string(max_bytes) + " bytes");
    }
    content.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<void> replace_file(fs::path const& path, std::string_view content) {
  std::error_code ignored;
  fs::path target = fs::weakly_canonical(path, ignored);  // through links, so that a linked file stays linked
  if (target.empty()) target = path;
  fs::path const directory = target.has_parent_path() ? target.parent_path() : fs::path(".");

  std::string temporary = (directory / ("." + target.filename().string() + ".XXXXXX")).string();
  Fd const fd(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!fd.open()) return failed("creating a temporary file for", target, errno);
  Scrap scrap{fs::path(temporary)};

  if (int const code = take_after(fd.get(), target); code != 0) return failed("keeping the mode of", target, code);
  if (int const code = write_all(fd.get(), content); code != 0) return failed("writing", target, code);
  if (::fsync(fd.get()) != 0) return failed("fsync of", target, errno);
  if (::rename(temporary.c_str(), target.c_str()) != 0) return failed("replacing", target, errno);
  scrap.keep();
  return sync_directory(directory);
}

Result<FileLock> FileLock::acquire(fs::path const& file) {
  std::error_code ignored;
  fs::path target = fs::weakly_canonical(file, ignored);  // two names of one file share a lock
  if (target.empty()) target = file;
  fs::path const path = target.parent_path() / ("." + target.filename().string() + ".lock");
  int const fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return failed("opening lock", path, errno);
  FileLock lock(fd);
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) return failed("locking", path, errno);
  }
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);  // gives the lock back
}

}  // namespace kb::config
