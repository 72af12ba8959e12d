/// A knowledge base as the query protocols take it: one snapshot and the right to read it.
#pragma once

#include "kbrepo/snapshot.hpp"

namespace kb::protocols {

struct Book {
  kbrepo::SnapshotPtr snapshot;
  scope::ReadGrant grant;
};

}  // namespace kb::protocols
