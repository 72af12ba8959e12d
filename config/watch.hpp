/// inotify on directories as a readable descriptor (editors rename, so files are watched through their directory).
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "config/result.hpp"

namespace kb::config {

class Watch {
 public:
  /// Watches the directories of `files`, and of what they point to when they are links. The files need not exist; a
  /// missing directory is unavailable. A directory that is removed later is reported once, then no longer watched.
  [[nodiscard]] static Result<Watch> open(std::vector<std::filesystem::path> files);
  Watch(Watch&& other) noexcept;
  Watch& operator=(Watch&& other) noexcept;
  ~Watch();

  [[nodiscard]] int descriptor() const noexcept;  ///< non-blocking; wait until readable
  /// Reads all waiting events; true when one of the watched files was written, replaced, created or removed.
  [[nodiscard]] bool drain();

 private:
  struct State;
  explicit Watch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::config
