#include "adapters/feishu/event.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "adapters/feishu/content.hpp"

namespace kb::feishu {
namespace {

using Json = nlohmann::json;

/// What takes part in a chat besides its messages, and the word it is counted under.
struct Quiet {
  std::string_view type, why;
};
constexpr std::array kQuiet{
    Quiet{"im.message.message_read_v1", "read_receipt"},
    Quiet{"im.message.reaction.created_v1", "reaction"},
    Quiet{"im.message.reaction.deleted_v1", "reaction"},
    Quiet{"im.chat.access_event.bot_p2p_chat_entered_v1", "chat_entered"},
};

struct ChatType {
  std::string_view type;
  ChatEvent::Kind kind;
};
constexpr std::array kChatTypes{
    ChatType{"im.chat.member.bot.added_v1", ChatEvent::Kind::bot_added},
    ChatType{"im.chat.member.bot.deleted_v1", ChatEvent::Kind::bot_removed},
    ChatType{"im.chat.disbanded_v1", ChatEvent::Kind::disbanded},
    ChatType{"im.chat.updated_v1", ChatEvent::Kind::renamed},
};

constexpr std::array<std::string_view, 5> kMenuCommands{"help", "whoami", "scope", "status", "sources"};
constexpr std::array<std::string_view, 3> kMenuPrefixes{"/", "kbgate_", "kb_"};
constexpr std::array<std::string_view, 4> kVoteKinds{"wrong", "outdated", "missing", "wrong_source"};

/// Takes members out of the event by their dotted path and keeps the first complaint. null counts as absent.
class Members {
 public:
  explicit Members(Json const& root) : root_(root) {}

