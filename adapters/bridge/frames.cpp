#include "adapters/bridge/frames.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace kb::bridge {
namespace {

using Json = nlohmann::json;
using Out = nlohmann::ordered_json;

constexpr std::size_t kMaxName = 256;  // bytes of an id of any kind

/// Takes fields out of a frame and keeps the first complaint. null counts as absent.
class Fields {
 public:
  explicit Fields(Json const& object) : object_(object) {}

  [[nodiscard]] std::string const& fault() const noexcept { return fault_; }
  void complain(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }

  Json const* find(char const* key) const {
    auto const at = object_.find(key);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  std::string text(char const* key) {
    Json const* const field = find(key);
    if (field == nullptr) return complain(std::string(key) + " is required"), std::string();
    if (!field->is_string()) return complain(std::string(key) + " must be a string"), std::string();
    return field->get<std::string>();
  }

  /// An identifier: 1 to 256 bytes without control characters.
  std::string name(char const* key) {
    std::string value = text(key);
    auto const control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    if (value.empty()) complain(std::string(key) + " must not be empty");
    if (value.size() > kMaxName) complain(std::string(key) + " is longer than 256 bytes");
    if (std::any_of(value.begin(), value.end(), control)) complain(std::string(key) + " holds control characters");
    return value;
  }

  std::string optional_name(char const* key) {
    Json const* const field = find(key);
    if (field == nullptr || (field->is_string() && field->get_ref<std::string const&>().empty())) return {};
    return name(key);
  }

  /// A name for display: never a fault, cut where it is long.
  std::string label(char const* key) {
    Json const* const field = find(key);
    if (field == nullptr || !field->is_string()) return {};
    std::string value = field->get<std::string>();
    std::size_t end = std::min(value.size(), kMaxName);
    while (end < value.size() && end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
    value.resize(end);
    return value;
  }

  std::optional<std::chrono::milliseconds> milliseconds(char const* key) {
    constexpr std::int64_t kDay = 86'400'000;
    Json const* const field = find(key);
    if (field == nullptr) return std::nullopt;
    std::int64_t const value = field->is_number_integer() ? field->get<std::int64_t>() : -1;
    if (value < 0 || value > kDay) return complain(std::string(key) + " must be 0 to 86400000"), std::nullopt;
    return std::chrono::milliseconds(value);
  }

  bool flag(char const* key) {
    Json const* const field = find(key);
    if (field == nullptr) return false;
    if (!field->is_boolean()) return complain(std::string(key) + " must be true or false"), false;
    return field->get<bool>();
  }

  template <std::size_t N>
  std::string one_of(char const* key, std::array<std::string_view, N> const& known) {
    std::string value = text(key);
    if (std::find(known.begin(), known.end(), value) != known.end()) return value;
    std::string what = std::string(key) + " must be one of";
    for (auto const word : known) what.append(" ").append(word);
    complain(std::move(what));
    return value;
  }

 private:
  Json const& object_;
  std::string fault_;
};

/// Reads `width` digits at the front of `text` and takes them off.
std::optional<int> digits(std::string_view& text, std::size_t width) {
  int value = 0;
  if (text.size() < width) return std::nullopt;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + width, value);
  if (ec != std::errc() || end != text.data() + width || value < 0) return std::nullopt;
  text.remove_prefix(width);
  return value;
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// As our clock holds it, which ends in 2262: beyond, it would come out as any time.
std::optional<TimePoint> held(std::chrono::sys_time<std::chrono::milliseconds> time) {
  using std::chrono::milliseconds;
  bool const fits = time >= std::chrono::ceil<milliseconds>(TimePoint::min()) &&
                    time <= std::chrono::floor<milliseconds>(TimePoint::max());
  return fits ? std::optional<TimePoint>(time) : std::nullopt;
}

/// RFC 3339: 2026-10-02T08:00:00[.fraction](Z|±hh:mm).
std::optional<TimePoint> parse_rfc3339(std::string_view text) {
  namespace chrono = std::chrono;
  auto const year = digits(text, 4);
  bool ok = year && skip(text, '-');
  auto const month = digits(text, 2);
  ok = ok && month && skip(text, '-');
  auto const day = digits(text, 2);
  ok = ok && day && (skip(text, 'T') || skip(text, 't') || skip(text, ' '));
  auto const hour = digits(text, 2);
  ok = ok && hour && skip(text, ':');
  auto const minute = digits(text, 2);
  ok = ok && minute && skip(text, ':');
  auto const second = digits(text, 2);
  if (!ok || !second) return std::nullopt;
  chrono::milliseconds fraction{0};
  if (skip(text, '.')) {
    int unit = 100;
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), unit /= 10)
      fraction += chrono::milliseconds((text[0] - '0') * unit);
  }
  chrono::minutes offset{0};
  if (!skip(text, 'Z') && !skip(text, 'z')) {
    bool const west = text.starts_with('-');
    if (!skip(text, '-') && !skip(text, '+')) return std::nullopt;
    auto const hours = digits(text, 2);
    if (!hours || !skip(text, ':')) return std::nullopt;
    auto const minutes = digits(text, 2);
    if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    offset = (chrono::hours(*hours) + chrono::minutes(*minutes)) * (west ? -1 : 1);
  }
  chrono::year_month_day const date(chrono::year(*year), chrono::month(static_cast<unsigned>(*month)),
                                    chrono::day(static_cast<unsigned>(*day)));
  if (!text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return held(chrono::sys_days(date) + chrono::hours(*hour) + chrono::minutes(*minute) + chrono::seconds(*second) +
              fraction - offset);
}

/// Absent: TimePoint{}.
TimePoint timestamp(Fields& fields) {
  Json const* const field = fields.find("timestamp");
  if (field == nullptr) return {};
  std::optional<TimePoint> time;
  if (field->is_number_integer()) {
    auto const ms = field->get<std::int64_t>();  // what is beyond it comes out below zero
    if (ms >= 0) time = held(std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms)));
  } else if (field->is_string()) {
    time = parse_rfc3339(field->get_ref<std::string const&>());
  }
  if (time) return *time;
  fields.complain("timestamp must be RFC 3339 or milliseconds since 1970");
  return {};
}

