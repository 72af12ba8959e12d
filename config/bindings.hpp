/// Binding a group to a team (ACCEPTANCE 1.2, N-11 to N-13): pure transitions without I/O or clock, and the three files
/// that they end up in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/clock.hpp"
#include "config/control_files.hpp"

namespace kb::config {

struct PendingBinding {
  enum class Action { bind, unbind };
  Action action = Action::bind;
  std::string code;  ///< BIND-XXXX or UNBIND-XXXX
  ChatId chat;
  std::string chat_name;
  TeamId team;
  std::string team_name;
  UserId requested_by;
  std::string created_at;          ///< UTC+8, as utc8()
  std::int64_t expires_at_ts = 0;  ///< Unix seconds; 10 minutes after the request; from then on the code is void
};

struct BindingEvent {
  std::string event;  ///< bind | unbind | request_bind | request_unbind | cancel_bind | cancel_unbind | disable
  ChatId chat;
  TeamId team;
  UserId actor;
  std::string code;
  std::string created_at;
};

/// Why a step was refused; `text` is the sentence for the chat (Chinese), naming the thing and what to do.
struct BindingRefusal {
  std::string code;  ///< not_team_admin | team_not_found | bound_elsewhere | already_bound | not_bound | code_unknown |
                     ///< code_expired | wrong_chat | not_in_group
  std::string text;
};

template <class T>
using BindingStep = std::variant<T, BindingRefusal>;

/// What a confirmed step changes.
struct BindingChange {
  Binding binding;  ///< as it is to stand in chat_bindings.json; `enabled` false after an unbind
  BindingEvent event;
};

/// `team` may be given by id or name (blanks and the case of ASCII letters do not count; a trailing 团队 may be
/// there or not). `random` supplies the four characters of the code (A-Z, 2-9 without 0 O 1 I).
[[nodiscard]] BindingStep<PendingBinding> request_bind(Directory const& directory, ChatId const& chat,
                                                       std::string const& chat_name, std::string_view team,
                                                       UserId const& actor, TimePoint now, std::string const& random);
[[nodiscard]] BindingStep<PendingBinding> request_unbind(Directory const& directory, ChatId const& chat,
                                                         UserId const& actor, TimePoint now, std::string const& random);
/// Confirms in the same group, by an admin of that team (not necessarily the one who asked), before the code expires.
/// `pending` is null when the code is unknown. Checks everything anew: the directory may have changed since the
/// request.
[[nodiscard]] BindingStep<BindingChange> confirm(Directory const& directory, PendingBinding const* pending,
                                                 ChatId const& chat, UserId const& actor, TimePoint now);
/// One step without a code, for the operator's own command line (`kbgate bind`): the same checks.
[[nodiscard]] BindingStep<BindingChange> bind_now(Directory const& directory, ChatId const& chat, std::string_view team,
                                                  UserId const& actor, TimePoint now);
[[nodiscard]] BindingStep<BindingChange> unbind_now(Directory const& directory, ChatId const& chat, UserId const& actor,
                                                    TimePoint now);

/// The group is gone, or the bot is out of it: its binding ends (event `disable`). Nothing when it is not bound.
[[nodiscard]] std::optional<BindingChange> disable(Directory const& directory, ChatId const& chat, TimePoint now);

/// The text of chat_bindings.json with one binding put in or replaced. Everything outside that entry stays byte for
/// byte as it is; inside, unknown fields and the order are kept; what we write is indented by two spaces.
/// invalid_input, with the place, when `text` is no sound JSON object. denied when the group is bound to another team
/// there (N-12: it may have been bound after the caller looked).
[[nodiscard]] Result<std::string> with_binding(std::string_view text, Binding const& binding, std::string const& actor,
                                               std::string const& time);

/// Re-reads the file, applies with_binding and replaces it durably (atomic_file). Safe against another writer: a lock
/// file beside it is held meanwhile (N-24).
[[nodiscard]] Result<void> save_binding(std::filesystem::path const& file, Binding const& binding,
                                        std::string const& actor, std::string const& time);

/// pending_chat_bindings.json and chat_binding_events.json stand beside chat_bindings.json.
[[nodiscard]] std::filesystem::path pending_file(std::filesystem::path const& chat_bindings);
[[nodiscard]] std::filesystem::path events_file(std::filesystem::path const& chat_bindings);

/// Their stored forms. A missing file is empty; a broken one is invalid_input with the place, and is not written over
/// by append_event or change_pending. Both hold a lock file from reading to replacing (N-24), so that two requests at
/// once are both kept; of the events the newest 10,000 are.
[[nodiscard]] Result<std::vector<PendingBinding>> load_pending(std::filesystem::path const& file);
[[nodiscard]] Result<void> change_pending(std::filesystem::path const& file,
                                          std::function<void(std::vector<PendingBinding>&)> const& change);
[[nodiscard]] Result<std::vector<BindingEvent>> load_events(std::filesystem::path const& file);
[[nodiscard]] Result<void> append_event(std::filesystem::path const& file, BindingEvent const& event);

}  // namespace kb::config