  [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

  [[nodiscard]] Json const* find(std::string_view path) const {
    Json const* at = &root_;
    while (!path.empty()) {
      if (!at->is_object()) return nullptr;
      auto const dot = path.find('.');
      auto const found = at->find(path.substr(0, dot));
      if (found == at->end() || found->is_null()) return nullptr;
      at = &*found;
      path = dot == path.npos ? std::string_view() : path.substr(dot + 1);
    }
    return at;
  }

  /// A string that has to be there and must not be empty.
  std::string text(std::string_view path) {
    Json const* const found = find(path);
    if (found == nullptr) return complain(path, " is missing");
    if (!found->is_string()) return complain(path, " must be a string");
    auto value = found->get<std::string>();
    if (value.empty()) return complain(path, " must not be empty");
    return value;
  }

  std::string optional(std::string_view path) {
    Json const* const found = find(path);
    if (found == nullptr) return {};
    if (!found->is_string()) return complain(path, " must be a string");
    return found->get<std::string>();
  }

  std::string complain(std::string_view path, std::string_view what) {
    if (fault_.empty()) fault_.append(path).append(what);
    return {};
  }

 private:
  Json const& root_;
  std::string fault_;
};

/// Digits of seconds, milliseconds or microseconds since 1970: their number tells which.
std::optional<TimePoint> time_of(std::string_view digits) {
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool const whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || value < 0) return std::nullopt;
  // Not more of each than the clock's nanoseconds hold.
  using namespace std::chrono;
  if (digits.size() <= 10 && value <= 9'000'000'000) return TimePoint(seconds(value));
  if (digits.size() > 10 && digits.size() <= 13 && value <= 9'000'000'000'000) return TimePoint(milliseconds(value));
  if (digits.size() > 13 && value <= 9'000'000'000'000'000) return TimePoint(microseconds(value));
  return std::nullopt;
}

/// The first of these members that holds a time.
TimePoint read_time(Members& members, std::initializer_list<std::string_view> paths) {
  for (std::string_view const path : paths) {
    Json const* const found = members.find(path);
    if (found == nullptr) continue;
    std::optional<TimePoint> time;
    if (found->is_string()) time = time_of(found->get_ref<std::string const&>());
    if (found->is_number_unsigned()) time = time_of(std::to_string(found->get<std::uint64_t>()));
    if (time) return *time;
    members.complain(path, " holds no time");
    return {};
  }
  members.complain(*paths.begin(), " is missing");
  return {};
}

std::vector<Mention> read_mentions(Members const& members) {
  std::vector<Mention> out;
  Json const* const mentions = members.find("event.message.mentions");
  if (mentions == nullptr || !mentions->is_array()) return out;
  for (Json const& entry : *mentions) {
    Members mention(entry);
    Mention one{
        .key = mention.optional("key"), .open_id = mention.optional("id.open_id"), .name = mention.optional("name")};
    if (mention.fault().empty()) out.push_back(std::move(one));
  }
  return out;
}

Error invalid(std::string what) { return Error(Errc::invalid_input, std::move(what)); }

/// Where a message came from and who wrote it; its text is read later.
Incoming read_envelope(Members& members, Identity const& us) {
  Incoming out;
  out.event_id = members.text("header.event_id");
  out.chat_id = members.text("event.message.chat_id");
  out.client_create_ms = members.optional("event.message.create_time");
  scope::InboundMessage& message = out.message;
  message.principal = {
      .adapter = "feishu", .account = us.app_id, .user = UserId(members.text("event.sender.sender_id.open_id"))};
  // Any type of group that is not known yet is a group: no personal page is ever shown where others may read.
  bool const direct = members.text("event.message.chat_type") == "p2p";
  message.chat_type = direct ? scope::ChatType::direct : scope::ChatType::group;
  if (!direct) message.chat = ChatId(out.chat_id);  // S1-14
  message.thread = members.optional("event.message.thread_id");
  message.message_id = members.text("event.message.message_id");
  // A sender without a tenant is nobody of ours.
  message.external = members.optional("event.sender.tenant_key") != members.optional("header.tenant_key");
  message.sent_at = read_time(members, {"event.message.create_time", "header.create_time"});
  return out;
}

Result<Event> read_message(Members& members, Identity const& us, std::string const& type) {
  // Both, as the type of bots has had two spellings.
  std::string const sender = members.optional("event.sender.sender_id.open_id");
  if (!us.open_id.empty() && sender == us.open_id) return Event(Ignored{"own_echo", type});
  if (members.text("event.sender.sender_type") != "user") {
    if (!members.fault().empty()) return invalid(members.fault());
    return Event(Ignored{"from_bot", type});
  }
  Incoming incoming = read_envelope(members, us);
  std::string const message_type = members.text("event.message.message_type");
  if (!members.fault().empty()) return invalid(members.fault());
  scope::InboundMessage& message = incoming.message;
  bool const direct = message.chat_type == scope::ChatType::direct;

  Content content{.text = {}, .attachment = true};
  std::vector<Mention> const mentions = read_mentions(members);
  if (holds_text(message_type)) {
    std::string const raw = members.text("event.message.content");
    if (!members.fault().empty()) return invalid(members.fault());
    Result<Content> read = read_content(message_type, raw, mentions, us.open_id);
    if (!read) return read.error();
    content = std::move(*read);
  }
  // Never by name; and the ids of @all are empty.
  message.mentioned =
      !us.open_id.empty() && std::any_of(mentions.begin(), mentions.end(),
                                         [&us](Mention const& mention) { return mention.open_id == us.open_id; });
  message.text = std::move(content.text);
  if (!message.text.empty()) return Event(std::move(incoming));
  if (!direct && !message.mentioned)
    return Event(Ignored{holds_text(message_type) ? "not_mentioned" : "not_text", type});
  bool const unread = content.attachment || message_type == "interactive";
  incoming.kind = unread ? Incoming::Kind::text_only : Incoming::Kind::empty;
  return Event(std::move(incoming));
}

Result<Event> read_menu(Members& members, Identity const& us, std::string const& type) {
  std::string key = members.text("event.event_key");
  Incoming out{.kind = Incoming::Kind::menu,
               .message = {},
               .event_id = members.text("header.event_id"),
               .chat_id = {},
               .client_create_ms = {}};
  out.message.principal = {
      .adapter = "feishu", .account = us.app_id, .user = UserId(members.text("event.operator.operator_id.open_id"))};
  out.message.message_id = out.event_id;  // a click has no message of its own
  out.message.sent_at = read_time(members, {"event.timestamp", "header.create_time"});
  if (!members.fault().empty()) return invalid(members.fault());
  std::transform(key.begin(), key.end(), key.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  std::string_view command = key;
  for (std::string_view const prefix : kMenuPrefixes) {
    if (command.starts_with(prefix)) command.remove_prefix(prefix.size());
  }
  if (std::find(kMenuCommands.begin(), kMenuCommands.end(), command) == kMenuCommands.end()) {
    return Event(Ignored{"unknown_menu_key", type});
  }
  out.message.text.append("/").append(command);
  return Event(std::move(out));
}

std::string text_in(Json const& object, char const* key) {
  if (!object.is_object()) return {};
  auto const at = object.find(key);
  if (at == object.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  return at->is_array() && !at->empty() && at->front().is_string() ? at->front().get<std::string>() : std::string();
}

/// What is wrong with the answer: chosen in a form, or from a list on the card.
std::string kind_of(Json const& action) {
  if (!action.is_object()) return {};
  auto const form = action.find("form_value");
  std::string kind = form == action.end() ? std::string() : text_in(*form, "kind");
  return kind.empty() ? text_in(action, "option") : kind;
}

Result<Event> read_click(Members& members) {
  CardClick out;
  out.operator_id = members.text("event.operator.open_id");
  out.message_id = members.optional("event.context.open_message_id");
  out.chat_id = members.optional("event.context.open_chat_id");
  if (!members.fault().empty()) return invalid(members.fault());
  Json const* const given = members.find("event.action.value");
  if (given == nullptr) return Event(std::move(out));
  Json const value = given->is_string() ? Json::parse(given->get_ref<std::string const&>(), nullptr, false) : *given;
  std::string vote = text_in(value, "vote");
  std::string query_id = text_in(value, "query_id");
  if (text_in(value, "kind") != "feedback" || query_id.empty() || (vote != "up" && vote != "down")) {
    return Event(std::move(out));  // somebody else's button
  }
  out.query_id = std::move(query_id);
  out.vote = std::move(vote);
  std::string kind = kind_of(*members.find("event.action"));
  if (std::find(kVoteKinds.begin(), kVoteKinds.end(), kind) != kVoteKinds.end()) out.kind = std::move(kind);
  return Event(std::move(out));
}

Result<Event> read_chat_event(Members& members, ChatEvent::Kind kind, std::string const& type) {
  bool const renamed = kind == ChatEvent::Kind::renamed;
  ChatEvent out{.kind = kind,
                .event_id = members.text("header.event_id"),
                .chat_id = members.text("event.chat_id"),
                .name = members.optional(renamed ? "event.after_change.name" : "event.name"),
                .by = UserId(members.optional("event.operator_id.open_id"))};
  if (!members.fault().empty()) return invalid(members.fault());
  if (renamed && out.name.empty()) return Event(Ignored{"chat_updated", type});  // an avatar, an owner, …
  return Event(std::move(out));
}

}  // namespace

Result<Event> parse_event(std::string_view json, Identity const& us) {
  Json const root = Json::parse(json, nullptr, false);
  if (!root.is_object()) return invalid("the event is no JSON object");
  Members members(root);
  std::string const type = members.text("header.event_type");
  std::string const app = members.text("header.app_id");
  if (!members.fault().empty()) return invalid(members.fault());
  if (app != us.app_id) return Event(Ignored{"other_app", type});

  if (type == "im.message.receive_v1") return read_message(members, us, type);
  if (type == "card.action.trigger") return read_click(members);
  if (type == "application.bot.menu_v6") return read_menu(members, us, type);
  if (type == "im.message.recalled_v1") {
    Recalled out{.message_id = members.text("event.message_id"), .chat_id = members.optional("event.chat_id")};
    if (!members.fault().empty()) return invalid(members.fault());
    return Event(std::move(out));
  }
  for (ChatType const& known : kChatTypes) {
    if (known.type == type) return read_chat_event(members, known.kind, type);
  }
  for (Quiet const& known : kQuiet) {
    if (known.type == type) return Event(Ignored{std::string(known.why), type});
  }
  return Event(Ignored{"unknown_type", type});
}

}  // namespace kb::feishu
