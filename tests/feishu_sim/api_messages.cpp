// Messages, replies, reactions, chats and users.
#include <algorithm>
#include <array>
#include <utility>

#include "tests/feishu_sim/answers.hpp"
#include "tests/feishu_sim/api.hpp"

namespace kb::feishu_sim {
namespace {

constexpr std::array<std::string_view, 11> kMessageTypes{
    "text", "post", "image", "file", "audio", "media", "sticker", "interactive", "share_chat", "share_user", "system"};
constexpr std::array<std::string_view, 5> kIdTypes{"open_id", "user_id", "union_id", "email", "chat_id"};
constexpr std::size_t kUuidBytes = 50;
constexpr std::size_t kMostEdits = 20;
constexpr std::size_t kPatchesASecond = 5;

template <std::size_t N>
bool one_of(std::array<std::string_view, N> const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Refusal too_fast() { return {230020, "This operation triggers the frequency limit."}; }
Refusal not_in_chat() { return {230002, "The bot can not be outside the group."}; }

std::optional<Refusal> check_uuid(Json const& body) {
  Json const uuid = at_path(body, "uuid");
  if (uuid.is_null()) return std::nullopt;
  if (!uuid.is_string() || uuid.get<std::string>().size() > kUuidBytes) return bad_field("uuid", "the max len is 50");
  return std::nullopt;
}

bool good_emoji(std::string const& type) {
  auto const good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !type.empty() && type.size() <= 40 && type != "NOT_AN_EMOJI" && std::all_of(type.begin(), type.end(), good);
}

Json reaction_json(Json const& reaction) {
  return {{"reaction_id", reaction["reaction_id"]},
          {"operator", reaction["operator"]},
          {"action_time", reaction["action_time"]},
          {"reaction_type", reaction["reaction_type"]}};
}

}  // namespace

std::optional<Refusal> Api::check_content(std::string const& msg_type, Json const& content) const {
  SimulatorOptions const& o = world_.options;
  if (!one_of(kMessageTypes, msg_type)) return bad_parameter("invalid msg_type");
  if (!content.is_string()) return bad_field("content", "content must be a string holding JSON");
  std::string const text = content.get<std::string>();
  bool const card = msg_type == "interactive";
  if (text.size() > (card || msg_type == "post" ? o.card_bytes : o.text_bytes)) {
    return Refusal{230025, "The length of the message content reaches its limit."};
  }
  Json const parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) {
    if (card) return bad_card(200621, "parse card json err", "content");
    return bad_parameter("content is not a string in json format");
  }
  if (msg_type == "text" && !at_path(parsed, "text").is_string()) return bad_parameter("text is required");
  if (msg_type == "post") return check_post(parsed);
  if (!card || text_or(parsed, "type") == "template") return std::nullopt;
  if (text_or(parsed, "type") == "card") {
    if (cards_.known(text_or(part(parsed, "data"), "card_id"))) return std::nullopt;
    return bad_card(11310, "cardid is invalid", "card_id");
  }
  return check_card(parsed, {o.card_tables, o.card_elements});
}

std::optional<Refusal> Api::check_chat(std::string const& chat_id) const {
  auto const at = world_.chats.find(chat_id);
  if (at == world_.chats.end()) return not_in_chat();
  if (at->second.status == "dissolved") {
    return Refusal{232009, "Your request specifies a chat which has already been dissolved."};
  }
  if (!at->second.bot_in) return not_in_chat();
  if (at->second.muted) return Refusal{230035, "Send Message Permission deny."};
  return std::nullopt;
}

std::optional<Refusal> Api::check_chat_rate(std::string const& chat_id) {
  SimulatorOptions const& o = world_.options;
  if (!o.rate_limits) return std::nullopt;
  if (world_.rates.wait_for("chat:" + chat_id, o.per_chat_second, Millis(1000), world_.clock.now())) return too_fast();
  return std::nullopt;
}

std::optional<Refusal> Api::check_message(std::string const& id, bool for_reply) const {
  if (id.starts_with("omt_")) {
    return Refusal{99992354,
                   "The request you send is not a valid {open_message_id} or not exists. Invalid ids: [" + id + "]"};
  }
  if (!id.starts_with("om_")) return bad_parameter("invalid message_id");
  auto const at = world_.messages.find(id);
  if (at == world_.messages.end()) {
    if (for_reply) return Refusal{231003, "The message is not found, maybe not exist or deleted."};
    return bad_parameter("invalid message_id");
  }
  if (at->second.deleted) return Refusal{230011, "The message was withdrawn."};
  return std::nullopt;
}

Answer Api::store(Call const& call, Chat const& chat, Message* parent) {
  Message made;
  made.message_id = "om_" + world_.hex(16);
  made.msg_type = text_or(call.body, "msg_type");
  made.content = text_or(call.body, "content");
  made.uuid = text_or(call.body, "uuid");
  made.chat_id = chat.chat_id;
  made.created = made.updated = world_.clock.now();
  made.outgoing = true;
  made.in_thread = flag_or(call.body, "reply_in_thread", false);
  made.sender = {{"id", world_.options.app_id},
                 {"id_type", "app_id"},
                 {"sender_type", "app"},
                 {"tenant_key", world_.options.tenant_key}};
  if (parent != nullptr) {
    made.root_id = parent->root_id.empty() ? parent->message_id : parent->root_id;
    made.parent_id = parent->message_id;
    if (parent->thread_id.empty() && made.in_thread) parent->thread_id = "omt_" + world_.hex(6);
    made.thread_id = parent->thread_id;
  } else if (chat.chat_mode == "topic") {
    made.thread_id = "omt_" + world_.hex(6);
  }
  return done(message_json(world_.keep(std::move(made))));
}

Answer Api::send(Call const& call) {
  std::string const id_type = call.asked("receive_id_type");
  std::string const to = text_or(call.body, "receive_id");
  if (!one_of(kIdTypes, id_type)) {
    return refused(world_, bad_field("receive_id_type", "options: [open_id,user_id,union_id,email,chat_id]"));
  }
  if (to.empty()) return refused(world_, bad_field("receive_id", "receive_id is required"));
  if (auto no = check_uuid(call.body)) return refused(world_, *no);
  if (auto no = check_content(text_or(call.body, "msg_type"), at_path(call.body, "content"))) {
    return refused(world_, *no);
  }
  if (Message const* const again = world_.repeated(text_or(call.body, "uuid"))) return done(message_json(*again));
  std::string chat_id = to;
  if (id_type != "chat_id") {
    User const* const user = id_type == "email" ? nullptr : world_.user_by(id_type, to);
    if (user == nullptr) return refused(world_, bad_parameter("invalid receive_id"));
    if (!user->bot_available) return refused(world_, {230013, "Bot has NO availability to this user."});
    chat_id = user->p2p_chat;
  } else if (!to.starts_with("oc_")) {
    return refused(world_, bad_parameter("invalid receive_id"));
  }
  if (auto no = check_chat(chat_id)) return refused(world_, *no);
  if (auto no = check_chat_rate(chat_id)) return refused(world_, *no);
  return store(call, world_.chats.at(chat_id), nullptr);
}

Answer Api::reply(Call const& call) {
  if (auto no = check_uuid(call.body)) return refused(world_, *no);
  Json const in_thread = at_path(call.body, "reply_in_thread");
  if (!in_thread.is_null() && !in_thread.is_boolean()) {
    return refused(world_, bad_field("reply_in_thread", "must be a boolean"));
  }
  if (auto no = check_content(text_or(call.body, "msg_type"), at_path(call.body, "content"))) {
    return refused(world_, *no);
  }
  if (Message const* const again = world_.repeated(text_or(call.body, "uuid"))) return done(message_json(*again));
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, true)) return refused(world_, *no);
  Message& parent = *world_.message(id);
  if (auto no = check_chat(parent.chat_id)) return refused(world_, *no);
  if (auto no = check_chat_rate(parent.chat_id)) return refused(world_, *no);
  return store(call, world_.chats.at(parent.chat_id), &parent);
}