/// Who speaks, and where: the same fields in a message and in an agent's call.
void read_place(Fields& fields, scope::InboundMessage& message) {
  std::string const channel = fields.optional_name("channel");
  message.principal.adapter = channel.empty() ? "bridge" : "openclaw";
  std::string const account = fields.optional_name("account");
  if (!channel.empty()) message.principal.account = channel + "/" + account;
  message.principal.user = UserId(fields.name("SenderId"));
  auto const type = scope::parse_chat_type(fields.text("ChatType"));
  if (!type) fields.complain("ChatType must be direct, p2p or group");
  message.chat_type = type.value_or(scope::ChatType::direct);
  // S1-14: a private chat has no GroupSubject, whatever the peer says
  if (message.chat_type == scope::ChatType::group) message.chat = ChatId(fields.name("GroupSubject"));
  message.room = fields.optional_name("ChatId");
  message.chat_name = fields.label("ChatName");
  message.external = fields.flag("external");
}

Frame parse_message(Fields& fields) {
  MessageFrame frame;
  auto& message = frame.message;
  frame.id = fields.name("id");
  message.message_id = frame.id;
  read_place(fields, message);
  message.thread = fields.optional_name("ThreadId");
  message.text = fields.text("text");
  message.mentioned = fields.flag("mentioned");
  message.may_pass = fields.flag("mayPass");
  message.sent_at = timestamp(fields);
  frame.deadline = fields.milliseconds("deadlineMs");
  return frame;
}

Frame parse_hello(Fields& fields) {
  HelloFrame frame;
  frame.client = fields.name("client");
  frame.version = fields.optional_name("version");
  frame.boot = fields.optional_name("boot");
  return frame;
}

