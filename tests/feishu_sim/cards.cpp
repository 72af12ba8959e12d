#include "tests/feishu_sim/cards.hpp"

#include <chrono>
#include <limits>

namespace kb::feishu_sim {
namespace {

constexpr Millis kCardLife = std::chrono::hours(24 * 14);
constexpr std::size_t kPerSecond = 10;
constexpr std::size_t kMostContent = 100'000;

}  // namespace

std::optional<Refusal> Cards::check_entity(Json const& data, Json& card) const {
  std::string const text = data.is_string() ? data.get<std::string>() : std::string();
  if (text.empty()) return Refusal{300307, "The card DSL is empty"};
  if (text.size() > world_.options.card_bytes) return Refusal{200860, "Card content exceeds limit."};
  card = Json::parse(text, nullptr, false);
  if (text_or(card, "schema") != "2.0") return Refusal{200220, "Failed to generate card content"};
  if (at_path(card, "config.update_multi") == false) return Refusal{300302, "update_multi property is false"};
  std::optional<Refusal> no = check_card(card, {world_.options.card_tables, world_.options.card_elements});
  if (no && no->inner == kDoubleId) return Refusal{kDoubleId, "Duplicate element_id in card component"};
  return no;
}

std::optional<Refusal> Cards::create(Json const& body, std::string& card_id) {
  if (text_or(body, "type") != "card_json") return bad_field("type", "options: [card_json,template]");
  Card card;
  if (auto no = check_entity(at_path(body, "data"), card.json)) return no;
  card.created = world_.clock.now();
  set_streaming(card, at_path(card.json, "config.streaming_mode"));
  card_id = std::to_string(7500000000000000000 + world_.number());
  cards_[card_id] = std::move(card);
  world_.changed.notify();
  return std::nullopt;
}

std::optional<Refusal> Cards::check_change(std::string const& card_id, Json const& body) {
  auto const at = cards_.find(card_id);
  if (at == cards_.end()) return Refusal{200740, "The card entity does not exist"};
  Card const& card = at->second;
  Millis const now = world_.clock.now();
  if (now - card.created > kCardLife) return Refusal{200750, "The card entity has expired"};
  if (card.uuids.contains(text_or(body, "uuid"))) return Refusal{200770, "UUID conflict"};
  std::int64_t const sequence = number_or(body, "sequence", 0);
  if (sequence < 1 || sequence > std::numeric_limits<std::int32_t>::max()) {
    return bad_field("sequence", "sequence must be a positive int32");
  }
  if (sequence <= card.sequence) {
    return Refusal{300317, "The sequence number for operating on the card did not increment consecutively"};
  }
  if (world_.options.rate_limits && world_.rates.wait_for("card:" + card_id, kPerSecond, Millis(1000), now)) {
    return Refusal{230020, "This operation triggers the frequency limit."};
  }
  return std::nullopt;
}

void Cards::changed(Card& card, Json const& body) {
  card.sequence = number_or(body, "sequence", card.sequence);
  std::string const uuid = text_or(body, "uuid");
  if (!uuid.empty()) card.uuids.insert(uuid);
  world_.changed.notify();
}

void Cards::set_streaming(Card& card, Json const& mode) {
  if (!mode.is_boolean()) return;
  card.streaming = mode.get<bool>();
  card.streaming_since = world_.clock.now();
}

std::optional<Refusal> Cards::replace(std::string const& card_id, Json const& body) {
  if (auto no = check_change(card_id, body)) return no;
  Json json;
  if (auto no = check_entity(at_path(body, "card.data"), json)) return no;
  Card& card = cards_.at(card_id);
  card.json = std::move(json);
  set_streaming(card, at_path(card.json, "config.streaming_mode"));
  changed(card, body);
  return std::nullopt;
}

std::optional<Refusal> Cards::set(std::string const& card_id, Json const& body) {
  if (auto no = check_change(card_id, body)) return no;
  Json const settings = Json::parse(text_or(body, "settings"), nullptr, false);
  if (!settings.is_object()) return Refusal{300122, "Failed to update card configuration"};
  if (at_path(settings, "config.update_multi") == false) return Refusal{300302, "update_multi property is false"};
  Card& card = cards_.at(card_id);
  card.settings.push_back(settings);
  set_streaming(card, at_path(settings, "config.streaming_mode"));
  changed(card, body);
  return std::nullopt;
}

std::optional<Refusal> Cards::stream(std::string const& card_id, std::string const& element_id, Json const& body) {
  std::string const content = text_or(body, "content");
  if (content.empty() || content.size() > kMostContent)
    return bad_field("content", "content length must be 1 to 100000");
  if (auto no = check_change(card_id, body)) return no;
  Card& card = cards_.at(card_id);
  if (card.streaming && world_.clock.now() - card.streaming_since > world_.options.stream_life) {
    card.streaming = false;  // ended by the platform: said once, and 300309 from then on
    return Refusal{200850, "Card streaming timeout"};
  }
  if (!card.streaming) return Refusal{300309, "streaming mode is closed"};
  Json* target = nullptr;
  each_object(card.json["body"]["elements"], [&](Json& node) {
    if (text_or(node, "element_id") == element_id) target = &node;
    return target == nullptr;
  });
  if (target == nullptr) return Refusal{300313, "ErrMsg: not find elementID : " + element_id + "; "};
  std::string const tag = text_or(*target, "tag");
  if (tag != "markdown" && tag != "plain_text") return Refusal{300310, "Only update text"};
  Json const before = at_path(*target, "content");
  (*target)["content"] = content;
  if (dump(card.json).size() > world_.options.card_bytes) {
    (*target)["content"] = before;
    return Refusal{200860, "Card content exceeds limit."};
  }
  card.contents.push_back({{"at", world_.clock.now().count()},
                           {"element_id", element_id},
                           {"sequence", number_or(body, "sequence", 0)},
                           {"content", content}});
  changed(card, body);
  return std::nullopt;
}

Json Cards::list() const {
  Json list = Json::array();
  for (auto const& [id, card] : cards_) {
    list.push_back({{"card_id", id},
                    {"card", card.json},
                    {"sequence", card.sequence},
                    {"streaming", card.streaming},
                    {"contents", card.contents},
                    {"settings", card.settings}});
  }
  return list;
}

}  // namespace kb::feishu_sim
