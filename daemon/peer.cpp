#include "daemon/peer.hpp"

#include "adapters/bridge/access.hpp"
#include "daemon/http_api.hpp"

namespace kb::daemon {
namespace {

aio::HttpResponse unauthorized() {
  aio::HttpResponse response = problem(401, "Unauthorized", "Authorization: Bearer TOKEN is missing or wrong");
  response.headers["www-authenticate"] = "Bearer";
  return response;
}

/// Looks at every entry, so that the time does not tell which one fits.
config::TokenSettings const* find_token(std::string_view token, config::Settings const& settings) {
  config::TokenSettings const* found = nullptr;
  std::string const hash = bridge::token_hash(token);
  for (config::TokenSettings const& one : settings.tokens) {
    if (bridge::same_hash(one.sha256, hash)) found = &one;
  }
  return token.empty() ? nullptr : found;
}

/// Whether what a call says of itself may stand beside what its token says.
bool fits(std::string const& said, std::string const& bound) { return said.empty() || bound.empty() || said == bound; }

}  // namespace

Peer peer_of(aio::HttpRequest const& request, std::string const& gateway_token, config::Books const& books,
             bool for_agents) {
  config::Settings const& settings = books.settings;
  std::string const authorization = request.header("authorization");
  Peer peer;
  bool const gateway = bridge::token_matches(authorization, gateway_token);
  config::TokenSettings const* const token =
      for_agents && !gateway ? find_token(bridge::bearer_of(authorization), settings) : nullptr;
  if (token != nullptr) peer.bound = caller_of(*token, books);
  bool const open = gateway_token.empty() && (!for_agents || settings.tokens.empty());
  if (!gateway && !peer.bound && !open) {
    peer.refusal = unauthorized();
    return peer;
  }
  bool const ours = gateway || peer.bound || bridge::loopback_host(request.header("host"));
  // A page's GET carries no Origin, but says where it comes from.
  bool const same_site = request.header("sec-fetch-site") != "cross-site";
  if (!ours || !same_site || !bridge::origin_allowed(request.header("origin"), request.header("host"))) {
    peer.refusal = problem(403, "Forbidden", "pages of another site may not call");
  }
  return peer;
}

Caller caller_of(config::TokenSettings const& token, config::Books const& books) {
  Caller caller;
  caller.sender = token.sender.empty() ? UserId("token:" + token.name) : token.sender;
  caller.chat = token.chat;
  caller.chat_type = token.chat.empty() ? scope::ChatType::direct : scope::ChatType::group;
  caller.agent = token.agent;
  caller.channel = token.channel;
  caller.credential = scope::credential_of(token, books);
  return caller;
}

Result<Caller> caller_of(Claim const& claim, std::optional<Caller> const& bound) {
  Caller caller;
  caller.sender = UserId(claim.sender.value_or(""));
  caller.chat = ChatId(claim.chat.value_or(""));
  bool const typed = claim.chat_type && !claim.chat_type->empty();
  std::optional<scope::ChatType> const type = typed                 ? scope::parse_chat_type(*claim.chat_type)
                                              : caller.chat.empty() ? std::optional(scope::ChatType::direct)
                                                                    : std::optional(scope::ChatType::group);
  if (!type) return Error(Errc::invalid_input, "ChatType is direct (or p2p) or group");
  caller.chat_type = *type;
  if (caller.chat_type == scope::ChatType::direct) caller.chat = ChatId();
  caller.agent = claim.agent;
  caller.channel = claim.channel;
  if (!bound) return caller;

  bool const same = (caller.sender.empty() || caller.sender == bound->sender) &&
                    (caller.chat.empty() || caller.chat == bound->chat) &&
                    (!typed || caller.chat_type == bound->chat_type) && fits(caller.agent, bound->agent) &&
                    fits(caller.channel, bound->channel);
  if (!same) return Error(Errc::denied, "who asks, and where, comes with the token: leave them out");
  Caller out = *bound;
  if (out.agent.empty()) out.agent = caller.agent;
  if (out.channel.empty()) out.channel = caller.channel;
  return out;
}

}  // namespace kb::daemon
