/// Lines of a text as byte ranges; \n, \r\n and a lone \r each end one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace kb::kbrepo {

struct Line {
  std::size_t begin = 0, end = 0;  ///< without the line break

  [[nodiscard]] std::string_view of(std::string_view text) const noexcept { return text.substr(begin, end - begin); }
};

class LineReader {
 public:
  explicit LineReader(std::string_view text, std::size_t from = 0) noexcept : text_(text), at_(from) {}

  /// The next line; nothing at the end. A line break at the very end starts no further line.
  [[nodiscard]] std::optional<Line> next() noexcept {
    if (at_ >= text_.size()) return std::nullopt;
    Line line{at_, end_of_line()};
    at_ = line.end;
    if (at_ < text_.size()) at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    return line;
  }
  /// Where the next line starts.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }

 private:
  /// A loop, for find_first_of calls the library for each character, and a search for one of the two marks runs past
  /// all lines that the other ends.
  [[nodiscard]] std::size_t end_of_line() const noexcept {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != '\r') ++end;
    return end;
  }

  std::string_view text_;
  std::size_t at_;
};

}  // namespace kb::kbrepo
