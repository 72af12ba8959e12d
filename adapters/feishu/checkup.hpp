/// What `kbgate doctor` looks at in an app: can it work, and what to click in the console where it cannot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/aio/http_client.hpp"
#include "adapters/aio/task.hpp"
#include "adapters/feishu/connection.hpp"
#include "config/clock.hpp"

namespace kb::feishu {

struct Finding {
  enum class State { ok, note, fault };
  std::string what;  ///< secret | bot | permission … | long connection | clock | events
  State state = State::ok;
  std::string detail;
  std::string fix;  ///< empty when ok
};

/// Asks the platform, in the order in which one thing needs another; stops where nothing further can be asked. Sends
/// nothing to any chat.
[[nodiscard]] aio::Task<std::vector<Finding>> check_up(aio::Executor ex, aio::HttpClient& http, App app,
                                                       Clock const& clock);

/// What the app is allowed, from the body of application/v6/scopes. Pure.
[[nodiscard]] std::vector<Finding> check_permissions(std::string_view body, std::string_view console);

}  // namespace kb::feishu
