/// The scope matrix of S1: who asks, where, what → which knowledge bases may answer, or the refusal with its exact
/// text.
#pragma once

#include <optional>
#include <span>
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
  external_sender,  ///< of another organisation, in a group whose binding does not let them ask
};
/// The code as it stands in JSON, e.g. "chat_not_bound".
[[nodiscard]] std::string_view to_string(Refusal refusal) noexcept;

/// What a bearer token says of its holder (settings `tokens`): it bounds and extends what resolve() grants.
struct Credential {
  std::string name;
  bool person = true;              ///< false: nobody stands behind it, and `repos` are all that it reads
  std::optional<Scope> most;       ///< of the person's own part
  std::vector<GrantedRepo> repos;  ///< besides that part
  unsigned requests_per_minute = 60;
};
/// Of an entry of the settings, whose repositories are known to be configured.
[[nodiscard]] Credential credential_of(config::TokenSettings const& token, config::Books const& books);

struct ScopeRequest {
  UserId sender;
  ChatType chat_type = ChatType::direct;
  ChatId chat;
  bool external = false;  ///< the sender belongs to another organisation
  std::string question;
  std::optional<Scope> forced;  ///< `--scope`
  std::optional<Credential> credential;
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

/// Pure. O(question + directory look-ups). The first thing amiss is the refusal:
///   1. missing_sender_id
///   2. missing_chat_id
///   3. chat_not_bound
///   4. bound_team_not_found; also a team without a knowledge base; then external_sender
///   5. user_not_registered
///   6. not_team_member
///   7. personal_scope_not_allowed_in_group: by its words (S1-20) or by force (N-15)
/// of which a private chat knows 1 and 5. So in a group a stranger's words are never looked at, and anything personal
/// is refused before a repository is named: there is no grant then. A team forced upon personal words stays refused
/// there.
///
/// In private the grant is what the words, or `forced`, ask for as far as it is there:
/// - a team counts when the user's record names it and it has the user among members or admins (S1-16, S1-63);
/// - without a team everything is personal, without a personal knowledge base everything is team, and `reason` says so
///   (N-17, C-22); with neither: user_not_registered;
/// - forced team without a team: not_team_member; forced personal without a personal knowledge base:
/// user_not_registered;
/// - of several teams the one that the question names, or else the one team whose project it names, alone; else all.
/// `scope` is what was granted; in a group always team.
///
/// A credential of a person adds its repositories to what that person is granted, those of the kind asked for; what it
/// may not read of the person's own is as if it were not there. A credential of nobody reads its repositories and looks
/// at no chat; forced scope narrows them.
[[nodiscard]] ScopeOutcome resolve(ScopeRequest const& request, config::Directory const& directory);

/// For agents that ask knowledge bases by name (S2-3): all that resolve() grants this sender in this chat whatever the
/// words, and the repositories whose `knowledge_base` lets the sender or one of their teams in. In a group that is the
/// bound team alone; in private a sender whom a knowledge base lets in by name need not be registered.
[[nodiscard]] ScopeOutcome resolve_named(ScopeRequest const& request, config::Books const& books);

/// chat_context: sender, user, binding and team of a chat, without a question and without any grant. Refuses as steps
/// 1–6 of resolve() do; `granted()` is false either way, so look at `refusal`.
[[nodiscard]] ScopeOutcome chat_context(UserId const& sender, ChatType type, ChatId const& chat,
                                        config::Directory const& directory);

}  // namespace kb::scope
