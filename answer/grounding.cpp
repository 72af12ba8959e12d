#include "answer/grounding.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "answer/characters.hpp"
#include "answer/likeness.hpp"
#include "answer/quotes.hpp"

namespace kb::answer {
namespace {

constexpr double kNear = 0.5;       // a page sentence this alike is what the answer's sentence was made from
constexpr double kVeryNear = 0.75;  // … beyond doubt
constexpr std::size_t kMinPiece = 6, kMaxPiece = 24;  // bytes that are looked for to find a quote
constexpr std::size_t kMaxTries = 4;                  // places where they stand
constexpr std::size_t kMinHalf = 5;                   // characters; a shorter half occurs everywhere

bool holds_foreign_number(std::string_view answer, std::string_view page) {
  std::vector<std::string> const known = numbers_of(page);
  for (std::string const& number : numbers_of(answer)) {
    if (std::find(known.begin(), known.end(), number) == known.end()) return true;
  }
  return false;
}

/// What of `sentence` stands in a page as it stands here: its first piece without spaces or marks, cut to kMaxPiece.
std::string_view plain_piece(std::string_view sentence) noexcept {
  auto const is_plain = [](char c) { return is_ascii_alnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0; };
  for (std::size_t begin = 0; begin < sentence.size();) {
    std::size_t end = begin;
    while (end < sentence.size() && end - begin < kMaxPiece && is_plain(sentence[end])) ++end;
    if (end - begin >= kMinPiece) return sentence.substr(begin, end - begin);
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::string_view to_string(Proof proof) noexcept {
  switch (proof) {
    case Proof::found:
      return "found";
    case Proof::unsupported:
      return "unsupported";
    case Proof::misattributed:
      return "misattributed";
    case Proof::stitched:
      return "stitched";
    case Proof::number_mismatch:
      return "number_mismatch";
    case Proof::negation_mismatch:
      return "negation_mismatch";
    case Proof::entity_mismatch:
      return "entity_mismatch";
  }
  return "unsupported";
}

Grounds::Grounds(std::span<ReadPage const> pages) : pages_(pages), normal_(pages.size()) {}
Grounds::~Grounds() = default;

NormalText const& Grounds::page(std::size_t index) {
  if (!normal_[index]) normal_[index] = std::make_unique<NormalText>(normalise(pages_[index].text));
  return *normal_[index];
}

bool Grounds::says(std::size_t index, std::string_view sentence, std::string_view quote) {
  // Nearly every quote is proved by the lines around its first words; a whole page takes ten times as long to read.
  std::string_view const text = pages_[index].text;
  std::string_view const piece = normal_[index] ? std::string_view() : plain_piece(sentence);
  std::size_t at = piece.empty() ? text.npos : text.find(piece);
  for (std::size_t tries = 0; tries < kMaxTries && at != text.npos; ++tries, at = text.find(piece, at + 1)) {
    if (find_quote(normalise_around(text, at), quote)) return true;
  }
  return find_quote(page(index), quote).has_value();
}

bool Grounds::stands(std::string_view sentence, std::span<std::size_t const> among) {
  NormalText const quote = normalise(sentence);
  if (quote.text.empty()) return true;
  std::vector<std::string_view> const targets = link_targets(sentence);
  return std::any_of(among.begin(), among.end(), [&](std::size_t index) {
    auto const is_there = [&](std::string_view target) { return pages_[index].text.find(target) != std::string::npos; };
    return says(index, sentence, quote.text) && std::all_of(targets.begin(), targets.end(), is_there);
  });
}

Proof Grounds::prove(std::string_view sentence, std::span<std::size_t const> cited) {
  if (stands(sentence, cited)) return Proof::found;
  std::vector<std::size_t> all(pages_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return stands(sentence, all) ? Proof::misattributed : fault(normalise(sentence).text);
}

Proof Grounds::fault(std::string_view quote) {
  std::vector<std::string> const units = units_of(quote);
  Grams const grams = grams_of(quote);
  double best = 0;
  std::string_view nearest;
  for (std::size_t index = 0; index < pages_.size(); ++index) {
    for (std::string_view const sentence : sentences_of(page(index))) {
      double const like = likeness(grams, grams_of(sentence));
      if (like > best) {
        best = like;
        nearest = sentence;
      }
    }
    if (!occurs(page(index), quote)) continue;
    for (std::string_view const sentence : sentences_of(page(index))) {
      if (sentence.find(quote) == sentence.npos) continue;
      return negations_in(sentence) != negations_in(quote) ? Proof::negation_mismatch : Proof::unsupported;
    }
  }
  if (best >= kVeryNear && holds_foreign_number(quote, nearest)) return Proof::number_mismatch;
  if (best >= kVeryNear && negations_in(quote) != negations_in(nearest)) return Proof::negation_mismatch;
  if (is_stitched(quote)) return Proof::stitched;
  if (best < kNear) return Proof::unsupported;
  if (holds_foreign_number(quote, nearest)) return Proof::number_mismatch;
  if (negations_in(quote) != negations_in(nearest)) return Proof::negation_mismatch;
  return differs_in_a_name(units, units_of(nearest)) ? Proof::entity_mismatch : Proof::unsupported;
}

bool Grounds::is_stitched(std::string_view quote) {
  if (count_chars(quote) < 2 * kMinHalf) return false;
  auto const stands = [this](std::string_view half) {
    for (std::size_t index = 0; index < pages_.size(); ++index) {
      if (occurs(page(index), half)) return true;
    }
    return false;
  };
  // The longest beginning that stands somewhere; what follows it must stand somewhere too.
  std::size_t cut = 0;
  for (std::size_t at = 0; at < quote.size();) {
    static_cast<void>(next_char(quote, at));
    if (count_chars(quote.substr(0, at)) < kMinHalf) continue;
    if (!stands(quote.substr(0, at))) break;
    cut = at;
  }
  if (cut == 0) return false;
  std::string_view rest = quote.substr(cut);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  while (!rest.empty() && (is_terminator(last_char(rest)) || rest.ends_with('.'))) {
    rest.remove_suffix(is_terminator(last_char(rest)) && last_char(rest) > 0x7F ? 3 : 1);
  }
  return count_chars(rest) >= kMinHalf && stands(rest);
}

}  // namespace kb::answer
