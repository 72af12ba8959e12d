#include "tests/feishu_sim/control.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "adapters/aio/watchdog.hpp"
#include "tests/feishu_sim/query.hpp"

namespace kb::feishu_sim {
namespace {

constexpr std::string_view kPrefix = "/_sim/";

aio::HttpResponse answer(unsigned status, Json const& json) {
  aio::HttpResponse response;
  response.status = status;
  response.body = dump(json);
  return response;
}

aio::HttpResponse answer(Result<Json> const& result) {
  if (result) return answer(200, *result);
  return answer(result.error().code == Errc::not_found ? 404 : 400, {{"error", result.error().what}});
}

template <class T>
void take(Json const& body, char const* key, T& into) {
  Json const value = at_path(body, key);
  if (value.is_number() || value.is_boolean()) into = value.get<T>();
}

void take(Json const& body, char const* key, Millis& into) { into = Millis(number_or(body, key, into.count())); }

}  // namespace

Control::Control(aio::Executor ex, World& world, Hub& hub, Deliveries& deliveries, Api& api)
    : ex_(std::move(ex)), world_(world), hub_(hub), deliveries_(deliveries), api_(api) {
  actions_ = {
      {"event", [this](Json const& how) { return event(how); }},
      {"payload", [this](Json const& how) { return payload(how); }},
      {"say", [this](Json const& how) { return say(how); }},
      {"click", [this](Json const& how) { return click(how); }},
      {"frame", [this](Json const& how) { return frame(how); }},
      {"pong", [this](Json const& how) { return Result<Json>(hub_.pong(how)); }},
      {"drop", [this](Json const& how) { return Result<Json>(hub_.drop(how)); }},
      {"goaway", [this](Json const& how) { return goaway(how); }},
      {"endpoint", [this](Json const& how) { return Result<Json>(api_.endpoint(how)); }},
      {"handshake", [this](Json const& how) { return Result<Json>(hub_.fail_handshakes(how)); }},
      {"fail", [this](Json const& how) { return Result<Json>(api_.fail(how)); }},
      {"latency", [this](Json const& how) { return Result<Json>(api_.delay(how)); }},
      {"token", [this](Json const& how) { return token(how); }},
      {"chat", [this](Json const& how) { return chat(how); }},
      {"user", [this](Json const& how) { return user(how); }},
      {"recall", [this](Json const& how) { return recall(how); }},
      {"config", [this](Json const& how) { return config(how); }},
      {"clock", [this](Json const& how) { return clock(how); }},
      {"reset", [this](Json const&) { return reset(); }},
  };
}

Result<Json> Control::act(std::string const& name, Json const& body) {
  auto const action = actions_.find(name);
  if (action == actions_.end()) return Error(Errc::not_found, "no such action: " + name);
  if (!body.is_object()) return Error(Errc::invalid_input, name + ": expected a JSON object");
  try {
    return action->second(body);
  } catch (std::exception const& e) {  // a member of another type than the action needs
    return Error(Errc::invalid_input, name + ": " + e.what());
  }
}

Result<Json> Control::read(std::string const& name) const {
  if (name == "health") return Json{{"ok", true}, {"live", hub_.connections(true).size()}};
  if (name == "state") return state();
  if (name == "events") return files();
  if (name == "live") return hub_.connections(true);
  if (name == "connections") return hub_.connections(false);
  if (name == "deliveries") return deliveries_.list(false);
  if (name == "settled") return deliveries_.list(true);
  if (name == "messages") return messages(false);
  if (name == "all_messages") return messages(true);
  if (name == "cards") return api_.cards();
  if (name == "inbound") return world_.inbound;
  if (name == "pings") return world_.pings;
  if (name == "acks") return world_.acks;
  if (name == "reactions") return world_.reactions;
  if (name == "requests") return world_.requests;
  if (name == "violations") return world_.violations;
  if (name == "clicks") return clicks();
  return Error(Errc::not_found, "nothing to read under " + name);
}

aio::Task<aio::HttpResponse> Control::handle(aio::HttpRequest request) {
  std::string const name = request.path().substr(kPrefix.size());
  if (request.method == "GET") co_return answer(read(name));
  Json body = request.body.empty() ? Json::object() : Json::parse(request.body, nullptr, false);
  if (name != "wait") co_return answer(act(name, body));
  co_return co_await wait(std::move(body));
}

// 200 once enough entries of a read match, 408 when its time (the machine's) is over before.
aio::Task<aio::HttpResponse> Control::wait(Json how) {
  std::string const name = text_or(how, "for");
  auto const count = static_cast<std::size_t>(number_or(how, "count", 1));
  Json const filter = part(how, "filter");
  auto const over = std::make_shared<bool>(false);
  auto const bell = [this, over] {
    *over = true;
    world_.changed.notify();
  };
  aio::Watchdog limit(ex_, Millis(number_or(how, "timeout_ms", 5000)), bell);
  for (;;) {
    Result<Json> const all = read(name);
    if (!all || !all->is_array()) co_return answer(400, {{"error", "cannot wait for " + name}});
    Json items = Json::array();
    std::copy_if(all->begin(), all->end(), std::back_inserter(items),
                 [&](Json const& e) { return matches(e, filter); });
    if (items.size() >= count) co_return answer(200, {{"ok", true}, {"items", std::move(items)}});
    if (*over || stopped_) co_return answer(408, {{"ok", false}, {"items", std::move(items)}});
    bool const go_on = co_await world_.changed.wait();
    if (!go_on) *over = true;
  }
}

Json Control::state() const {
  SimulatorOptions const& o = world_.options;
  Json chats = Json::array();
  for (auto const& [id, chat] : world_.chats) chats.push_back(chat_json(chat));
  return {{"now", world_.clock.now().count()},
          {"app_id", o.app_id},
          {"bot_open_id", o.bot_open_id},
          {"client_config", client_config(o)},
          {"live", hub_.connections(true)},
          {"tokens", tokens()},
          {"token_issues", world_.token_issues},
          {"faults", api_.faults()},
          {"chats", std::move(chats)},
          {"counts",
           {{"requests", world_.requests.size()},
            {"acks", world_.acks.size()},
            {"pings", world_.pings.size()},
            {"violations", world_.violations.size()},
            {"reactions", world_.reactions.size()},
            {"messages", messages(false).size()},
            {"deliveries", deliveries_.list(false).size()}}}};
}

Json Control::tokens() const {
  Json list = Json::array();
  for (Token const& token : world_.tokens) {
    list.push_back({{"token", token.text},
                    {"issued_at", token.issued.count()},
                    {"expires_at", token.ends.count()},
                    {"revoked", token.revoked}});
  }
  return list;
}

Json Control::messages(bool all) const {
  Json list = Json::array();
  for (std::string const& id : world_.message_order) {
    Message const& message = world_.messages.at(id);
    if (all || message.outgoing) list.push_back(message_record(message));
  }
  return list;
}

Result<Json> Control::frame(Json const& how) {
  Json const which = at_path(how, "connection");
  Json const text = at_path(how, "text");
  Result<std::string> const bytes = from_hex(text_or(how, "hex"));
  if (!bytes) return bytes.error();
  std::vector<int> const ids = hub_.pick(which.is_null() ? Json("all") : which);
  for (int const id : ids) hub_.send(id, text.is_string() ? text.get<std::string>() : *bytes, text.is_string());
  return Json{{"connections", ids}};
}

Result<Json> Control::goaway(Json const& how) {
  Millis const down(number_or(how, "down_ms", 0));
  if (down.count() > 0) {
    Json mode = how;
    mode["times"] = -1;
    if (!mode.contains("msg")) mode["msg"] = "system busy";
    api_.set_endpoint(mode);
    world_.clock.in(down, [this] { api_.set_endpoint(Json()); });
  }
  return hub_.drop({{"connection", "all"}, {"mode", "close"}, {"code", 1001}, {"reason", "going away"}});
}

Result<Json> Control::token(Json const& how) {
  std::string const action = text_or(how, "action");
  if (action == "revoke" || action == "expire" || action == "rotate") {
    for (Token& token : world_.tokens) token.revoked = true;
  }
  world_.options.token_life = std::chrono::seconds(number_or(how, "ttl", world_.options.token_life.count()));
  if (Json const left = at_path(how, "shorten_to"); left.is_number()) {
    Millis const ends = world_.clock.now() + std::chrono::seconds(left.get<std::int64_t>());
    for (Token& token : world_.tokens) token.ends = std::min(token.ends, ends);
  }
  return Json{{"tokens", tokens()}, {"issues", world_.token_issues}};
}

Result<Json> Control::chat(Json const& how) {
  std::string const id = text_or(how, "chat_id");
  if (id.empty()) return Error(Errc::invalid_input, "chat: chat_id is needed");
  Chat& chat = world_.chat(id);
  chat.name = text_or(how, "name", chat.name);
  chat.chat_mode = text_or(how, "chat_mode", chat.chat_mode);
  chat.chat_type = text_or(how, "chat_type", chat.chat_type);
  chat.group_message_type = text_or(how, "group_message_type", chat.group_message_type);
  chat.status = text_or(how, "status", chat.status);
  chat.bot_in = flag_or(how, "bot_in", chat.bot_in);
  chat.muted = flag_or(how, "muted", chat.muted);
  return chat_json(chat);
}

Result<Json> Control::user(Json const& how) {
  std::string const id = text_or(how, "open_id");
  if (id.empty()) return Error(Errc::invalid_input, "user: open_id is needed");
  User& user = world_.users[id];
  user.open_id = id;
  user.union_id = text_or(how, "union_id", user.union_id);
  user.user_id = text_or(how, "user_id", user.user_id);
  user.name = text_or(how, "name", user.name);
  user.p2p_chat = text_or(how, "p2p_chat", user.p2p_chat);
  user.bot_available = flag_or(how, "bot_available", user.bot_available);
  return Json{{"open_id", user.open_id}, {"name", user.name}, {"bot_available", user.bot_available}};
}

Result<Json> Control::recall(Json const& how) {
  Message* const message = world_.message(text_or(how, "message_id"));
  if (message != nullptr) message->deleted = true;
  world_.changed.notify();
  return Json{{"found", message != nullptr}};
}

Result<Json> Control::config(Json const& how) {
  SimulatorOptions& o = world_.options;
  take(how, "ackTimeoutMs", o.ack_timeout);
  take(how, "uuidWindowMs", o.uuid_life);
  take(how, "streamTimeoutMs", o.stream_life);
  take(how, "maxConnections", o.connections);
  take(how, "tokenErrorStatus", o.token_error_status);
  take(how, "rateLimits", o.rate_limits);
  take(how, "perTargetQps", o.per_chat_second);
  take(how, "apiPerSecond", o.per_api_second);
  take(how, "apiPerMinute", o.per_api_minute);
  take(how, "textLimit", o.text_bytes);
  take(how, "cardLimit", o.card_bytes);
  take(how, "tableLimit", o.card_tables);
  o.token_life = std::chrono::seconds(number_or(how, "tokenTtl", o.token_life.count()));
  if (Json const ladder = at_path(how, "redeliverMs"); ladder.is_array()) {
    o.redeliver.clear();
    for (Json const& step : ladder) o.redeliver.emplace_back(step.get<std::int64_t>());
  }
  if (Json const client = at_path(how, "clientConfig"); client.is_object()) api_.endpoint({{"client_config", client}});
  return state();
}

Result<Json> Control::clock(Json const& how) {
  world_.clock.advance(Millis(number_or(how, "advance_ms", 0)));
  return Json{{"now", world_.clock.now().count()}};
}

Result<Json> Control::reset() {
  deliveries_.reset();
  api_.reset();
  hub_.reset();
  world_.reset();
  return Json{{"ok", true}};
}

}  // namespace kb::feishu_sim
