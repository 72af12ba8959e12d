/// Claims: a sentence with the quotes that are to carry it, as a model makes them; and what of it can be proven.
/// Without a model, a clock or I/O: same input, same verdict.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/guards.hpp"
#include "answer/page_forms.hpp"
#include "kbrepo/page.hpp"

namespace kb::answer {

/// How a quote stands in the page named for it, best first; and, of a claim, how far it may be said.
enum class Verdict {
  verbatim,    ///< byte for byte
  normalised,  ///< but for case, width, white space, marks and Traditional characters; or in a form of derivation.hpp
  ellipsis,    ///< with a part left out that turns nothing
  repaired,    ///< nearly, in one place alone: the page's own words are to be said instead
  misattributed,  ///< in another page that was read, or in this one but not in the quotes
  stitched,       ///< two halves from different places
  absent,         ///< nowhere
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

struct ClaimedQuote {
  std::optional<std::size_t> page;  ///< position among the pages read; nothing: no such page was given
  std::string text;
};

struct Claim {
  std::string text;
  std::vector<ClaimedQuote> quotes;
};

/// What a page says where a quote was found: whole sentences of neighbouring blocks.
struct Carrier {
  std::size_t page = 0;
  std::uint32_t begin = 0, end = 0;  ///< bytes of Page::text
  std::uint32_t first_block = 0, last_block = 0;
  friend bool operator==(Carrier const&, Carrier const&) = default;
};

struct ClaimVerdict {
  Verdict verdict = Verdict::absent;
  Guard guard = Guard::none;      ///< why it may not be said, where that is known
  std::vector<Carrier> carriers;  ///< what carries it; of a repaired claim what is said instead of it

  /// The claim's own words may be sent.
  [[nodiscard]] bool proven() const noexcept { return verdict <= Verdict::ellipsis && guard == Guard::none; }
  /// The carriers' words may be sent in its place.
  [[nodiscard]] bool repaired() const noexcept { return verdict == Verdict::repaired && guard == Guard::none; }
};

/// Checks the claims of one draft against the pages read.
class ClaimCheck {
 public:
  /// The pages must outlive this; forms of a page are made when first needed.
  explicit ClaimCheck(std::span<kbrepo::Page const* const> pages);
  explicit ClaimCheck(std::vector<FormsPtr> pages);
  ~ClaimCheck();
  ClaimCheck(ClaimCheck const&) = delete;
  ClaimCheck& operator=(ClaimCheck const&) = delete;

  [[nodiscard]] ClaimVerdict check(Claim const& claim);
  /// One quote alone.
  [[nodiscard]] ClaimVerdict find(ClaimedQuote const& quote);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A claim as it may be sent: one line, without invisible characters, control characters and marks of direction.
[[nodiscard]] std::string plain_line(std::string_view text);

}  // namespace kb::answer
