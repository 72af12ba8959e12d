/// Rendered text in pieces that know how they may be cut, packed into messages of limited size. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kb::feishu {

struct Piece {
  std::string text{};
  std::string open{};      ///< before the text, e.g. "> " or a fence
  std::string reopen{};    ///< the same where a cut piece goes on
  std::string close{};     ///< behind each part of it
  bool paragraph = false;  ///< begins one: a blank line stands before it
  bool code = false;       ///< cut between its lines
};

/// The paragraphs of one message.
using Paragraphs = std::vector<std::string>;

struct Room {
  std::size_t bytes = 0;      ///< of a message, counted as sent (sent_size)
  std::size_t paragraph = 0;  ///< what each paragraph costs besides its text
};

/// Cut at paragraph borders where these fit a message, else between pieces, else between the lines of code, else
/// between characters. Never empty paragraphs; nothing is left out.
[[nodiscard]] std::vector<Paragraphs> pack(std::vector<Piece> const& pieces, Room room);

/// Paragraphs with blank lines between.
[[nodiscard]] std::string joined(Paragraphs const& paragraphs);

}  // namespace kb::feishu
