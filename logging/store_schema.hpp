/// The file state.db: creation, rights, settings, check and migrations.
#pragma once

#include <chrono>
#include <filesystem>

#include "config/result.hpp"
#include "logging/store_connection.hpp"

namespace kb::logging::store {

/// Opens state_dir/state.db for writing, making it (0600) and its directory (0700) when absent, and brings it to the
/// newest schema. corrupt: damaged, or some other program's database. invalid_input: written by a newer kbgate.
/// denied or unavailable: the file or directory cannot be made or used.
[[nodiscard]] Result<std::unique_ptr<Connection>> open_writer(std::filesystem::path const& state_dir,
                                                              std::chrono::milliseconds busy_timeout);
/// A second connection that only reads; after open_writer().
[[nodiscard]] Result<std::unique_ptr<Connection>> open_reader(std::filesystem::path const& state_dir,
                                                              std::chrono::milliseconds busy_timeout);

}  // namespace kb::logging::store
