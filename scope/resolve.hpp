/// The scope matrix of S1: who asks, where, what → which knowledge bases may answer, or the refusal with its exact
/// text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/control_files.hpp"
#include "scope/grant.hpp"
#include "scope/message.hpp"

namespace kb::scope {

enum class Scope { personal, team, both };
[[nodiscard]] std::string_view to_string(Scope scope) noexcept;
[[nodiscard]] std::optional<Scope> parse_scope(std::string_view text) noexcept;

enum class Refusal {
  missing_sender_id,
  missing_chat_id,
  chat_not_bound,  ///< also a disabled binding (N-13)
  bound_team_not_found,
  user_not_registered,
  not_team_member,
  personal_scope_not_allowed_in_group,
};
/// The code as it stands in JSON, e.g. "chat_not_bound".
[[nodiscard]] std::string_view to_string(Refusal refusal) noexcept;

struct ScopeRequest {
  UserId sender;
  ChatType chat_type = ChatType::direct;
  ChatId chat;
  std::string question;
  std::optional<Scope> forced;  ///< `--scope`
};

/// Both granted and refused carry what was found on the way, for the scope object of INTERFACES §3 and chat_context.
struct ScopeOutcome {
  std::optional<ReadGrant> grant;  ///< there: granted; else `refusal` says why
  std::optional<Refusal> refusal;
  std::string message;  ///< the exact text of ACCEPTANCE 1.2 when refused, else empty

  ChatType chat_type = ChatType::direct;
  ChatId chat;
  Scope scope = Scope::personal;
  std::optional<config::User> user;
  std::optional<config::Team>
      team;  ///< the one team of the group or, in private, the one the question means (else the first)
  std::optional<config::Binding> binding;
  std::optional<std::string> project_id;  ///< N-18
  std::optional<std::string> project_name;
  std::optional<RepoId> personal_kb;  ///< null unless granted
  std::vector<RepoId> team_kbs;       ///< all granted team knowledge bases, `team`'s first
  std::string reason;                 ///< which rule decided, in a few English words, for people who debug

  [[nodiscard]] bool granted() const noexcept { return grant.has_value(); }
};

/// Pure. In a group anything personal is refused before any repository is named in a grant. O(question + directory
/// look-ups).
[[nodiscard]] ScopeOutcome resolve(ScopeRequest const& request, config::Directory const& directory);

/// chat_context: sender, user, binding and team of a chat, without a question and without any grant.
[[nodiscard]] ScopeOutcome chat_context(UserId const& sender, ChatType type, ChatId const& chat,
                                        config::Directory const& directory);

}  // namespace kb::scope
