/// Catalogues and index pages as guides: they point at pages before any is opened, and are never evidence (S1-65,
/// C-34).
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "answer/question.hpp"
#include "kbrepo/shelf.hpp"

namespace kb::answer {

/// What the guide of one book says about a question: catalog.json, else the links of its index.md.
class Guide {
 public:
  Guide(Question const& question, kbrepo::Snapshot const& book, scope::ReadGrant const& grant);

  [[nodiscard]] std::string const& path() const noexcept { return path_; }  ///< empty: the book has no guide
  /// Whether an entry that speaks of what is asked points at this page.
  [[nodiscard]] bool points_at(std::string_view path) const;

 private:
  void read_catalog(kbrepo::Catalog const& catalog);
  void read_index(kbrepo::Page const& page);
  [[nodiscard]] bool is_asked(std::string_view name) const;

  std::string path_;
  std::string question_;                     ///< lower case
  std::unordered_set<std::string> targets_;  ///< paths or stems
};

}  // namespace kb::answer
