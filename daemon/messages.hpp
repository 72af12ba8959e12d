/// One message in the forms that the rooms want it in.
#pragma once

#include <string>

#include "adapters/adapter.hpp"
#include "logging/journal.hpp"
#include "scope/message.hpp"
#include "scope/resolve.hpp"

namespace kb::daemon {

/// What the scope resolver wants to know of it; `question` is its text without mention or command.
[[nodiscard]] scope::ScopeRequest request_of(scope::InboundMessage const& message, std::string question);
/// A stored reply on its way to who wrote `message`.
[[nodiscard]] adapters::Reply reply_of(logging::StoredReply const& stored, scope::InboundMessage message);

}  // namespace kb::daemon
