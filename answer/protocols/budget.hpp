/// Tokens as every budget here counts them, and cuts that break nothing (C-26).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kb::protocols {

/// One token for every four characters of ASCII, one for every other character; rounded up.
[[nodiscard]] std::size_t tokens_in(std::string_view text) noexcept;

/// `text`, or as much of it as `budget` tokens hold with the mark "…" behind it: ended at a paragraph, a sentence or a
/// line, never inside a character, a [[link]] or a code fence. Never more than `budget`, whatever the text.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t budget);

/// Whole lines as long as they fit; then `… and N more <what>` in their place.
class LineBudget {
 public:
  LineBudget(std::size_t budget, std::string what) : budget_(budget), what_(std::move(what)) {}
  void add(std::string_view line);
  [[nodiscard]] std::string take();

 private:
  [[nodiscard]] std::string more(std::size_t count) const;
  std::size_t budget_;
  std::string what_;
  std::vector<std::string> lines_;
};

}  // namespace kb::protocols
