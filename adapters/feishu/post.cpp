#include <nlohmann/json.hpp>

#include "adapters/feishu/blocks.hpp"
#include "adapters/feishu/escape.hpp"
#include "adapters/feishu/forms.hpp"
#include "adapters/feishu/markdown.hpp"

namespace kb::feishu {
namespace {

using Json = nlohmann::ordered_json;

/// The reader's own language does not matter: a post with one language is shown as it is.
std::string write(Paragraphs const& paragraphs) {
  Json content = Json::array();
  for (std::string const& text : paragraphs) {
    content.push_back(Json::array({Json{{"tag", "md"}, {"text", text}}}));  // md stands alone in its paragraph
  }
  return Json{{"zh_cn", {{"title", ""}, {"content", std::move(content)}}}}.dump();
}

}  // namespace

std::vector<std::string> post_contents(ReplyView const& view) {
  std::vector<Piece> pieces = to_markdown(read_blocks(view.body), 0);
  std::size_t const paragraph = sent_size(write({"", ""})) - sent_size(write({""}));
  std::size_t const room = kMaxRichBytes - kEnvelopeBytes - sent_size(write({}));
  pieces.insert(pieces.end(), view.sources.begin(), view.sources.end());
  if (!view.facts.empty()) pieces.push_back({.text = view.facts, .paragraph = true});
  if (pieces.empty()) pieces.push_back({.text = "…"});
  std::vector<std::string> out;
  for (Paragraphs const& part : pack(pieces, {room, paragraph})) out.push_back(write(part));
  return out;
}

}  // namespace kb::feishu
