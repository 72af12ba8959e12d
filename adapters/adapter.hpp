/// The seam between a platform and the daemon: messages in, replies out.
#pragma once

#include <functional>
#include <string>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"
#include "scope/message.hpp"

namespace kb::adapters {

/// What an adapter sends: never more than the validator passed.
struct Reply {
  scope::InboundMessage to;  ///< the message it answers
  std::string key;           ///< idempotency key, the same after any crash
  std::string query_id;
  std::string outcome;
  std::string text;
  std::string sources_json;  ///< the answer's sources array
};

}  // namespace kb::adapters
