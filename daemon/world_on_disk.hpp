/// The world as the files have it, for programs that run beside the daemon or without one.
#pragma once

#include <filesystem>
#include <map>
#include <ostream>
#include <string>

#include "daemon/ask.hpp"

namespace kb::daemon {

/// Books and snapshots that are looked at anew for every call: an edit, a push or a changed directory shows at once.
/// One thread.
class WorldOnDisk {
 public:
  /// What cannot be opened is said on `err` and stays out, or as it last was.
  WorldOnDisk(std::filesystem::path settings_file, std::ostream& err);

  /// Broken settings keep the last good ones; without any: the error.
  [[nodiscard]] Result<World> now();

 private:
  [[nodiscard]] kbrepo::SnapshotPtr look(config::Settings const& settings, config::RepoSettings const& repo,
                                         kbrepo::SnapshotPtr const& before);

  std::filesystem::path file_;
  std::ostream& err_;
  World last_;
};

}  // namespace kb::daemon
