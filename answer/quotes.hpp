/// Quotes: how text of a page and text of an answer are compared. White space between words, width, emphasis marks,
/// list bullets and link targets do not count; every letter, digit and sign does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kb::answer {

/// Markdown in the form quotes are compared in.
struct NormalText {
  std::string text;
  std::vector<std::uint32_t> breaks;   ///< ascending: where a block, item, row or heading begins
  std::vector<std::uint32_t> origins;  ///< of parts only: for each byte of `text` the byte of the source it comes from
};

/// O(bytes). White space is one space, and none beside Han; `**`, `` ` ``, bullets, `>` and `#` are gone; a link is its
/// text.
[[nodiscard]] NormalText normalise(std::string_view markdown);
/// The part of normalise(markdown) that comes from the lines around byte `at`, up to the next empty one on both sides.
/// O(at) for what the lines before leave open, and little of it.
[[nodiscard]] NormalText normalise_around(std::string_view markdown, std::size_t at);

/// Byte range of a text.
struct Place {
  std::size_t begin = 0, end = 0;
  friend bool operator==(Place const&, Place const&) = default;
};

/// The same of some parts of a source alone, in order; each part begins a block. With origins.
[[nodiscard]] NormalText normalise(std::string_view source, std::span<Place const> parts);

/// Where the page says `quote` (normal form). The quote begins and ends where a sentence of the page does, or at a
/// clause of it provided that nothing is cut off that turns its sense: "A 不支持 B" never proves "支持 B".
[[nodiscard]] std::optional<Place> find_quote(NormalText const& page, std::string_view quote);
/// Whether `place` may stand for itself: its ends are ends of sentences, or of clauses that cut nothing off that turns
/// the sense of what is left.
[[nodiscard]] bool is_whole(NormalText const& page, Place place);
/// The sentences that hold `place`, which lies in one block.
[[nodiscard]] Place sentences_around(NormalText const& page, Place place);
/// Whether a text denies, limits, or makes a plan or hearsay of what stands beside it.
[[nodiscard]] bool turns_sense(std::string_view text);
/// Whether `quote` occurs, however it is cut.
[[nodiscard]] bool occurs(NormalText const& page, std::string_view quote) noexcept;

/// The sentences of one line, in order, with their end marks; they cover the line but for white space.
[[nodiscard]] std::vector<std::string_view> sentences_of(std::string_view line);
/// All sentences of a normal text, cut at its breaks too.
[[nodiscard]] std::vector<std::string_view> sentences_of(NormalText const& page);

/// Numbers as written ("3", "2.5", "2026-03-12" is 2026, 03, 12), and Chinese numerals before a measure word, in order.
[[nodiscard]] std::vector<std::string> numbers_of(std::string_view text);
/// Words that deny: 不, 没, 无…, not, no, never, n't. Counted.
[[nodiscard]] std::size_t negations_in(std::string_view text);

/// Targets of inline links, images and bare URLs, as written.
[[nodiscard]] std::vector<std::string_view> link_targets(std::string_view markdown);

}  // namespace kb::answer
