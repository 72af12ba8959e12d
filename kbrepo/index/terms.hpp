/// Text → terms, for pages and questions alike (RETRIEVAL §1 and §7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kb::kbrepo::index {

enum class TermKind : std::uint8_t { word, part, number, unigram, bigram };

/// One normalised term and where it stood. `text`: NFKC-like width and case folded, diacritics off, Traditional →
/// Simplified, English stemmed; CJK as unigrams and overlapping bigrams; identifiers whole and in parts.
struct Term {
  std::string text;
  TermKind kind = TermKind::word;
  std::uint32_t begin = 0, end = 0;  ///< bytes in the source
  std::uint32_t position =
      0;  ///< word position; parts of one identifier share theirs, a bigram has its first character's
};

/// Appends the terms of `text` to `out`. No dictionary, no locale. Terms over 64 bytes are dropped.
void terms_of(std::string_view text, std::vector<Term>& out);

struct QueryTerm {
  std::string text;
  TermKind kind = TermKind::word;
  float weight = 1;            ///< CJK unigram .25, cross-word bigram .6, question and function words ×.5
  bool function_word = false;  ///< asks or joins, says nothing of the subject
  /// Place in the query of the term that this one, which was not asked, stands in for; below 0: it was asked.
  std::int32_t stands_for = -1;
};

/// Terms of a question with their weights, repeats merged. Uses a word segmenter for bigrams that cross words.
[[nodiscard]] std::vector<QueryTerm> query_terms(std::string_view question);

/// The folding alone (width, case, diacritics, Traditional → Simplified), byte offsets lost: for comparing names and
/// titles.
[[nodiscard]] std::string fold(std::string_view text);

}  // namespace kb::kbrepo::index
