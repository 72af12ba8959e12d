/// How alike two sentences are, by the words and neighbouring pairs they share; and whether they differ in a name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kb::answer {

/// Words of Latin text and single wide characters: the units in which sentences are compared.
[[nodiscard]] std::vector<std::string> units_of(std::string_view text);

/// Hashes of a text's units and of their neighbouring pairs, ascending.
using Grams = std::vector<std::uint32_t>;
[[nodiscard]] Grams grams_of(std::string_view text);
/// Share of equal grams, 0…1 (Dice).
[[nodiscard]] double likeness(Grams const& a, Grams const& b) noexcept;

/// Whether units name something: a Latin word with a capital, digit or underscore, or two to four characters that
/// begin with a family name.
[[nodiscard]] bool is_name(std::span<std::string const> run);
/// Whether the one run in which two sentences differ names something on either side.
[[nodiscard]] bool differs_in_a_name(std::span<std::string const> a, std::span<std::string const> b);

}  // namespace kb::answer
