#include "config/watch.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits.h>
#include <map>
#include <set>
#include <string>
#include <sys/inotify.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kb::config {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;

/// The file by its name, and where its name points to, if it is a link: an editor writes the one or the other.
std::set<fs::path> names_of(fs::path const& file) {
  std::error_code ignored;
  std::set<fs::path> names{fs::absolute(file).lexically_normal()};
  fs::path const real = fs::canonical(file, ignored);
  if (!real.empty()) names.insert(real);
  return names;
}

}  // namespace

struct Watch::State {
  explicit State(int descriptor) : fd(descriptor) {}
  ~State() { ::close(fd); }
  State(State const&) = delete;
  State& operator=(State const&) = delete;

  /// True when the event is about a watched file, or says that we may have missed one.
  [[nodiscard]] bool concerns(int directory, std::uint32_t mask, std::string const& name) const {
    if ((mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) return true;
    auto const found = files.find(directory);
    return found != files.end() && found->second.contains(name);
  }

  int fd;
  std::map<int, std::set<std::string>> files;  // watch descriptor → names in that directory
};

Watch::Watch(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;
Watch::~Watch() = default;

Result<Watch> Watch::open(std::vector<fs::path> files) {
  int const fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) return Error(Errc::unavailable, "inotify: " + std::generic_category().message(errno));
  auto state = std::make_unique<State>(fd);
  for (auto const& file : files) {
    for (auto const& name : names_of(file)) {
      int const wd = ::inotify_add_watch(fd, name.parent_path().c_str(), kEvents | IN_ONLYDIR);
      if (wd < 0) {
        std::string const reason = std::generic_category().message(errno);
        return Error(Errc::unavailable, "watching " + name.parent_path().string() + ": " + reason);
      }
      state->files[wd].insert(name.filename().string());
    }
  }
  return Watch(std::move(state));
}

int Watch::descriptor() const noexcept { return state_->fd; }

bool Watch::drain() {
  bool changed = false;
  std::array<char, 16 * (sizeof(inotify_event) + NAME_MAX + 1)> buffer;
  for (;;) {
    ssize_t const n = ::read(state_->fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return changed;  // nothing more waits
    for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      char const* const name = buffer.data() + at + sizeof event;
      changed = state_->concerns(event.wd, event.mask, event.len > 0 ? name : "") || changed;
      at += sizeof event + event.len;
    }
  }
}

}  // namespace kb::config
