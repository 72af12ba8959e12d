/// The views of one snapshot (Snapshot::view), made when first used and kept.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "kbrepo/page_table.hpp"

namespace kb::kbrepo {

/// Any number of threads. Pages of one scope have a segment of their own, which all views that see the scope share; so
/// a search in a view passes over no posting of a page that is not in it.
class PageViews {
 public:
  /// `table` and `index`: of the one snapshot that this belongs to, and that outlives what is returned.
  [[nodiscard]] PageViewPtr get(std::string const& name, std::function<bool(std::string_view scope)> const& sees,
                                PageTable const& table, index::Index const& index);

 private:
  [[nodiscard]] PageViewPtr find(std::string const& name);
  [[nodiscard]] PageViewPtr make(std::function<bool(std::string_view scope)> const& sees, PageTable const& table,
                                 index::Index const& index);

  std::mutex making_;                                               ///< one at a time
  std::map<std::string, index::SegmentPtr, std::less<>> segments_;  ///< by scope; guarded by making_
  std::mutex lock_;
  std::deque<std::pair<std::string, PageViewPtr>> views_;  ///< the one made last first; guarded by lock_
};

}  // namespace kb::kbrepo
