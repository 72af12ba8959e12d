#include "kbrepo/page_views.hpp"

#include <cassert>

#include "kbrepo/index/live_set.hpp"
#include "kbrepo/index/merge.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxViews = 16;

index::SegmentPtr segment_of(std::span<index::DocKey const> documents, index::Index const& index) {
  auto const positions = index::LiveSet::place(index.segments(), documents);
  assert(positions && "the index holds every page of its table");
  return index::merge(index.segments(), *positions);
}

}  // namespace

PageViewPtr PageViews::get(std::string const& name, std::function<bool(std::string_view scope)> const& sees,
                           PageTable const& table, index::Index const& index) {
  if (PageViewPtr known = find(name)) return known;
  std::lock_guard const making(making_);
  if (PageViewPtr known = find(name)) return known;  // somebody else made it meanwhile
  PageViewPtr made = make(sees, table, index);
  std::lock_guard const lock(lock_);
  views_.emplace_front(name, made);
  if (views_.size() > kMaxViews) views_.pop_back();
  return made;
}

PageViewPtr PageViews::find(std::string const& name) {
  std::lock_guard const lock(lock_);
  for (auto const& [known, view] : views_) {
    if (known == name) return view;
  }
  return nullptr;
}

PageViewPtr PageViews::make(std::function<bool(std::string_view scope)> const& sees, PageTable const& table,
                            index::Index const& index) {
  std::map<std::string_view, std::vector<index::DocKey>> by_scope;
  std::vector<index::DocKey> live;
  auto view = std::make_shared<PageView>();
  for (std::size_t i = 0; i < table.pages.size(); ++i) {
    PageInfo const& page = table.pages[i];
    if (!sees(page.scope)) continue;
    live.push_back(index::doc_key(page.blob, page.path));
    by_scope[page.scope].push_back(live.back());
    view->own.push_back(page);
    if (page.kind == PageKind::evidence) view->passages += table.facts[i].passages;
  }
  if (view->own.size() == table.pages.size()) {
    view->whole = true;
    view->own.clear();
    view->pages = table.pages;
    view->index = index;
    return view;
  }
  view->pages = view->own;
  std::vector<index::SegmentPtr> segments;
  for (auto const& [scope, documents] : by_scope) {
    auto known = segments_.find(scope);
    if (known == segments_.end()) known = segments_.emplace(scope, segment_of(documents, index)).first;
    segments.push_back(known->second);
  }
  Result<index::Index> assembled = index::Index::assemble(std::move(segments), live);
  assert(assembled && "each page of the view is in the segment of its scope");
  view->index = std::move(*assembled);
  return view;
}

}  // namespace kb::kbrepo
