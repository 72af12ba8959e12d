/// What the platform remembers: directory, messages, tokens, and a record of all that clients did. No network here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "adapters/aio/signal.hpp"
#include "tests/feishu_sim/json.hpp"
#include "tests/feishu_sim/simulator.hpp"
#include "tests/feishu_sim/timeline.hpp"

namespace kb::feishu_sim {

struct Chat {
  std::string chat_id, name, chat_mode = "group", chat_type = "private", group_message_type = "chat";
  std::string status = "normal";  ///< dissolved
  bool bot_in = true, muted = false;
};

struct User {
  std::string open_id, union_id, user_id, name;
  std::string p2p_chat;  ///< their direct chat with the bot
  bool bot_available = true;
};

struct Message {
  std::string message_id, root_id, parent_id, thread_id, msg_type, chat_id;
  std::string content;  ///< JSON as text, as it came
  Json sender, mentions;
  Millis created{}, updated{};
  bool deleted = false, edited = false;
  bool outgoing = false;  ///< the bot's
  bool in_thread = false;
  std::string uuid;
  Json patches = Json::array();
};

struct Token {
  std::string text;
  Millis issued{}, ends{};
  bool revoked = false;
};

/// Calls in the last seconds, by what they count against.
class Rates {
 public:
  /// Takes one call. Otherwise how long until one is free again.
  [[nodiscard]] std::optional<Millis> wait_for(std::string const& key, std::size_t limit, Millis window, Millis now);
  void clear() { calls_.clear(); }

 private:
  std::map<std::string, std::deque<Millis>> calls_;
};

class World {
 public:
  World(aio::Executor ex, SimulatorOptions o);

  /// Back to the chats and users there are at first.
  void reset();

  [[nodiscard]] std::string hex(std::size_t bytes);
  [[nodiscard]] std::uint64_t number();  ///< of 48 bits
  [[nodiscard]] std::string log_id();    ///< of a request, as x-tt-logid has it

  Chat& chat(std::string const& id);  ///< made when it is not known
  [[nodiscard]] User* user_by(std::string const& id_type, std::string const& id);
  Message& keep(Message message);
  [[nodiscard]] Message* message(std::string const& id);
  [[nodiscard]] Message* repeated(std::string const& uuid);

  /// The token a client gets now, and its remaining life.
  [[nodiscard]] Token const& issue_token();
  [[nodiscard]] bool token_valid(std::string const& text) const;

  void record(Json& list, Json entry);
  void violate(std::string const& kind, Json detail);

  SimulatorOptions options;
  Timeline clock;
  aio::Signal changed;  ///< announced after every change a reader could wait for

  std::map<std::string, Chat> chats;
  std::map<std::string, User> users;
  std::vector<Token> tokens;
  std::size_t token_issues = 0;
  std::map<std::string, Message> messages;
  std::vector<std::string> message_order;
  Json requests = Json::array(), acks = Json::array(), pings = Json::array(), inbound = Json::array(),
       violations = Json::array(), reactions = Json::array(), clicks = Json::array();
  std::map<std::string, std::pair<std::string, int>> callback_tokens;  ///< message and uses
  Rates rates;

 private:
  struct Sent {
    std::string message_id;
    Millis at;
  };
  std::map<std::string, Sent> by_uuid_;
  std::mt19937_64 random_;
};

/// As REST answers show it.
[[nodiscard]] Json message_json(Message const& message);
/// The same with what only the simulator knows, and the content parsed.
[[nodiscard]] Json message_record(Message const& message);
[[nodiscard]] Json chat_json(Chat const& chat);

}  // namespace kb::feishu_sim
