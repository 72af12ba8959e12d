#include "kbrepo/pdf_text.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "kbrepo/ascii.hpp"
#include "kbrepo/pdf_exit.hpp"

namespace kb::kbrepo {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{20};
constexpr std::size_t kMostOutput = std::size_t{9} << 20;
constexpr std::string_view kEnding = ".pdf";

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { reset(); }
  void reset() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Beside this program, or where it is installed.
fs::path helper() {
  std::error_code failed;
  fs::path const here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (fs::path const& place : {here / "kbgate-pdf", here.parent_path() / "libexec" / "kbgate" / "kbgate-pdf"}) {
    if (fs::exists(place, failed)) return place;
  }
  return {};
}

/// The bytes as a file without a name: there is nobody to feed while we read.
Descriptor file_of(std::string_view raw) {
  Descriptor out(::memfd_create("pdf", MFD_CLOEXEC));
  while (out.get() >= 0 && !raw.empty()) {
    ssize_t const n = ::write(out.get(), raw.data(), raw.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Descriptor(-1);
    raw.remove_prefix(static_cast<std::size_t>(n));
  }
  if (out.get() >= 0) ::lseek(out.get(), 0, SEEK_SET);
  return out;
}

/// Its output up to the end, or as much as there is when time or room runs out.
struct Output {
  std::string text;
  bool whole = false;
};
Output read_all(int fd) {
  Output out;
  auto const until = Steady::now() + kPatience;
  std::array<char, 65536> chunk;
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now()).count();
    pollfd watched{fd, POLLIN, 0};
    int const ready = left <= 0 ? 0 : ::poll(&watched, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || out.text.size() > kMostOutput) return out;
    ssize_t const n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return out;
    if (n == 0) break;
    out.text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  out.whole = true;
  return out;
}

PdfText pages_of(std::string const& text) {
  PdfText out;
  std::size_t at = text.find('\f');
  out.title = text.substr(0, at);
  while (at != text.npos) {
    std::size_t const next = text.find('\f', at + 1);
    out.pages.push_back(text.substr(at + 1, next == text.npos ? next : next - at - 1));
    at = next;
  }
  return out;
}

}  // namespace

bool is_pdf(std::string_view path) noexcept {
  return path.size() > kEnding.size() && equal_ascii(path.substr(path.size() - kEnding.size()), kEnding);
}

Result<PdfText> pdf_text(std::string_view raw) {
  if (raw.substr(0, 1024).find("%PDF-") == raw.npos) return Error(Errc::invalid_input, "it is no PDF");
  fs::path const program = helper();
  if (program.empty()) return Error(Errc::unavailable, "kbgate-pdf is not installed beside kbgate");
  Descriptor const input = file_of(raw);
  int ends[2] = {-1, -1};
  if (input.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) return Error(Errc::unavailable, "no file or pipe for the PDF");
  Descriptor const from(ends[0]);
  Descriptor to(ends[1]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program.string();
  std::array<char*, 2> argv{name.data(), nullptr};
  std::array<char*, 1> environment{nullptr};
  pid_t child = -1;
  int const failed = ::posix_spawn(&child, name.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error(Errc::unavailable, "kbgate-pdf cannot be started");
  to.reset();
  Output const output = read_all(from.get());
  if (!output.whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }

  if (!output.whole) return Error(Errc::exhausted, "its text takes too long or too much room");
  if (!WIFEXITED(status)) return Error(Errc::invalid_input, "poppler came to grief over it");
  switch (static_cast<PdfExit>(WEXITSTATUS(status))) {
    case PdfExit::done:
      return pages_of(output.text);
    case PdfExit::locked:
      return Error(Errc::invalid_input, "it is locked by a password");
    case PdfExit::too_large:
      return Error(Errc::exhausted, "it has over 5000 pages or 8 MiB of text");
    case PdfExit::damaged:
      break;
  }
  return Error(Errc::invalid_input, "it is damaged");
}

}  // namespace kb::kbrepo
