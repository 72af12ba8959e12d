#include "tests/feishu_sim/world.hpp"

#include <algorithm>
#include <utility>

#include "logging/service_log.hpp"
#include "tests/feishu_sim/frames.hpp"

namespace kb::feishu_sim {
namespace {

constexpr Millis kTokenKept = std::chrono::minutes(30);  // with this much left a client gets the same token again
constexpr std::size_t kMostRecords = 20000;              // in one list; then the oldest go

std::string text_of(Millis time) { return std::to_string(time.count()); }

}  // namespace

std::optional<Millis> Rates::wait_for(std::string const& key, std::size_t limit, Millis window, Millis now) {
  auto& calls = calls_[key];
  while (!calls.empty() && now - calls.front() >= window) calls.pop_front();
  if (calls.size() >= limit) return calls.empty() ? window : window - (now - calls.front());
  calls.push_back(now);
  return std::nullopt;
}

World::World(aio::Executor ex, SimulatorOptions o)
    : options(std::move(o)),
      clock(ex),
      changed(ex),
      random_(options.seed != 0 ? options.seed : std::random_device()()) {
  reset();
}

void World::reset() {
  chats.clear();
  users.clear();
  tokens.clear();
  token_issues = 0;
  messages.clear();
  message_order.clear();
  by_uuid_.clear();
  callback_tokens.clear();
  rates.clear();
  for (Json* const list : {&requests, &acks, &pings, &inbound, &violations, &reactions, &clicks}) list->clear();
  std::string const direct = "oc_5e1f0000000000000000000000000001";
  chat(direct).chat_mode = "p2p";
  chat("oc_96000000000000000000000000000001").name = "产品知识库";
  Chat& topics = chat("oc_70b1c000000000000000000000000001");
  topics.name = "话题群";
  topics.chat_mode = "topic";
  topics.group_message_type = "thread";
  users["ou_a11ce000000000000000000000000001"] = {
      "ou_a11ce000000000000000000000000001", "on_a11ce000000000000000000000000001", "a11ce001", "李雷", direct, true};
  users["ou_b0b00000000000000000000000000002"] = {
      "ou_b0b00000000000000000000000000002", "on_b0b00000000000000000000000000002", "b0b00002", "韩梅梅", direct, true};
}

std::string World::hex(std::size_t bytes) {
  std::string raw;
  for (std::size_t i = 0; i < bytes; ++i) raw.push_back(static_cast<char>(random_() & 0xFF));
  return to_hex(raw);
}

std::uint64_t World::number() { return random_() & 0xFFFFFFFFFFFF; }

std::string World::log_id() { return text_of(clock.now()) + hex(9); }

Chat& World::chat(std::string const& id) {
  auto const [at, fresh] = chats.try_emplace(id);
  if (fresh) at->second.chat_id = id;
  return at->second;
}

User* World::user_by(std::string const& id_type, std::string const& id) {
  auto const field = id_type == "union_id" ? &User::union_id : id_type == "user_id" ? &User::user_id : &User::open_id;
  auto const at = std::find_if(users.begin(), users.end(), [&](auto const& u) { return u.second.*field == id; });
  return at == users.end() ? nullptr : &at->second;
}

Message& World::keep(Message message) {
  if (!message.uuid.empty()) by_uuid_[message.uuid] = {message.message_id, clock.now()};
  std::string const id = message.message_id;
  auto const [at, fresh] = messages.insert_or_assign(id, std::move(message));
  if (fresh) message_order.push_back(id);
  changed.notify();
  return at->second;
}

Message* World::message(std::string const& id) {
  auto const at = messages.find(id);
  return at == messages.end() ? nullptr : &at->second;
}

Message* World::repeated(std::string const& uuid) {
  auto const at = by_uuid_.find(uuid);
  if (uuid.empty() || at == by_uuid_.end() || clock.now() - at->second.at >= options.uuid_life) return nullptr;
  return message(at->second.message_id);
}

Token const& World::issue_token() {
  ++token_issues;
  Millis const now = clock.now();
  Token const* longest = nullptr;
  for (Token const& token : tokens) {
    if (!token.revoked && token.ends - now >= kTokenKept && (longest == nullptr || token.ends > longest->ends)) {
      longest = &token;
    }
  }
  if (longest != nullptr) return *longest;
  tokens.push_back({"t-g1" + hex(20), now, now + options.token_life, false});
  return tokens.back();
}

bool World::token_valid(std::string const& text) const {
  return std::any_of(tokens.begin(), tokens.end(), [&](Token const& token) {
    return token.text == text && !token.revoked && token.ends > clock.now();
  });
}

void World::record(Json& list, Json entry) {
  if (list.size() >= kMostRecords) list.erase(list.begin());
  list.push_back(std::move(entry));
  changed.notify();
}

void World::violate(std::string const& kind, Json detail) {
  if (options.verbose) {
    log::write(log::Level::warn, "feishu_sim.violation", {{"kind", kind}, {"detail", dump(detail)}});
  }
  record(violations, {{"at", clock.now().count()}, {"kind", kind}, {"detail", std::move(detail)}});
}

Json message_json(Message const& message) {
  Json json{{"message_id", message.message_id},
            {"msg_type", message.msg_type},
            {"create_time", text_of(message.created)},
            {"update_time", text_of(message.updated)},
            {"deleted", message.deleted},
            {"updated", message.edited},
            {"chat_id", message.chat_id},
            {"sender", message.sender},
            {"body", {{"content", message.content}}}};
  if (!message.root_id.empty()) json["root_id"] = message.root_id;
  if (!message.parent_id.empty()) json["parent_id"] = message.parent_id;
  if (!message.thread_id.empty()) json["thread_id"] = message.thread_id;
  if (!message.mentions.empty()) json["mentions"] = message.mentions;
  return json;
}

Json message_record(Message const& message) {
  Json json = message_json(message);
  json["direction"] = message.outgoing ? "out" : "in";
  json["uuid"] = message.uuid.empty() ? Json() : Json(message.uuid);
  json["reply_in_thread"] = message.in_thread;
  json["patches"] = message.patches;
  json["at"] = message.created.count();
  json["content"] = Json::parse(message.content, nullptr, false);
  if (json["content"].is_discarded()) json["content"] = message.content;
  return json;
}

Json chat_json(Chat const& chat) {
  return {{"chat_id", chat.chat_id},     {"name", chat.name},     {"chat_mode", chat.chat_mode},
          {"chat_type", chat.chat_type}, {"status", chat.status}, {"group_message_type", chat.group_message_type},
          {"bot_in", chat.bot_in},       {"muted", chat.muted}};
}

}  // namespace kb::feishu_sim
