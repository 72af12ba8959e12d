/// A search query taken apart: what it is about, what is done, under which conditions, and what else to look for
/// (S4-10, S4-46…49). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/synonyms.hpp"

namespace kb::protocols {

using kbrepo::SynonymGroup;
using kbrepo::Synonyms;

/// One word as the index knows it: stemmed and folded; a CJK character by itself.
struct Token {
  std::string text;
  std::uint32_t begin = 0, end = 0;  ///< bytes of the source
  bool cjk = false;
};
/// Whole words in order; identifiers are one.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

struct QueryUnit {
  enum class Kind { entity, action, constraint };
  Kind kind = Kind::entity;
  std::string text;  ///< as it stands in the query, plural ending off
  std::vector<std::string> tokens;
  std::vector<std::string> variants;                     ///< plural, hyphenated, synonyms
  std::vector<std::vector<std::string>> variant_tokens;  ///< of the synonyms
  bool cjk = false;
};

struct QueryWords {
  std::string text;
  std::vector<std::string> tokens;  ///< without function words
  std::vector<QueryUnit> units;     ///< in the order of the query
  [[nodiscard]] std::vector<std::string> texts(QueryUnit::Kind kind) const;
  /// The query with every synonym behind it: what an index is asked.
  [[nodiscard]] std::string expanded() const;
};

[[nodiscard]] QueryWords take_apart(std::string_view query, Synonyms const& synonyms);

}  // namespace kb::protocols
