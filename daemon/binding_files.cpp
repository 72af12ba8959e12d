#include "daemon/binding_files.hpp"

#include <algorithm>
#include <chrono>

namespace kb::daemon {
namespace {

std::int64_t unix_seconds(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

BindingFiles::BindingFiles(config::Settings const& settings)
    : bindings(settings.chat_bindings),
      pending(config::pending_file(settings.chat_bindings)),
      events(config::events_file(settings.chat_bindings)) {}

Result<void> store(BindingFiles const& files, config::BindingChange const& change) {
  Result<void> const saved =
      config::save_binding(files.bindings, change.binding, change.event.actor.str(), change.event.created_at);
  if (!saved) return saved.error();
  return config::append_event(files.events, change.event);
}

Result<void> store(BindingFiles const& files, config::PendingBinding const& pending, TimePoint now) {
  std::int64_t const limit = unix_seconds(now);
  Result<void> const saved = config::change_pending(files.pending, [&](std::vector<config::PendingBinding>& all) {
    std::erase_if(all,
                  [&](config::PendingBinding const& p) { return p.expires_at_ts <= limit || p.code == pending.code; });
    all.push_back(pending);
  });
  if (!saved) return saved.error();
  config::BindingEvent event;
  event.event = pending.action == config::PendingBinding::Action::bind ? "request_bind" : "request_unbind";
  event.chat = pending.chat;
  event.team = pending.team;
  event.actor = pending.requested_by;
  event.code = pending.code;
  event.created_at = pending.created_at;
  return config::append_event(files.events, event);
}

Result<std::optional<config::PendingBinding>> find_pending(BindingFiles const& files, std::string const& code) {
  Result<std::vector<config::PendingBinding>> const all = config::load_pending(files.pending);
  if (!all) return all.error();
  auto const found =
      std::find_if(all->begin(), all->end(), [&](config::PendingBinding const& p) { return p.code == code; });
  if (found == all->end()) return std::optional<config::PendingBinding>();
  return std::optional<config::PendingBinding>(*found);
}

Result<void> forget_pending(BindingFiles const& files, std::string const& code) {
  return config::change_pending(files.pending, [&](std::vector<config::PendingBinding>& all) {
    std::erase_if(all, [&](config::PendingBinding const& p) { return p.code == code; });
  });
}

}  // namespace kb::daemon