std::optional<Refusal> Api::apply_card(std::string const& message_id, Json const& card, std::string const& by) {
  if (dump(card).size() > world_.options.card_bytes) {
    return Refusal{230025, "The length of the message content reaches its limit."};
  }
  if (auto no = check_card(card, {world_.options.card_tables, world_.options.card_elements})) return no;
  Message* const message = world_.message(message_id);
  if (message == nullptr) return bad_parameter("invalid message_id");
  message->content = dump(card);
  message->edited = true;
  message->updated = world_.clock.now();
  message->patches.push_back({{"at", message->updated.count()}, {"content", message->content}, {"by", by}});
  world_.changed.notify();
  return std::nullopt;
}

Answer Api::patch_card(Call const& call) {
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, false)) return refused(world_, *no);
  Message& message = *world_.message(id);
  if (message.msg_type != "interactive") return refused(world_, bad_parameter("only support update card"));
  if (!message.outgoing) return refused(world_, {230017, "Bot is NOT the owner of the resource."});
  if (auto no = check_content("interactive", at_path(call.body, "content"))) return refused(world_, *no);
  std::string const content = text_or(call.body, "content");
  if (!shared_card(Json::parse(message.content, nullptr, false)) ||
      !shared_card(Json::parse(content, nullptr, false))) {
    return refused(world_, bad_parameter("card is not shared (update_multi)"));
  }
  Millis const now = world_.clock.now();
  if (world_.options.rate_limits && world_.rates.wait_for("patch:" + id, kPatchesASecond, Millis(1000), now)) {
    return refused(world_, too_fast());
  }
  message.patches.push_back({{"at", now.count()}, {"content", content}, {"by", "patch"}});
  message.content = content;
  message.edited = true;
  message.updated = now;
  world_.changed.notify();
  return done();
}

