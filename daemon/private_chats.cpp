#include "daemon/private_chats.hpp"

#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMaxKnown = 10'000;
constexpr std::string_view kShared = "/shared";

}  // namespace

aio::Task<scope::InboundMessage> PrivateChats::place(scope::InboundMessage message) {
  if (message.chat_type != scope::ChatType::direct) co_return message;
  bool const believed = co_await is_private(message);
  if (!believed) {
    message.chat_type = scope::ChatType::group;
    message.chat = ChatId(message.room);
    message.mentioned = true;  // whoever writes there writes to us
  }
  co_return message;
}

aio::Task<bool> PrivateChats::is_private(scope::InboundMessage const& message) {
  if (message.room.empty()) co_return true;
  scope::Principal const& from = message.principal;
  std::string const room = "room/" + from.adapter + "/" + from.account + "/" + message.room;
  std::string const sender = from.user.str();
  auto known = known_.find(room);
  if (known == known_.end()) {
    std::string key = room;
    std::string value = sender;
    Result<std::string> const owner = co_await store_.claim(std::move(key), std::move(value));
    key = room + std::string(kShared);
    Result<std::string> const shared = co_await store_.holder(std::move(key));
    if (!owner || !shared) co_return false;
    if (known_.size() >= kMaxKnown) known_.erase(known_.begin());
    known = known_.insert_or_assign(room, Room{*owner, !shared->empty()}).first;
  }
  if (known->second.shared) co_return false;
  if (known->second.owner == sender) co_return true;
  known->second.shared = true;
  log::write(log::Level::warn, "chat.not_private", {{"adapter", from.adapter}, {"chat_id", message.room}});
  std::string key = room + std::string(kShared);
  std::string value = sender;
  Result<std::string> const noted = co_await store_.claim(std::move(key), std::move(value));
  if (!noted) log::write(log::Level::error, "chat.not_noted", {{"reason", noted.error().what}});
  co_return false;
}

}  // namespace kb::daemon
