#include "daemon/messages.hpp"

#include <utility>

namespace kb::daemon {

scope::ScopeRequest request_of(scope::InboundMessage const& message, std::string question) {
  scope::ScopeRequest request;
  request.sender = message.principal.user;
  request.chat_type = message.chat_type;
  request.chat = message.chat;
  request.external = message.external;
  request.question = std::move(question);
  return request;
}

adapters::Reply reply_of(logging::StoredReply const& stored, scope::InboundMessage message) {
  adapters::Reply reply;
  reply.to = std::move(message);
  reply.key = stored.key;
  reply.query_id = stored.query_id;
  reply.outcome = stored.outcome;
  reply.text = stored.text;
  reply.sources_json = stored.sources_json;
  reply.details_json = stored.details_json;
  return reply;
}

}  // namespace kb::daemon
