/// Scope as a capability: reading, searching and listing take a ReadGrant, and only this module makes one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/ids.hpp"
#include "config/settings.hpp"

namespace kb::config {
struct Books;
struct Directory;
}  // namespace kb::config

namespace kb::scope {

/// Whose knowledge base a granted repository is; decides the bracket in a source line (S1-36).
enum class Label { personal, team };

/// personal for that kind, team for every other.
[[nodiscard]] Label label_of(config::RepoKind kind) noexcept;

struct GrantedRepo {
  RepoId id;
  Label label = Label::team;
  friend bool operator==(GrantedRepo const&, GrantedRepo const&) = default;
};

struct ScopeRequest;
struct ScopeOutcome;

/// Which repositories one question may read. Copyable, immutable; made by resolve(), resolve_named() and
/// operator_grant() alone.
class ReadGrant {
 public:
  [[nodiscard]] std::span<GrantedRepo const> repos() const noexcept { return repos_; }
  [[nodiscard]] bool allows(RepoId const& id) const noexcept;
  [[nodiscard]] Label label(RepoId const& id) const noexcept;  ///< of an allowed repository

 private:
  explicit ReadGrant(std::vector<GrantedRepo> repos) : repos_(std::move(repos)) {}
  friend ScopeOutcome resolve(ScopeRequest const& request, config::Directory const& directory);
  friend ScopeOutcome resolve_named(ScopeRequest const& request, config::Books const& books);
  friend ReadGrant operator_grant(RepoId const& id, Label label);

  std::vector<GrantedRepo> repos_;
};

/// For the command line of the operator, who can read the repository's files anyway (kb_list, kb_read, index, eval).
/// Never reachable from a message.
[[nodiscard]] ReadGrant operator_grant(RepoId const& id, Label label);

}  // namespace kb::scope
