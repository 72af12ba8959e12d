/// Plain HTTP on the bridge's port: health, version and the page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/aio/http.hpp"

namespace kb::daemon {

struct Check {
  std::string name;
  bool ok = true;
  bool fatal = false;  ///< not ok and fatal: not ready; not ok alone: degraded
  std::string detail;
};

/// What the daemon knows of itself when asked.
using Checks = std::function<std::vector<Check>()>;

/// `checks` may name repositories and files: details are shown to those who hold `token`, or to everyone when there is
/// none (loopback).
[[nodiscard]] aio::HttpResponse handle_http(aio::HttpRequest const& request, Checks const& checks,
                                            std::string const& token);

/// application/problem+json (RFC 9457).
[[nodiscard]] aio::HttpResponse problem(unsigned status, std::string const& title, std::string const& detail);

}  // namespace kb::daemon
