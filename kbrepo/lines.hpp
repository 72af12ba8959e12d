/// Lines of a text as byte ranges; \n, \r\n and a lone \r each end one.
#pragma once

#include <cstddef>
#include <cstring>
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
  /// Two searches for one character are several times faster than one for two.
  [[nodiscard]] std::size_t end_of_line() const noexcept {
    char const* const begin = text_.data() + at_;
    auto const find = [begin](char c, std::size_t size) {
      return static_cast<char const*>(std::memchr(begin, c, size));
    };
    char const* const feed = find('\n', text_.size() - at_);
    std::size_t const size = feed != nullptr ? static_cast<std::size_t>(feed - begin) : text_.size() - at_;
    char const* const lone = find('\r', size);
    return at_ + (lone != nullptr ? static_cast<std::size_t>(lone - begin) : size);
  }

  std::string_view text_;
  std::size_t at_;
};

}  // namespace kb::kbrepo