Answer Api::edit(Call const& call) {
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, false)) return refused(world_, *no);
  Message& message = *world_.message(id);
  if (message.msg_type != "text" && message.msg_type != "post") {
    return refused(world_, {230054, "This operation is not supported for this message type."});
  }
  if (message.patches.size() >= kMostEdits) {
    return refused(world_, {230072, "The message has reached the number of times it can be edited."});
  }
  std::string const type = text_or(call.body, "msg_type");
  if (auto no = check_content(type, at_path(call.body, "content"))) return refused(world_, *no);
  message.msg_type = type;
  message.content = text_or(call.body, "content");
  message.edited = true;
  message.updated = world_.clock.now();
  message.patches.push_back({{"at", message.updated.count()}, {"content", message.content}, {"by", "edit"}});
  world_.changed.notify();
  return done(message_json(message));
}

Answer Api::recall(Call const& call) {
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, false)) return refused(world_, *no);
  Message& message = *world_.message(id);
  if (!message.outgoing) return refused(world_, {230017, "Bot is NOT the owner of the resource."});
  message.deleted = true;
  message.updated = world_.clock.now();
  world_.changed.notify();
  return done();
}

Answer Api::get_message(Call const& call) {
  Message const* const message = world_.message(call.param("message_id"));
  if (message == nullptr) return refused(world_, bad_parameter("invalid message_id"));
  return done({{"items", Json::array({message_json(*message)})}});
}

Answer Api::add_reaction(Call const& call) {
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, true)) return refused(world_, *no);
  std::string const type = text_or(part(call.body, "reaction_type"), "emoji_type");
  if (!good_emoji(type)) return refused(world_, {231001, "reaction type is invalid."});
  Json reaction{{"reaction_id", "ZCaC" + world_.hex(9)},
                {"message_id", id},
                {"operator", {{"operator_id", world_.options.app_id}, {"operator_type", "app"}}},
                {"action_time", std::to_string(world_.clock.now().count())},
                {"reaction_type", {{"emoji_type", type}}},
                {"deleted", false}};
  world_.record(world_.reactions, reaction);
  return done(reaction_json(reaction));
}

Answer Api::list_reactions(Call const& call) {
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, true)) return refused(world_, *no);
  Json items = Json::array();
  for (Json const& reaction : world_.reactions) {
    if (reaction["message_id"] == id && reaction["deleted"] == false) items.push_back(reaction_json(reaction));
  }
  return done({{"items", std::move(items)}, {"has_more", false}, {"page_token", ""}});
}

Answer Api::delete_reaction(Call const& call) {
  std::string const id = call.param("message_id");
  if (auto no = check_message(id, true)) return refused(world_, *no);
  std::string const wanted = call.param("reaction_id");
  auto const at = std::find_if(world_.reactions.begin(), world_.reactions.end(),
                               [&](Json const& reaction) { return reaction["reaction_id"] == wanted; });
  if (at == world_.reactions.end() || (*at)["deleted"] == true) {
    return refused(world_, {231011, "The request has an invalid reaction_id."});
  }
  if ((*at)["message_id"] != id) return refused(world_, {231010, "The reaction does not belong to the message."});
  (*at)["deleted"] = true;
  (*at)["deleted_at"] = world_.clock.now().count();
  world_.changed.notify();
  return done(reaction_json(*at));
}

Answer Api::get_chat(Call const& call) {
  auto const at = world_.chats.find(call.param("chat_id"));
  if (at == world_.chats.end()) return refused(world_, {232006, "Your request specifies a chat_id which is invalid."});
  Chat const& chat = at->second;
  Json data{{"avatar", "https://example.invalid/chat.png"},
            {"name", chat.name},
            {"user_count", "3"},
            {"bot_count", "1"},
            {"chat_status", chat.status}};
  if (!chat.bot_in) return done(std::move(data));  // an outsider sees this much
  data.update({{"description", ""},
               {"i18n_names", {{"zh_cn", chat.name}}},
               {"owner_id_type", "open_id"},
               {"owner_id", "ou_a11ce000000000000000000000000001"},
               {"chat_mode", chat.chat_mode},
               {"chat_type", chat.chat_type},
               {"chat_tag", "inner"},
               {"group_message_type", chat.group_message_type},
               {"external", false},
               {"tenant_key", world_.options.tenant_key}});
  return done(std::move(data));
}

Answer Api::get_user(Call const& call) {
  std::string const id_type = call.asked("user_id_type");
  User const* const user = world_.user_by(id_type.empty() ? "open_id" : id_type, call.param("user_id"));
  if (user == nullptr) return refused(world_, {41050, "no user authority error"});
  return done({{"user",
                {{"open_id", user->open_id},
                 {"union_id", user->union_id},
                 {"user_id", user->user_id},
                 {"name", user->name},
                 {"status", {{"is_activated", true}, {"is_frozen", false}, {"is_resigned", false}}}}}});
}

}  // namespace kb::feishu_sim
