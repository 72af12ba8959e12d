#include "kbrepo/shelf.hpp"

namespace kb::kbrepo {

Shelf open_shelf(scope::ReadGrant const& grant, Snapshots const& snapshots) {
  Shelf shelf{grant, {}, {}};
  for (scope::GrantedRepo const& repo : grant.repos()) {
    auto const found = snapshots.find(repo.id);
    if (found == snapshots.end() || found->second == nullptr) {
      shelf.missing.push_back(repo.id);
    } else {
      shelf.books.push_back(found->second);
    }
  }
  return shelf;
}

}  // namespace kb::kbrepo
