#include "scope/resolve.hpp"

namespace kb::scope {

Credential credential_of(config::TokenSettings const& token, config::Books const& books) {
  Credential out;
  out.name = token.name;
  out.person = !token.sender.empty();
  if (!token.scope.empty()) out.most = parse_scope(token.scope);
  for (RepoId const& id : token.repos) {
    config::RepoSettings const* const repo = books.find(id);
    if (repo != nullptr) out.repos.push_back({id, label_of(repo->kind)});
  }
  out.requests_per_minute = token.requests_per_minute;
  return out;
}

}  // namespace kb::scope
