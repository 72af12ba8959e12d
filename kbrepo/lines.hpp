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
    std::size_t const stop = text_.find_first_of("\r\n", at_);
    Line line{at_, stop == std::string_view::npos ? text_.size() : stop};
    at_ = line.end;
    if (at_ < text_.size()) at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    return line;
  }
  /// Where the next line starts.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }

 private:
  std::string_view text_;
  std::size_t at_;
};

}  // namespace kb::kbrepo
