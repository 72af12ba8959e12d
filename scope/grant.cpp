#include "scope/grant.hpp"

#include <algorithm>

namespace kb::scope {

Label label_of(config::RepoKind kind) noexcept {
  return kind == config::RepoKind::personal ? Label::personal : Label::team;
}

bool ReadGrant::allows(RepoId const& id) const noexcept {
  return std::any_of(repos_.begin(), repos_.end(), [&](GrantedRepo const& repo) { return repo.id == id; });
}

Label ReadGrant::label(RepoId const& id) const noexcept {
  auto const found = std::find_if(repos_.begin(), repos_.end(), [&](GrantedRepo const& repo) { return repo.id == id; });
  return found == repos_.end() ? Label::team : found->label;
}

ReadGrant operator_grant(RepoId const& id, Label label) { return ReadGrant({GrantedRepo{id, label}}); }

}  // namespace kb::scope
