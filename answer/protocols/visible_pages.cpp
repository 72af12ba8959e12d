#include "answer/protocols/visible_pages.hpp"

#include <algorithm>
#include <cassert>

namespace kb::protocols {

VisiblePages::VisiblePages(NamedBook const& book, Guard const& guard)
    : book_(book), guard_(guard), pages_(book.book.snapshot->pages(book.book.grant)) {
  kbrepo::Snapshot const& snapshot = *book.book.snapshot;
  auto const let_through = [&](kbrepo::PageInfo const& page) { return guard.sees(book.base, page.scope); };
  whole_ = std::all_of(pages_.begin(), pages_.end(), let_through);
  index_ = whole_ ? snapshot.index(book.book.grant)
                  : snapshot.index(book.book.grant, guard.fingerprint(book.base), let_through);
}

std::size_t VisiblePages::chunks() const {
  std::size_t count = 0;
  for (kbrepo::PageInfo const& page : pages_) {
    if (sees(page)) count += book_.book.snapshot->passages(book_.book.grant, page);
  }
  return count;
}

bool VisiblePages::sees(kbrepo::PageInfo const& page) const {
  return page.kind == kbrepo::PageKind::evidence && guard_.sees(book_.base, page.scope);
}

kbrepo::PageInfo const* VisiblePages::find(std::string_view path) const {
  kbrepo::PageInfo const* const page = book_.book.snapshot->find(book_.book.grant, path);
  return page != nullptr && sees(*page) ? page : nullptr;
}

Result<std::shared_ptr<kbrepo::Page const>> VisiblePages::read(kbrepo::PageInfo const& page) const {
  assert(sees(page));
  return book_.book.snapshot->read(book_.book.grant, page.path);
}

}  // namespace kb::protocols
