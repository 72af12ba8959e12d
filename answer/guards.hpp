/// What similarity of words misses: a sentence may read like its quotes and still say something else.
#pragma once

#include <string_view>

namespace kb::answer {

/// In what a sentence departs from its quotes.
enum class Guard {
  none,
  number,      ///< a number, date or version that they do not hold
  unit,        ///< a number of theirs with another unit
  link,        ///< a target that they do not hold
  identifier,  ///< a code name, path or version that they do not hold so, letter case included
  name,        ///< somebody or something that they do not name
  negation,    ///< denies where they affirm, or the other way round
  modality,    ///< must, may, plan…: another degree
  comparison,  ///< more, less, before…: another direction
  swapped,     ///< their words in another order
  too_short,   ///< a quote that could stand anywhere
};
[[nodiscard]] std::string_view to_string(Guard guard) noexcept;

/// The first of these in which `sentence` departs from `evidence`, both in normal form. Links are not looked at.
[[nodiscard]] Guard departs(std::string_view sentence, std::string_view evidence);

/// Whether every word whose letter case is part of its meaning (identifiers, units behind a number) stands so in
/// `evidence`.
[[nodiscard]] bool keeps_signs(std::string_view sentence, std::string_view evidence);

}  // namespace kb::answer
