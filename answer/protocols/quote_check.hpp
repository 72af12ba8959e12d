/// Wording against the pages: is a quote what a page says (S4-4), what do several pages say of a topic (S4-5), and in
/// which lines stand these words (S4-18).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/protocols/hits.hpp"

namespace kb::protocols {

enum class QuoteStatus {
  verbatim,    ///< byte for byte on the page asked about
  normalised,  ///< on it, but for white space, width and emphasis marks
  elsewhere,   ///< on another page
  absent,
};
[[nodiscard]] std::string_view to_string(QuoteStatus status) noexcept;

struct QuotePlace {
  RepoId repo;
  std::string path;
  std::string location;
  std::uint32_t line = 0;
  bool verbatim = false;
};

struct QuoteCheck {
  QuoteStatus status = QuoteStatus::absent;
  std::vector<QuotePlace> places;  ///< at most 20
};

/// `path` empty: any page will do, and nothing is elsewhere.
[[nodiscard]] QuoteCheck check_quote(std::span<Book const> books, std::string_view quote, std::string_view path);

struct Compared {
  std::vector<Hit> hits;                 ///< the best of each page
  std::vector<std::string> differences;  ///< numbers that one page has and another lacks, in words
};
/// The best passage of each page, side by side.
[[nodiscard]] Compared compare(HitList const& list);

struct Line {
  RepoId repo;
  std::string path;
  std::uint32_t number = 0;
  std::string text;
};
/// Lines that hold one of the alternatives (separated by `|` or `\|`), whatever their case; at most `limit`.
[[nodiscard]] std::vector<Line> grep_pages(std::span<Book const> books, std::string_view alternatives,
                                           std::size_t limit);

[[nodiscard]] std::string to_json(QuoteCheck const& check);
[[nodiscard]] std::string to_json(Compared const& compared);
[[nodiscard]] std::string to_json(std::vector<Line> const& lines);

}  // namespace kb::protocols
