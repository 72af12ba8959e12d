#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/feishu/blocks.hpp"
#include "adapters/feishu/escape.hpp"
#include "adapters/feishu/forms.hpp"
#include "adapters/feishu/markdown.hpp"

namespace kb::feishu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxTables = 3;  // of a card; beyond, the platform may refuse it

/// What one card shows; empty parts are left out.
struct Card {
  std::string summary{}, body{}, sources{};
  bool last = false;  ///< the facts and the buttons stand on it
};

Json markdown(char const* id, std::string const& content, bool small) {
  Json out{{"tag", "markdown"}, {"element_id", id}, {"content", content}};
  if (small) out["text_size"] = "notation";
  return out;
}

Json button(ReplyView const& view, char const* vote, char const* sign) {
  Json const value{{"kind", "feedback"}, {"vote", vote}, {"query_id", view.query_id}};
  Json out{{"tag", "button"},
           {"element_id", std::string("vote_") + vote},
           {"type", view.mine == vote ? "primary" : "default"},
           {"size", "small"},
           {"text", {{"tag", "plain_text"}, {"content", std::string(sign) + ' ' + vote_label(view.lang, vote)}}}};
  out["behaviors"] = Json::array({Json{{"type", "callback"}, {"value", value}}});
  return Json{{"tag", "column"}, {"width", "auto"}, {"elements", Json::array({std::move(out)})}};
}

Json votes_of(ReplyView const& view) {
  Json out{{"tag", "column_set"}, {"element_id", "votes"}};
  out["columns"] = Json::array({button(view, "up", "👍"), button(view, "down", "👎")});
  return out;
}

std::string write(ReplyView const& view, Card const& card) {
  Json elements = Json::array();
  if (!card.body.empty()) elements.push_back(markdown("answer", card.body, false));
  if (!card.sources.empty()) {
    if (!elements.empty()) elements.push_back({{"tag", "hr"}});
    elements.push_back(markdown("sources", card.sources, true));
  }
  if (card.last && !view.facts.empty()) {
    elements.push_back(markdown("facts", "<font color='grey'>" + view.facts + "</font>", true));
  }
  if (card.last && !view.query_id.empty()) elements.push_back(votes_of(view));
  if (card.last && !view.mine.empty())
    elements.push_back(markdown("recorded", recorded_text(view.lang, view.mine), true));
  if (elements.empty()) elements.push_back(markdown("answer", "…", false));
  Json out{{"schema", "2.0"}};
  out["config"] = {{"update_multi", true}, {"summary", {{"content", card.summary}}}};
  out["body"] = {{"elements", std::move(elements)}};
  return out.dump();
}

}  // namespace

std::vector<std::string> card_contents(ReplyView const& view) {
  std::string const summary = summary_of(view.body);
  // Room for the words: what a card has left that shows all that a card can.
  Card const full{.summary = summary, .body = "-", .sources = "-", .last = true};
  std::size_t const room = kMaxRichBytes - std::min(kMaxRichBytes, kEnvelopeBytes + sent_size(write(view, full)));
  std::vector<Card> cards;
  for (Paragraphs const& part : pack(to_markdown(read_blocks(view.body), kMaxTables), {room, sent_size("\n\n")})) {
    cards.push_back({.summary = summary, .body = joined(part)});
  }
  std::vector<Paragraphs> const sources = pack(view.sources, {room, sent_size("\n\n")});
  for (Paragraphs const& part : sources) {
    std::string text = joined(part);
    // The whole block below the last of the answer's words, if there is room.
    bool const fits = sources.size() == 1 && !cards.empty() && sent_size(cards.back().body) + sent_size(text) <= room;
    if (!fits) cards.push_back({.summary = summary});
    cards.back().sources = std::move(text);
  }
  if (cards.empty()) cards.push_back({.summary = summary});
  cards.back().last = true;
  std::vector<std::string> out;
  for (Card const& card : cards) out.push_back(write(view, card));
  return out;
}

}  // namespace kb::feishu
