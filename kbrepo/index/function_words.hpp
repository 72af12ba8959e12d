/// Words that ask or join and say nothing of the subject.
#pragma once

#include <string_view>

namespace kb::kbrepo::index {

/// A folded English word.
[[nodiscard]] bool is_english_function_word(std::string_view word) noexcept;

/// Bytes of the longest Chinese function word (folded, so Simplified) that `text` begins with; 0 for none.
[[nodiscard]] std::size_t chinese_function_word_at(std::string_view text) noexcept;

}  // namespace kb::kbrepo::index
