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

void add_meaning(Shelf& shelf, MeaningPtr meaning, VectorSets const& sets) {
  shelf.meaning = std::move(meaning);
  shelf.vectors.clear();
  for (SnapshotPtr const& book : shelf.books) {
    auto const found = sets.find(book->repo());
    shelf.vectors.push_back(found == sets.end() ? nullptr : found->second);
  }
}

}  // namespace kb::kbrepo
