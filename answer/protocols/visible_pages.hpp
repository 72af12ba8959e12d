/// The pages of one named knowledge base that a guard lets through: what every reader of its chunks goes through
/// (S2-46).
#pragma once

#include "answer/protocols/chunks.hpp"

namespace kb::protocols {

class VisiblePages {
 public:
  /// Keeps a reference to `book`.
  VisiblePages(NamedBook const& book, Guard const& guard);

  [[nodiscard]] static bool holds_chunks(kbrepo::PageInfo const& page) noexcept;  ///< is evidence
  [[nodiscard]] std::size_t chunks() const noexcept { return view_->passages; }
  [[nodiscard]] bool whole() const noexcept { return view_->whole; }  ///< nothing is kept back
  /// Of the pages that hold chunks.
  [[nodiscard]] kbrepo::PageInfo const* find(std::string_view path) const;
  [[nodiscard]] kbrepo::PageInfo const& page(std::uint32_t doc) const { return view_->pages[doc]; }
  [[nodiscard]] std::span<kbrepo::PageInfo const> pages() const noexcept { return view_->pages; }
  /// Of visible pages alone: nothing else moves a score.
  [[nodiscard]] kbrepo::index::Index const& index() const noexcept { return view_->index; }
  [[nodiscard]] Result<std::shared_ptr<kbrepo::Page const>> read(kbrepo::PageInfo const& page) const;
  [[nodiscard]] NamedBook const& book() const noexcept { return book_; }

 private:
  NamedBook const& book_;
  kbrepo::PageViewPtr view_;
};

}  // namespace kb::protocols
