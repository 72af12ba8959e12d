#include "answer/protocols/visible_pages.hpp"

#include <algorithm>

namespace kb::protocols {

VisiblePages::VisiblePages(NamedBook const& book, Guard const& guard)
    : book_(book),
      view_(book.book.snapshot->view(book.book.grant, guard.fingerprint(book.base),
                                     [&](std::string_view scope) { return guard.sees(book.base, scope); })) {}

bool VisiblePages::holds_chunks(kbrepo::PageInfo const& page) noexcept {
  return page.kind == kbrepo::PageKind::evidence;
}

kbrepo::PageInfo const* VisiblePages::find(std::string_view path) const {
  auto const all = view_->pages;
  auto const at = std::lower_bound(all.begin(), all.end(), path,
                                   [](kbrepo::PageInfo const& page, std::string_view p) { return page.path < p; });
  return at != all.end() && at->path == path && holds_chunks(*at) ? &*at : nullptr;
}

Result<std::shared_ptr<kbrepo::Page const>> VisiblePages::read(kbrepo::PageInfo const& page) const {
  return book_.book.snapshot->read(book_.book.grant, page);
}

}  // namespace kb::protocols
