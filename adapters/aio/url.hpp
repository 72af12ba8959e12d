/// Absolute URLs of http, https, ws and wss.
#pragma once

#include <string>
#include <string_view>

#include "config/result.hpp"

namespace kb::aio {

struct Url {
  std::string scheme, host, port;
  std::string target;        ///< path and query as they were given; "/" when there was none
  bool default_port = true;  ///< the scheme's own
  [[nodiscard]] bool secure() const noexcept { return scheme == "https" || scheme == "wss"; }
  [[nodiscard]] std::string authority() const;  ///< as the Host header has it
};

/// scheme://host[:port][/path][?query]; an IPv6 address in brackets. invalid_input: another form, user information, or
/// a byte that is not visible ASCII. The error text holds no query.
[[nodiscard]] Result<Url> parse_url(std::string_view url);

/// For messages: without the query, which can hold secrets, and without user information.
[[nodiscard]] std::string without_query(std::string_view url);

}  // namespace kb::aio
