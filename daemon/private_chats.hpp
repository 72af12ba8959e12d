/// Whether a chat that its platform calls private is: topics can arrive as private chats, and what is said there is
/// seen by several people.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "adapters/adapter.hpp"
#include "scope/message.hpp"

namespace kb::daemon {

/// Loop thread only. The first sender of a room owns it; when a second one speaks it is private no more, for good.
class PrivateChats {
 public:
  explicit PrivateChats(adapters::Store& store) : store_(store) {}

  /// Where the message was really said: a private chat that several people have spoken in becomes a group, also when
  /// that cannot be known. A message without a room is believed.
  aio::Task<scope::InboundMessage> place(scope::InboundMessage message);

 private:
  aio::Task<bool> is_private(scope::InboundMessage const& message);

  struct Room {
    std::string owner;
    bool shared = false;
  };

  adapters::Store& store_;
  std::map<std::string, Room> known_;  ///< what the store has, of rooms heard of since the start
};

}  // namespace kb::daemon
