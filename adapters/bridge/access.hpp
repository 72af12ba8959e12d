/// Who may open a bridge connection: Origin and bearer token. Pure but for new_token().
#pragma once

#include <string>
#include <string_view>

#include "config/result.hpp"

namespace kb::bridge {

/// True for "localhost", 127.0.0.0/8 and [::1], with or without a port. Without a token, a daemon on loopback must also
/// refuse any other Host: a page of a name that was rebound to 127.0.0.1 has Origin and Host alike.
[[nodiscard]] bool loopback_host(std::string_view host) noexcept;

/// `host` is the Host header. True when `origin` is absent, or names the same host and port, or both are loopback.
/// Cross-site pages and the opaque origin "null" are refused.
[[nodiscard]] bool origin_allowed(std::string_view origin, std::string_view host) noexcept;

/// The token of "Bearer TOKEN"; empty when the header is of another form.
[[nodiscard]] std::string_view bearer_of(std::string_view authorization_header) noexcept;

/// "Bearer TOKEN", compared in constant time by hash. An empty `token` matches nothing.
[[nodiscard]] bool token_matches(std::string_view authorization_header, std::string_view token) noexcept;

/// SHA-256 in lower-case hex, as the settings keep a token.
[[nodiscard]] std::string token_hash(std::string_view token);
/// Compares two hashes in a time that does not tell where they part.
[[nodiscard]] bool same_hash(std::string_view a, std::string_view b) noexcept;
/// A fresh token: kbg_ and 256 random bits in hex. unavailable: the system has no randomness.
[[nodiscard]] Result<std::string> new_token();

/// The principal behind a token: "token:" and the first 8 hex digits of its SHA-256.
[[nodiscard]] std::string token_account(std::string_view token);

}  // namespace kb::bridge
