/// Words that stand for each other in a search (S4-11, S4-49): a built-in table, and one of the repository's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb::protocols {

struct SynonymGroup {
  std::vector<std::string> words;
  bool action = false;  ///< what one does to things (S4-47)
};

class Synonyms {
 public:
  /// The built-in table, zh and en.
  Synonyms();
  /// `synonyms.json` of a repository: an array of arrays of words. Says why when it is none.
  [[nodiscard]] std::string add(std::string_view json);
  [[nodiscard]] std::vector<SynonymGroup> const& groups() const noexcept { return groups_; }

 private:
  std::vector<SynonymGroup> groups_;
};

}  // namespace kb::protocols
