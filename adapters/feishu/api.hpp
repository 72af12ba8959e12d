/// The platform's REST calls, with the tenant token kept fresh and the rate limits kept.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "adapters/aio/http_client.hpp"
#include "adapters/aio/task.hpp"
#include "adapters/feishu/connection.hpp"
#include "adapters/feishu/errors.hpp"
#include "adapters/feishu/pace.hpp"
#include "adapters/feishu/render.hpp"
#include "config/clock.hpp"

namespace kb::feishu {

/// How a call ended. Only `remedy == none` (or done) is a success, whatever the HTTP status. A remedy `new_token` that
/// comes out means that a fresh token was refused too.
struct Outcome {
  Remedy remedy = Remedy::none;
  int http_status = 0;
  long long code = 0;
  std::string what;                         ///< the platform's words or ours; no secret in it
  std::chrono::milliseconds retry_after{};  ///< as the server asked; zero: it did not
  std::string id;                           ///< message_id or reaction_id of a success
  std::string log_id;                       ///< the platform's name of the call, for its support
  bool unknown = false;                     ///< it failed on the way: it may have worked all the same
  [[nodiscard]] bool ok() const noexcept { return remedy == Remedy::none || remedy == Remedy::done; }
};

struct BotInfo {
  std::string open_id, name;
  int activate_status = 0;  ///< 2: enabled
};

struct ApiOptions {
  PaceLimits pace;
  std::chrono::milliseconds limit{15'000};  ///< of a call
  /// How to let time pass; false: cancelled. Empty: aio::sleep_for. A test lets its own clock jump.
  std::function<aio::Task<bool>(std::chrono::milliseconds)> pause;
};

/// Loop thread only. Each call waits for its turn (50 a second and 1000 a minute per app; 5 a second per chat), fetches
/// a token when needed (one fetch at a time), and repeats itself once with a new token when the old one was revoked.
class Api {
 public:
  Api(aio::Executor ex, aio::HttpClient& http, App app, Clock const& clock, ApiOptions options = {});
  ~Api();

  [[nodiscard]] aio::Task<Result<BotInfo>> bot_info();
  /// `chat`: whose bucket pays; any stable name of the conversation.
  [[nodiscard]] aio::Task<Outcome> reply(std::string message_id, Part part, std::string uuid, std::string chat);
  /// `id_type`: chat_id | open_id.
  [[nodiscard]] aio::Task<Outcome> send(std::string id_type, std::string receive_id, Part part, std::string uuid,
                                        std::string chat);
  /// Best effort, never waits for its turn behind messages: refused at once (wait) when the buckets are low.
  [[nodiscard]] aio::Task<Outcome> add_reaction(std::string message_id, std::string emoji);
  [[nodiscard]] aio::Task<Outcome> remove_reaction(std::string message_id, std::string reaction_id);

  /// Any call, for `doctor`: the response body as it came.
  [[nodiscard]] aio::Task<Result<std::string>> get(std::string path);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kb::feishu
