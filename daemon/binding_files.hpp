/// Where bindings, pending codes and the binding history stand on disk, and the one order in which they are written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/bindings.hpp"
#include "config/settings.hpp"

namespace kb::daemon {

struct BindingFiles {
  std::filesystem::path bindings;  ///< chat_bindings.json
  std::filesystem::path pending;   ///< pending_chat_bindings.json, beside it
  std::filesystem::path events;    ///< chat_binding_events.json, beside it
  explicit BindingFiles(config::Settings const& settings);
};

/// The binding first, then its event: what the bot says is bound is bound.
[[nodiscard]] Result<void> store(BindingFiles const& files, config::BindingChange const& change);
/// Adds a pending code (expired ones go) and its event.
[[nodiscard]] Result<void> store(BindingFiles const& files, config::PendingBinding const& pending, TimePoint now);
/// The pending code, if it stands; forgets nothing.
[[nodiscard]] Result<std::optional<config::PendingBinding>> find_pending(BindingFiles const& files,
                                                                         std::string const& code);
/// Removes a used or cancelled code.
[[nodiscard]] Result<void> forget_pending(BindingFiles const& files, std::string const& code);

}  // namespace kb::daemon