Frame parse_tool(Fields& fields) {
  ToolFrame frame;
  frame.id = fields.name("id");
  frame.tool = fields.name("tool");
  read_place(fields, frame.from);
  Json const* const arguments = fields.find("arguments");
  if (arguments != nullptr && !arguments->is_object()) fields.complain("arguments must be an object");
  frame.arguments = arguments == nullptr ? "{}" : arguments->dump(-1, ' ', false, Json::error_handler_t::replace);
  return frame;
}

Frame parse_feedback(Fields& fields) {
  static constexpr std::array<std::string_view, 2> kVotes{"up", "down"};
  static constexpr std::array<std::string_view, 4> kKinds{"wrong", "outdated", "missing", "wrong_source"};
  FeedbackFrame frame;
  frame.query_id = fields.name("query_id");
  frame.vote = fields.one_of("vote", kVotes);
  if (fields.find("kind") != nullptr) frame.kind = fields.one_of("kind", kKinds);
  frame.sender = UserId(fields.name("SenderId"));
  return frame;
}

BadFrame bad(std::string id, std::string message) {
  BadFrame frame;
  frame.id = std::move(id);
  frame.message = std::move(message);
  return frame;
}

/// The id of a frame that is wrong elsewhere, so that its sender knows which one.
std::string readable_id(Json const& object) {
  Fields fields(object);
  std::string id = fields.name("id");
  return fields.fault().empty() ? id : std::string();
}

std::string dump(Out const& out) { return out.dump(-1, ' ', false, Out::error_handler_t::replace); }

}  // namespace

Frame parse_frame(std::string_view json) {
  Json const object = Json::parse(json, nullptr, false);
  if (object.is_discarded()) return bad({}, "not JSON");
  if (!object.is_object()) return bad({}, "not a JSON object");
  Fields fields(object);
  std::string const type = fields.text("type");
  Frame frame = PingFrame();
  if (type == "message") {
    frame = parse_message(fields);
  } else if (type == "feedback") {
    frame = parse_feedback(fields);
  } else if (type == "hello") {
    frame = parse_hello(fields);
  } else if (type == "tool") {
    frame = parse_tool(fields);
  } else if (type != "ping") {
    fields.complain("unknown type: message, feedback, hello, tool and ping are known");
  }
  if (fields.fault().empty()) return frame;
  return bad(readable_id(object), fields.fault());
}

std::string ack_frame(std::string_view id, std::string_view ignored) {
  Out out{{"type", "ack"}, {"id", id}};
  if (!ignored.empty()) {
    out["ignored"] = true;
    out["reason"] = ignored;
  }
  return dump(out);
}

std::string pass_frame(std::string_view id) { return dump(Out{{"type", "pass"}, {"id", id}}); }

std::string welcome_frame(bool tools) {
  Out features{"ignored", "pass"};
  if (tools) features.push_back("tool");
  return dump(Out{{"type", "welcome"}, {"version", "1.0.0"}, {"features", std::move(features)}});
}

std::string tool_result_frame(std::string_view id, std::string_view result) {
  Out out{{"type", "tool_result"}, {"id", id}};
  out["result"] = Out::parse(result, nullptr, false);
  return dump(out);
}

std::string answer_frame(std::string_view id, adapters::Reply const& reply) {
  Out sources = Out::parse(reply.sources_json, nullptr, false);
  if (!sources.is_array()) sources = Out::array();
  Out out{{"type", "answer"}, {"id", id}, {"outcome", reply.outcome}, {"text", reply.text}};
  out["sources"] = std::move(sources);
  out["query_id"] = reply.query_id;
  return dump(out);
}

std::string error_frame(std::string_view id, std::string_view error, std::string_view message) {
  Out out{{"type", "error"}};
  if (!id.empty()) out["id"] = id;
  out["error"] = error;
  out["message"] = message;
  return dump(out);
}

std::string pong_frame() { return R"({"type":"pong"})"; }

}  // namespace kb::bridge
