/// A reply taken apart for showing: its words, its sources with what is known of them, and what can be done with it.
/// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/feishu/pieces.hpp"
#include "adapters/feishu/render.hpp"
#include "config/ids.hpp"

namespace kb::feishu {

struct ReplyView {
  Lang lang = Lang::zh;
  std::string body;            ///< clean; everything before the sources
  std::vector<Piece> sources;  ///< the block as Markdown, heading included; empty: the reply has none
  std::string facts;           ///< "置信度：高 · …"; may be empty
  std::string query_id;        ///< empty: nothing to vote on
  std::string mine;            ///< the vote given; may be empty
};

[[nodiscard]] ReplyView view_of(adapters::Reply const& reply, Votes const& votes);

/// The first words of the reply, for a chat list; one line, escaped for plain text.
[[nodiscard]] std::string summary_of(std::string_view body);

/// "已记录：有用"; `vote` is up or down.
[[nodiscard]] std::string recorded_text(Lang lang, std::string_view vote);
[[nodiscard]] std::string vote_label(Lang lang, std::string_view vote);

}  // namespace kb::feishu
