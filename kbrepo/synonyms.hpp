/// Words that stand for each other (S4-11, S4-49): a built-in table, zh and en, and one of the repository's own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kbrepo/index/terms.hpp"

namespace kb::kbrepo {

struct SynonymGroup {
  std::vector<std::string> words;
  bool action = false;  ///< what one does to things (S4-47)
};

class Synonyms {
 public:
  /// The built-in table.
  Synonyms();
  /// `synonyms.json` of a repository: an array of arrays of words. Says why when it is none.
  [[nodiscard]] std::string add(std::string_view json);
  [[nodiscard]] std::vector<SynonymGroup> const& groups() const noexcept { return groups_; }

 private:
  std::vector<SynonymGroup> groups_;
};

/// A word of a question, and what could have been said instead; all as the index knows them: words, and of a CJK word
/// its pairs of characters.
struct StandIn {
  std::vector<std::string> said;
  std::vector<std::vector<std::string>> instead;
};

/// The same table, ready to widen questions. Immutable; any number of threads.
class StandIns {
 public:
  StandIns() = default;  ///< none
  explicit StandIns(Synonyms const& synonyms);
  /// In the order of the question.
  [[nodiscard]] std::vector<StandIn> of(std::string_view question) const;

 private:
  struct Phrase {
    std::vector<std::string> terms;
    std::size_t group = 0;
  };
  [[nodiscard]] static bool stands_at(Phrase const& phrase, std::vector<index::Term> const& text, std::size_t at);

  std::vector<Phrase> phrases_;  ///< by group
  std::unordered_multimap<std::string, std::size_t> by_first_;
};

/// Appends to a question's terms what stands in for them, each pointing at the term it stands in for.
void add_stand_ins(std::span<StandIn const> stand_ins, std::vector<index::QueryTerm>& terms);

}  // namespace kb::kbrepo
