#include "scope/message.hpp"

namespace kb::scope {

std::optional<ChatType> parse_chat_type(std::string_view text) noexcept {
  if (text == "direct" || text == "p2p") return ChatType::direct;  // S1-13
  if (text == "group") return ChatType::group;
  return std::nullopt;
}

std::string_view to_string(ChatType type) noexcept { return type == ChatType::group ? "group" : "direct"; }

}  // namespace kb::scope
