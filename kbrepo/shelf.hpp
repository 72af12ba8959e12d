/// The snapshots one grant opens, pinned for one question.
#pragma once

#include <vector>

#include "config/roomy_map.hpp"
#include "kbrepo/snapshot.hpp"
#include "kbrepo/vectors.hpp"
#include "scope/grant.hpp"

namespace kb::kbrepo {

using Snapshots = config::RoomyMap<RepoId, SnapshotPtr>;

struct Shelf {
  scope::ReadGrant grant;
  std::vector<SnapshotPtr> books;     ///< in the grant's order
  std::vector<RepoId> missing;        ///< granted, but without any snapshot yet: said to the asker
  MeaningPtr meaning{};               ///< of the question; null: words alone find its pages
  std::vector<VectorsPtr> vectors{};  ///< as books, null where there are none; with `meaning`
};

/// Lets meaning find pages beside words.
void add_meaning(Shelf& shelf, MeaningPtr meaning, VectorSets const& sets);

[[nodiscard]] Shelf open_shelf(scope::ReadGrant const& grant, Snapshots const& snapshots);

}  // namespace kb::kbrepo
