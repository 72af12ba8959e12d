/// Bodies and answers of the platform's REST calls. Pure; shapes: the platform's message and auth documentation.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/feishu/api.hpp"

namespace kb::feishu {

[[nodiscard]] std::string token_request(App const& app);
/// `receive_id` empty: for a reply.
[[nodiscard]] std::string message_request(Part const& part, std::string_view uuid, std::string_view receive_id = {});
[[nodiscard]] std::string reaction_request(std::string_view emoji);

/// What an answer means: success is a 2xx status and code 0. An error of the client is an answer nobody heard.
[[nodiscard]] Outcome outcome_of(Result<aio::HttpResponse> const& response);

struct TokenGrant {
  std::string token;
  std::chrono::seconds life{};
};
/// Of a success. Nothing: the token is missing.
[[nodiscard]] std::optional<TokenGrant> token_of(std::string_view body);
[[nodiscard]] std::optional<BotInfo> bot_of(std::string_view body);

/// An id as a segment of a path.
[[nodiscard]] std::string segment(std::string_view id);

}  // namespace kb::feishu
