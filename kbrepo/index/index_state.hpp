/// The inside of an Index.
#pragma once

#include "kbrepo/index/index.hpp"
#include "kbrepo/index/live_set.hpp"

namespace kb::kbrepo::index {

struct Index::State {
  LiveSet live;
};

}  // namespace kb::kbrepo::index
