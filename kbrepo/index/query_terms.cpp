#include <algorithm>
#include <memory>
#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <unordered_map>

#include "kbrepo/index/fold.hpp"
#include "kbrepo/index/function_words.hpp"
#include "kbrepo/index/parameters.hpp"
#include "kbrepo/index/scan.hpp"

namespace kb::kbrepo::index {
namespace {

struct CloseBreaker {
  void operator()(UBreakIterator* breaker) const noexcept { ubrk_close(breaker); }
};
struct CloseText {
  void operator()(UText* text) const noexcept { utext_close(text); }
};

/// Where the dictionary sees words begin, by byte. All false when ICU has no answer: no bigram crosses then.
std::vector<bool> word_starts(std::string_view text) {
  std::vector<bool> starts(text.size() + 1, false);
  UErrorCode error = U_ZERO_ERROR;
  // Opening a breaker costs far more than a question; it may be used by one thread at a time.
  thread_local std::unique_ptr<UBreakIterator, CloseBreaker> const breaker(
      ubrk_open(UBRK_WORD, "zh", nullptr, 0, &error));
  if (U_FAILURE(error) || !breaker) return starts;
  std::unique_ptr<UText, CloseText> const source(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &error));
  if (U_FAILURE(error)) return starts;
  ubrk_setUText(breaker.get(), source.get(), &error);
  if (U_FAILURE(error)) return starts;
  for (auto at = ubrk_first(breaker.get()); at != UBRK_DONE; at = ubrk_next(breaker.get())) {
    starts[static_cast<std::size_t>(at)] = true;
  }
  ubrk_setText(breaker.get(), nullptr, 0, &error);  // it must not keep a view of this question
  return starts;
}

/// Which bytes stand in Chinese function words, found character by character in the folded text.
std::vector<bool> function_bytes(std::string_view text) {
  std::vector<bool> inside(text.size(), false);
  std::string folded;
  std::vector<std::uint32_t> source;  // byte of `text` that each byte of `folded` comes from
  std::array<char, 4> bytes;
  for (std::size_t at = 0; at < text.size();) {
    Decoded const decoded = decode(text, at);
    Folded const f = fold_point(decoded.point);
    for (std::uint32_t i = 0; i < f.size; ++i) folded.append(bytes.data(), encode(f[i], bytes.data()));
    source.resize(folded.size(), static_cast<std::uint32_t>(at));
    at += decoded.size;
  }
  source.push_back(static_cast<std::uint32_t>(text.size()));
  for (std::size_t at = 0; at < folded.size();) {
    std::size_t const size = chinese_function_word_at(std::string_view(folded).substr(at));
    if (size > 0) std::fill(inside.begin() + source[at], inside.begin() + source[at + size], true);
    at += std::max<std::size_t>(size, decode(folded, at).size);
  }
  return inside;
}

class Weigher {
 public:
  Weigher(std::string_view question, bool cjk) : question_(question) {
    if (!cjk) return;
    starts_ = word_starts(question);
    function_ = function_bytes(question);
  }

  [[nodiscard]] QueryTerm weigh(std::string_view term, TermBuffer::Piece const& piece) const {
    QueryTerm out{std::string(term), piece.kind, 1, is_function(piece)};
    if (piece.kind == TermKind::unigram) out.weight = kParameters.unigram;
    if (piece.kind == TermKind::bigram) {
      out.weight = crosses_words(piece) ? kParameters.cross_word_bigram : kParameters.bigram;
    }
    if (out.function_word) out.weight *= kParameters.function_word;
    return out;
  }

 private:
  [[nodiscard]] bool is_function(TermBuffer::Piece const& piece) const {
    if (piece.kind == TermKind::unigram || piece.kind == TermKind::bigram) {
      auto const begin = function_.begin() + piece.begin;
      return std::find(begin, function_.begin() + piece.end, false) == function_.begin() + piece.end;
    }
    return piece.kind != TermKind::number &&
           is_english_function_word(fold(question_.substr(piece.begin, piece.end - piece.begin)));
  }

  [[nodiscard]] bool crosses_words(TermBuffer::Piece const& piece) const {
    std::size_t const second = piece.begin + decode(question_, piece.begin).size;
    return second < piece.end && starts_[second];
  }

  std::string_view question_;
  std::vector<bool> starts_, function_;
};

}  // namespace

std::vector<QueryTerm> query_terms(std::string_view question) {
  TermBuffer buffer;
  scan_terms(question, buffer);
  bool const cjk = std::any_of(buffer.pieces.begin(), buffer.pieces.end(),
                               [](auto const& piece) { return piece.kind == TermKind::unigram; });
  Weigher const weigher(question, cjk);
  std::vector<QueryTerm> out;
  std::unordered_map<std::string, std::size_t> place;  // of each term in `out`
  for (auto const& piece : buffer.pieces) {
    QueryTerm term = weigher.weigh(buffer.term(piece), piece);
    auto const [known, fresh] = place.try_emplace(term.text, out.size());
    if (fresh) {
      out.push_back(std::move(term));
      continue;
    }
    QueryTerm& same = out[known->second];
    same.weight += term.weight;
    same.function_word = same.function_word && term.function_word;
  }
  return out;
}

}  // namespace kb::kbrepo::index
