/// What the platform accepts as the content of a message. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/feishu_sim/json.hpp"

namespace kb::feishu_sim {

/// An error envelope: HTTP status, code and text, as close to the real ones as is publicly known.
struct Refusal {
  std::int64_t code;
  std::string msg;
  Json error = Json();  ///< what goes beside them, or null
  unsigned status = 400;
  int inner = 0;  ///< ErrCode of a refused card
};

[[nodiscard]] Refusal bad_parameter(std::string const& what);
[[nodiscard]] Refusal bad_field(std::string const& field, std::string const& why);
/// 230099 with its inner ErrCode.
[[nodiscard]] Refusal bad_card(int inner, std::string const& what, std::string const& value);

/// ErrCode of a card with the same element_id twice; for card entities the code itself.
constexpr int kDoubleId = 300301;

struct CardLimits {
  std::size_t tables = 5, elements = 200;
};

/// Of a post: locales, paragraphs, links.
[[nodiscard]] std::optional<Refusal> check_post(Json const& post);
/// Of a card given as JSON, schema 1.0 or 2.0.
[[nodiscard]] std::optional<Refusal> check_card(Json const& card, CardLimits limits);
/// Tables of Markdown, outside code blocks.
[[nodiscard]] std::size_t count_tables(std::string_view markdown);
/// Whether a PATCH shows to everybody.
[[nodiscard]] bool shared_card(Json const& card);

}  // namespace kb::feishu_sim
