/// Card entities (cardkit): made, changed in strict sequence, streamed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/feishu_sim/content.hpp"
#include "tests/feishu_sim/world.hpp"

namespace kb::feishu_sim {

class Cards {
 public:
  explicit Cards(World& world) : world_(world) {}

  /// Gives `card_id` when the card is taken.
  [[nodiscard]] std::optional<Refusal> create(Json const& body, std::string& card_id);
  [[nodiscard]] std::optional<Refusal> replace(std::string const& card_id, Json const& body);
  [[nodiscard]] std::optional<Refusal> set(std::string const& card_id, Json const& body);
  [[nodiscard]] std::optional<Refusal> stream(std::string const& card_id, std::string const& element_id,
                                              Json const& body);
  [[nodiscard]] bool known(std::string const& card_id) const { return cards_.contains(card_id); }
  [[nodiscard]] Json list() const;
  void clear() { cards_.clear(); }

 private:
  struct Card {
    Json json;
    std::int64_t sequence = 0;
    std::set<std::string> uuids;
    bool streaming = false;
    Millis streaming_since{}, created{};
    Json contents = Json::array(), settings = Json::array();
  };
  [[nodiscard]] std::optional<Refusal> check_entity(Json const& data, Json& card) const;
  /// Whether a change may be made now: the card, its uuid, its sequence, its rate.
  [[nodiscard]] std::optional<Refusal> check_change(std::string const& card_id, Json const& body);
  void changed(Card& card, Json const& body);
  void set_streaming(Card& card, Json const& mode);

  World& world_;
  std::map<std::string, Card> cards_;
};

}  // namespace kb::feishu_sim
