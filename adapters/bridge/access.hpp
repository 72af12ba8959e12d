/// Who may open a bridge connection: Origin and bearer token. Pure.
#pragma once

#include <string>
#include <string_view>

namespace kb::bridge {

/// True for "localhost", 127.0.0.0/8 and [::1], with or without a port. Without a token, a daemon on loopback must also
/// refuse any other Host: a page of a name that was rebound to 127.0.0.1 has Origin and Host alike.
[[nodiscard]] bool loopback_host(std::string_view host) noexcept;

/// `host` is the Host header. True when `origin` is absent, or names the same host and port, or both are loopback.
/// Cross-site pages and the opaque origin "null" are refused.
[[nodiscard]] bool origin_allowed(std::string_view origin, std::string_view host) noexcept;

/// "Bearer TOKEN", compared in constant time by hash. An empty `token` matches nothing.
[[nodiscard]] bool token_matches(std::string_view authorization_header, std::string_view token) noexcept;

/// The principal behind a token: "token:" and the first 8 hex digits of its SHA-256.
[[nodiscard]] std::string token_account(std::string_view token);

}  // namespace kb::bridge
