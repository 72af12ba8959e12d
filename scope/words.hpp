/// Whose material a question points at, by its words alone: the rule list of S1-20…24, N-16 and C-20 as one table.
#pragma once

#include <string_view>

#include "config/ids.hpp"

namespace kb::scope {

struct Ownership {
  bool personal = false;  ///< 我的, 我之前, 个人笔记, "my notes"…: the speaker's own material
  bool team = false;      ///< 我们, 团队, 组会, 成员, "our team"…
  friend bool operator==(Ownership const&, Ownership const&) = default;
};

/// Reads UTF-8, zh (both scripts) and en, word by word through the table of words_table.hpp. Pure: no I/O, no clock, no
/// locale of the process. Any bytes will do.
/// 我们 is team and never personal; 自我, 我国, 三个人 are neither; speech acts (我想问一下…, "can you tell me…") are
/// neither; what is only mentioned (a quotation, 《a title》, code, a link) is neither. In doubt neither: in a group
/// that means the team's knowledge base, in private both.
[[nodiscard]] Ownership ownership_of(std::string_view question);

/// zh when the text holds a Han character that is spoken, not only mentioned as in: what does "我的" mean. A text of
/// mentions alone goes by them; without any Han it is en. Decides the words around an answer.
[[nodiscard]] Lang language_of(std::string_view text) noexcept;

}  // namespace kb::scope
