#include <nlohmann/json.hpp>

#include "adapters/feishu/blocks.hpp"
#include "adapters/feishu/escape.hpp"
#include "adapters/feishu/forms.hpp"

namespace kb::feishu {
namespace {

using Json = nlohmann::ordered_json;

std::string write(std::string const& text) { return Json{{"text", text}}.dump(); }

}  // namespace

std::vector<std::string> text_contents(std::string const& text) {
  std::string const escaped = escape_plain(text);
  std::vector<Piece> pieces;
  bool blank = true;
  for (std::string_view rest = escaped; !rest.empty();) {
    std::string_view const line = take_line(rest);
    if (!trim_blanks(line).empty()) pieces.push_back({.text = std::string(line), .paragraph = blank});
    blank = trim_blanks(line).empty();
  }
  if (pieces.empty()) pieces.push_back({.text = "…"});
  std::size_t const room = kMaxTextBytes - kEnvelopeBytes - sent_size(write(""));
  std::vector<std::string> out;
  for (Paragraphs const& part : pack(pieces, {room, sent_size("\n\n")})) out.push_back(write(joined(part)));
  return out;
}

}  // namespace kb::feishu
