/// The pages of one named knowledge base that a guard lets through: what every reader of its chunks goes through
/// (S2-46).
#pragma once

#include "answer/protocols/chunks.hpp"

namespace kb::protocols {

class VisiblePages {
 public:
  /// Keeps references to both.
  VisiblePages(NamedBook const& book, Guard const& guard);

  [[nodiscard]] bool sees(kbrepo::PageInfo const& page) const;  ///< let through, and evidence
  [[nodiscard]] std::size_t chunks() const;                     ///< of pages that are seen
  [[nodiscard]] bool whole() const noexcept { return whole_; }  ///< nothing is kept back but what is no evidence
  [[nodiscard]] kbrepo::PageInfo const* find(std::string_view path) const;
  [[nodiscard]] kbrepo::PageInfo const& page(std::uint32_t doc) const { return pages_[doc]; }
  [[nodiscard]] std::span<kbrepo::PageInfo const> pages() const noexcept { return pages_; }
  /// Of visible pages alone: nothing else moves a score.
  [[nodiscard]] kbrepo::index::Index const& index() const noexcept { return index_; }
  [[nodiscard]] Result<std::shared_ptr<kbrepo::Page const>> read(kbrepo::PageInfo const& page) const;
  [[nodiscard]] NamedBook const& book() const noexcept { return book_; }

 private:
  NamedBook const& book_;
  Guard const& guard_;
  std::span<kbrepo::PageInfo const> pages_;
  kbrepo::index::Index index_;
  bool whole_ = true;
};

}  // namespace kb::protocols
