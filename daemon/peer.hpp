/// Who stands behind an HTTP call: the holder of an agent's token, or the gateway (without its token: this machine),
/// which says itself for whom it asks.
#pragma once

#include <optional>
#include <string>

#include "adapters/aio/http.hpp"
#include "config/control_files.hpp"
#include "daemon/tools.hpp"

namespace kb::daemon {

struct Peer {
  std::optional<aio::HttpResponse> refusal;  ///< gets this and nothing else
  std::optional<Caller> bound;               ///< by an agent's token; nothing: the call names its caller
};
/// `gateway_token`: of listen.token_file, may be empty. Agents' tokens count where `for_agents`; once the settings hold
/// one, nobody calls there without.
[[nodiscard]] Peer peer_of(aio::HttpRequest const& request, std::string const& gateway_token,
                           config::Books const& books, bool for_agents);

/// What a call says of who asks; nothing: not said.
struct Claim {
  std::optional<std::string> sender, chat_type, chat;
  std::string agent, channel;  ///< for knowledge bases asked by name; empty: not said
};
/// Who is `bound` is the caller, and a claim of anything else is Errc::denied. invalid_input: no chat type.
[[nodiscard]] Result<Caller> caller_of(Claim const& claim, std::optional<Caller> const& bound);
/// The caller that an entry of `tokens` stands for.
[[nodiscard]] Caller caller_of(config::TokenSettings const& token, config::Books const& books);

}  // namespace kb::daemon
