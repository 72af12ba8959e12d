// The control API's events: samples from files, made-up questions, clicks on buttons.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "tests/feishu_sim/control.hpp"
#include "tests/feishu_sim/query.hpp"

namespace kb::feishu_sim {
namespace {

constexpr std::string_view kMessage = "im.message.receive_v1";
constexpr std::string_view kClick = "card.action.trigger";

bool plain_name(std::string const& name) {
  auto const good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return name.ends_with(".json") && std::all_of(name.begin(), name.end(), good);
}

Json envelope(World& world, std::string_view type, Json event) {
  return {{"schema", "2.0"},
          {"header",
           {{"event_id", world.hex(16)},
            {"token", "v3r1f1cat10nT0kenOfTheSimulator0"},
            {"create_time", std::to_string(world.clock.now().count())},
            {"event_type", type},
            {"tenant_key", world.options.tenant_key},
            {"app_id", world.options.app_id}}},
          {"event", std::move(event)}};
}

Json ids_of(User const& user) {
  return {{"union_id", user.union_id}, {"user_id", user.user_id}, {"open_id", user.open_id}};
}

/// The values that a card's buttons send back, in the order of the card.
std::vector<Json> button_values(Json card) {
  std::vector<Json> values;
  each_object(card, [&](Json& node) {
    if (text_or(node, "tag") != "button") return true;
    Json value = at_path(node, "value");  // schema 1.0
    Json const behaviors = at_path(node, "behaviors");
    for (Json const& behavior : behaviors) {
      if (text_or(behavior, "type") == "callback") value = at_path(behavior, "value");
    }
    if (!value.is_null()) values.push_back(std::move(value));
    return true;
  });
  return values;
}

/// What users see when the answer to a click is not one: 0 when it is.
int fault_of_answer(Json const& data) {
  constexpr int kBadFormat = 200672;
  if (data.is_null()) return 0;
  if (!data.is_object()) return kBadFormat;
  if (Json const toast = at_path(data, "toast"); !toast.is_null()) {
    std::string const type = text_or(toast, "type", "info");
    bool const known = type == "success" || type == "info" || type == "warning" || type == "error";
    if (!toast.is_object() || !known) return kBadFormat;
  }
  return 0;
}

}  // namespace

Json Control::files() const {
  std::vector<std::string> names;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(world_.options.events_dir, none)) {
    std::string const name = entry.path().filename().string();
    if (plain_name(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return {{"files", names}};
}

Result<Json> Control::load_event(Json const& how) {
  Json event = at_path(how, "event");
  std::string const file = text_or(how, "file");
  if (!file.empty()) {
    if (!plain_name(file)) return Error(Errc::invalid_input, "event: file must be a plain name");
    std::ifstream in(world_.options.events_dir / file, std::ios::binary);
    if (!in) return Error(Errc::invalid_input, "event: cannot read " + (world_.options.events_dir / file).string());
    event = Json::parse(std::string(std::istreambuf_iterator<char>(in), {}), nullptr, false);
  }
  if (!event.is_object()) return Error(Errc::invalid_input, "event: `event` (an object) or `file` is needed");
  if (flag_or(how, "fresh", false)) {
    std::string const now = std::to_string(world_.clock.now().count());
    set_path(event, "header.event_id", world_.hex(16));
    set_path(event, "header.create_time", now);
    if (at_path(event, "event.message").is_object()) {
      set_path(event, "event.message.message_id", "om_" + world_.hex(16));
      set_path(event, "event.message.create_time", now);
      if (!at_path(event, "event.message.update_time").is_null()) set_path(event, "event.message.update_time", now);
    }
  }
  Json const changes = part(how, "set");
  for (auto const& [path, value] : changes.items()) set_path(event, path, value);
  return event;
}

void Control::remember(Json const& event) {
  std::string const type = text_or(part(event, "header"), "event_type");
  Json const body = part(event, "event");
  std::string const chat_id = text_or(body, "chat_id");
  if (type == kMessage) {
    Json const m = part(body, "message");
    std::string const kind = text_or(m, "chat_type");
    bool const new_chat = !world_.chats.contains(text_or(m, "chat_id"));
    Chat& chat = world_.chat(text_or(m, "chat_id"));
    if (new_chat) chat.chat_mode = kind == "p2p" ? "p2p" : kind == "topic_group" ? "topic" : "group";
    Json const sender_id = part(part(body, "sender"), "sender_id");
    std::string const sender = text_or(sender_id, "open_id");
    if (!sender.empty() && text_or(part(body, "sender"), "sender_type") == "user") {
      User& user = world_.users[sender];
      user.open_id = sender;
      if (user.union_id.empty()) user.union_id = text_or(sender_id, "union_id");
      if (kind == "p2p") user.p2p_chat = chat.chat_id;
    }
    if (world_.message(text_or(m, "message_id")) != nullptr) return;
    Message made;
    made.message_id = text_or(m, "message_id");
    made.root_id = text_or(m, "root_id");
    made.parent_id = text_or(m, "parent_id");
    made.thread_id = text_or(m, "thread_id");
    made.msg_type = text_or(m, "message_type");
    made.chat_id = chat.chat_id;
    made.content = text_or(m, "content");
    made.created = made.updated = world_.clock.now();
    made.sender = {{"id", sender}, {"id_type", "open_id"}, {"sender_type", at_path(body, "sender.sender_type")}};
    made.mentions = at_path(m, "mentions");
    world_.keep(std::move(made));
  } else if (type == kClick) {
    world_.callback_tokens[text_or(body, "token")] = {text_or(part(body, "context"), "open_message_id"), 0};
  } else if (type == "im.message.recalled_v1") {
    if (Message* const message = world_.message(text_or(body, "message_id"))) message->deleted = true;
  } else if (type == "im.chat.member.bot.deleted_v1") {
    world_.chat(chat_id).bot_in = false;
  } else if (type == "im.chat.member.bot.added_v1") {
    world_.chat(chat_id).bot_in = true;
    world_.chat(chat_id).name = text_or(body, "name");
  } else if (type == "im.chat.disbanded_v1") {
    world_.chat(chat_id).status = "dissolved";
  }
}

Json Control::deliver(Json const& event, Json const& how) {
  if (flag_or(how, "remember", true)) remember(event);
  std::string const body = dump(event);
  std::string const id = deliveries_.add(body, how);
  return {{"delivery", id},
          {"event_id", at_path(event, "header.event_id")},
          {"message_id", at_path(event, "event.message.message_id")},
          {"bytes", body.size()},
          {"status", deliveries_.status(id)}};
}

Result<Json> Control::event(Json const& how) {
  Result<Json> const event = load_event(how);
  if (!event) return event.error();
  return deliver(*event, how);
}

Result<Json> Control::payload(Json const& how) {
  return Json{{"delivery", deliveries_.add(text_or(how, "text"), how)}};
}

// A question as somebody types it: in their direct chat, or with the bot mentioned in a group.
Result<Json> Control::say(Json const& how) {
  std::string const open_id = text_or(how, "open_id", "ou_a11ce000000000000000000000000001");
  User const* const known = world_.user_by("open_id", open_id);
  User user;
  user.open_id = open_id;
  if (known != nullptr) user = *known;
  if (user.p2p_chat.empty()) user.p2p_chat = "oc_" + open_id.substr(std::min<std::size_t>(3, open_id.size()));
  std::string const chat_id = text_or(how, "chat_id", user.p2p_chat);
  auto const chat = world_.chats.find(chat_id);
  std::string kind = chat_id == user.p2p_chat ? "p2p" : "group";
  if (chat != world_.chats.end() && chat->second.chat_mode == "p2p") kind = "p2p";
  kind = text_or(how, "chat_type", kind);
  bool const mention = flag_or(how, "mention", kind != "p2p");
  std::string const text = (mention ? "@_user_1 " : "") + text_or(how, "text");
  std::string const now = std::to_string(world_.clock.now().count());
  Json message{{"message_id", text_or(how, "message_id", "om_" + world_.hex(16))},
               {"create_time", now},
               {"update_time", now},
               {"chat_id", chat_id},
               {"chat_type", kind},
               {"message_type", "text"},
               {"content", dump({{"text", text}})}};
  for (char const* const key : {"root_id", "parent_id", "thread_id"}) {
    if (how.contains(key)) message[key] = how[key];
  }
  if (mention) {
    Json bot{{"key", "@_user_1"},
             {"id",
              {{"union_id", "on_b0700000000000000000000000000b07"},
               {"user_id", ""},
               {"open_id", world_.options.bot_open_id}}},
             {"mentioned_type", "bot"},
             {"name", world_.options.bot_name},
             {"tenant_key", world_.options.tenant_key}};
    message["mentions"] = Json::array({std::move(bot)});
  }
  Json sender{{"sender_id", ids_of(user)}, {"sender_type", "user"}, {"tenant_key", world_.options.tenant_key}};
  return deliver(envelope(world_, kMessage, {{"sender", std::move(sender)}, {"message", std::move(message)}}), how);
}

// Presses a button of a card the bot sent: the newest, or `message_id`'s; by its value's `vote` or its `index`.
Result<Json> Control::click(Json const& how) {
  std::string const wanted = text_or(how, "message_id");
  auto const fitting = [&](std::string const& id) {
    Message const& m = world_.messages.at(id);
    return m.outgoing && m.msg_type == "interactive" && (wanted.empty() || wanted == id);
  };
  auto const at = std::find_if(world_.message_order.rbegin(), world_.message_order.rend(), fitting);
  if (at == world_.message_order.rend()) return Error(Errc::invalid_input, "click: the bot sent no such card");
  Message const& message = world_.messages.at(*at);
  std::vector<Json> const values = button_values(Json::parse(message.content, nullptr, false));
  std::string const vote = text_or(how, "vote");
  auto index = static_cast<std::size_t>(number_or(how, "index", 0));
  if (!vote.empty()) {
    auto const voted = [&](Json const& value) { return text_or(value, "vote") == vote; };
    index = static_cast<std::size_t>(std::find_if(values.begin(), values.end(), voted) - values.begin());
  }
  if (index >= values.size()) return Error(Errc::invalid_input, "click: the card has no such button");
  User const* const known = world_.user_by("open_id", text_or(how, "open_id", "ou_a11ce000000000000000000000000001"));
  User user;
  user.open_id = text_or(how, "open_id");
  if (known != nullptr) user = *known;
  Json op = ids_of(user);
  op["tenant_key"] = world_.options.tenant_key;
  std::string const token = "c-" + world_.hex(20);
  Json event{{"operator", std::move(op)},
             {"token", token},
             {"action", {{"value", values[index]}, {"tag", "button"}}},
             {"host", "im_message"},
             {"context", {{"open_message_id", message.message_id}, {"open_chat_id", message.chat_id}}}};
  // Somebody is looking at the card: there is no later attempt.
  Json options = how;
  if (!options.contains("redeliver_ms")) options["redeliver_ms"] = Json::array();
  // Recorded first: the answer to a click may not be missed.
  world_.record(world_.clicks, {{"delivery", nullptr},
                                {"message_id", message.message_id},
                                {"open_id", user.open_id},
                                {"value", values[index]},
                                {"token", token},
                                {"answered", false},
                                {"answer", nullptr},
                                {"card_applied", false},
                                {"shown_error", 0}});
  Json sent = deliver(envelope(world_, kClick, std::move(event)), options);
  world_.clicks.back()["delivery"] = sent["delivery"];
  sent["value"] = values[index];
  return sent;
}

// With what people see who clicked in vain.
Json Control::clicks() const {
  constexpr int kNoAnswer = 200340, kNotTaken = 200671;
  Json list = world_.clicks;
  Json const acks = world_.acks;
  for (Json& click : list) {
    std::string const delivery = text_or(click, "delivery");
    if (click["answered"] == true || deliveries_.status(delivery) != "given up") continue;
    bool const refused = std::any_of(acks.begin(), acks.end(), [&](Json const& ack) {
      return text_or(ack, "delivery") == delivery && !flag_or(ack, "late", false);
    });
    click["shown_error"] = refused ? kNotTaken : kNoAnswer;
  }
  return list;
}

void Control::on_answer(std::string const& delivery, Json const& data) {
  constexpr int kBadCard = 200673;
  auto const at = std::find_if(world_.clicks.begin(), world_.clicks.end(),
                               [&](Json const& click) { return click["delivery"] == delivery; });
  if (at == world_.clicks.end()) return;
  Json& click = *at;
  click["answered"] = true;
  click["answer"] = data;
  click["shown_error"] = fault_of_answer(data);
  if (Json const card = at_path(data, "card"); card.is_object()) {
    auto const no = text_or(card, "type") == "raw"
                        ? api_.apply_card(text_or(click, "message_id"), at_path(card, "data"), "callback")
                        : std::nullopt;
    click["card_applied"] = !no;
    if (no) {
      click["shown_error"] = kBadCard;
      click["why"] = no->msg;
    }
  }
  world_.changed.notify();
}

}  // namespace kb::feishu_sim
