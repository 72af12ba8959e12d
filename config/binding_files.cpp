// The three binding files as text and on disk.
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/atomic_file.hpp"
#include "config/bindings.hpp"
#include "config/json_fields.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;
using Ordered = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = 32 * 1024 * 1024;
constexpr std::size_t kMaxEvents = 10'000;  // the oldest go first

/// Two spaces; bytes that are no UTF-8 (a chat's name may hold anything) become U+FFFD.
std::string dumped(Ordered const& json) { return json.dump(2, ' ', false, Ordered::error_handler_t::replace); }

/// Every line but the first moved in, as a member of an object that stands at the margin.
std::string indented(std::string const& text) {
  std::string result;
  for (char const c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

Error first_fault(std::vector<Fault> const& faults) { return {Errc::invalid_input, to_string(faults.front())}; }

/// The tree of a text whose top is of the wanted type and which has no fault at all; only then may we rewrite it.
Result<Json> parsed(std::string_view text, std::string const& file, Json::Type type) {
  std::vector<Fault> faults;
  std::optional<Json> json = parse_json(text, file, faults);
  if (!faults.empty()) return first_fault(faults);
  if (json->type == type) return std::move(*json);
  return first_fault(
      {{file, json->place.line, json->place.column,
        "the file must be " + std::string(describe(type)) + ", not " + std::string(describe(json->type)), ""}});
}

/// Our fields over those that stand there; the order of what stands is kept, new fields go to the end.
Ordered merged(Ordered entry, Binding const& binding, std::string const& actor, std::string const& time) {
  bool const renamed = entry.contains("chat_name") && entry["chat_name"] != binding.chat_name;
  entry["chat_id"] = binding.chat.str();
  entry["chat_name"] = binding.chat_name;
  entry["team_id"] = binding.team.str();
  entry["team_name"] = binding.team_name;
  entry["team_kb_owner"] = binding.kb.owner;
  entry["team_kb_repo"] = binding.kb.repo;
  entry["bound_by"] = binding.bound_by.str();
  entry["bound_at"] = binding.bound_at;
  entry["enabled"] = binding.enabled;
  if (entry.contains("mention_only") || !binding.mention_only) entry["mention_only"] = binding.mention_only;
  if (entry.contains("allow_external") || binding.allow_external) entry["allow_external"] = binding.allow_external;
  if (renamed) entry["updated_at"] = time;
  if (binding.enabled) {
    entry.erase("unbound_by");
    entry.erase("unbound_at");
  } else {
    entry["unbound_by"] = actor;
    entry["unbound_at"] = time;
  }
  return entry;
}

/// The team that an entry is bound to; empty when it is disabled or names none.
std::string enabled_team(Json const& entry) {
  Json const* const enabled = entry.find("enabled");
  if (enabled != nullptr && enabled->type == Json::Type::boolean && !enabled->boolean) return {};
  Json const* const team = entry.find("team_id");
  return team == nullptr ? std::string() : team->text;
}

/// The content of a file; `empty` when there is none yet.
Result<std::string> read_or(fs::path const& file, std::string_view empty) {
  Result<std::string> text = read_file(file, kMaxBytes);
  if (!text && text.error().code == Errc::not_found) return std::string(empty);
  return text;
}

Ordered to_json(PendingBinding const& pending) {
  Ordered json;
  json["action"] = pending.action == PendingBinding::Action::bind ? "bind" : "unbind";
  json["confirm_code"] = pending.code;
  json["chat_id"] = pending.chat.str();
  json["chat_name"] = pending.chat_name;
  json["team_id"] = pending.team.str();
  json["team_name"] = pending.team_name;
  json["requested_by"] = pending.requested_by.str();
  json["created_at"] = pending.created_at;
  json["expires_at_ts"] = pending.expires_at_ts;
  return json;
}

PendingBinding pending_of(Json::Member const& entry, FaultSink& sink) {
  Fields fields(entry.value, entry.key, sink);
  PendingBinding pending;
  std::string const action = fields.text("action");
  if (action != "bind" && action != "unbind") {
    sink.error(fields.place("action"), fields.path("action") + " must be \"bind\" or \"unbind\"");
  }
  pending.action = action == "unbind" ? PendingBinding::Action::unbind : PendingBinding::Action::bind;
  pending.code = entry.key;
  pending.chat = ChatId(fields.text("chat_id"));
  pending.chat_name = fields.text("chat_name");
  pending.team = TeamId(fields.text("team_id"));
  pending.team_name = fields.text("team_name");
  pending.requested_by = UserId(fields.text("requested_by"));
  pending.created_at = fields.text("created_at");
  pending.expires_at_ts = fields.number("expires_at_ts", 0, 0, std::numeric_limits<std::int64_t>::max());
  return pending;
}

Ordered to_json(BindingEvent const& event) {
  Ordered json;
  json["event"] = event.event;
  json["chat_id"] = event.chat.str();
  json["team_id"] = event.team.str();
  json["actor"] = event.actor.str();
  json["confirm_code"] = event.code;
  json["created_at"] = event.created_at;
  return json;
}

BindingEvent event_of(Json const& json, std::string name, FaultSink& sink) {
  Fields fields(json, std::move(name), sink);
  return {fields.text("event"),         ChatId(fields.text("chat_id")), TeamId(fields.text("team_id")),
          UserId(fields.text("actor")), fields.text("confirm_code"),    fields.text("created_at")};
}

}  // namespace

fs::path pending_file(fs::path const& chat_bindings) {
  return chat_bindings.parent_path() / "pending_chat_bindings.json";
}

fs::path events_file(fs::path const& chat_bindings) { return chat_bindings.parent_path() / "chat_binding_events.json"; }

Result<std::string> with_binding(std::string_view text, Binding const& binding, std::string const& actor,
                                 std::string const& time) {
  Result<Json> const root = parsed(text, "chat_bindings.json", Json::Type::object);
  if (!root) return root.error();
  std::string const key = dumped(Ordered(binding.chat.str())) + ": ";
  Json const* const old = root->find(binding.chat.str());
  if (old == nullptr) {
    std::string const entry = "\n  " + key + indented(dumped(merged(Ordered::object(), binding, actor, time)));
    std::size_t const after = root->members.empty() ? root->begin + 1 : root->members.back().value.end;
    std::string const tail(text.substr(root->members.empty() ? root->end - 1 : after));
    std::string const comma = root->members.empty() ? "" : ",";
    std::string const newline = tail.starts_with("}") ? "\n" : "";
    return std::string(text.substr(0, after)) + comma + entry + newline + tail;
  }
  if (old->type != Json::Type::object) {
    return first_fault({{"chat_bindings.json", old->place.line, old->place.column,
                         "binding " + binding.chat.str() + " must be an object", ""}});
  }
  std::string const team = enabled_team(*old);
  if (!team.empty() && team != binding.team.str()) {  // N-12
    return Error(Errc::denied, "group " + binding.chat.str() + " is bound to team " + team + " by now");
  }
  Ordered const entry = Ordered::parse(text.substr(old->begin, old->end - old->begin));
  return std::string(text.substr(0, old->begin)) + indented(dumped(merged(entry, binding, actor, time))) +
         std::string(text.substr(old->end));
}

Result<void> save_binding(fs::path const& file, Binding const& binding, std::string const& actor,
                          std::string const& time) {
  Result<FileLock> const lock = FileLock::acquire(file);  // N-24
  if (!lock) return lock.error();
  Result<std::string> const text = read_or(file, "{}\n");
  if (!text) return text.error();
  Result<std::string> const changed = with_binding(*text, binding, actor, time);
  if (!changed) return at("changing " + file.string(), changed.error());
  return replace_file(file, *changed);
}

Result<std::vector<PendingBinding>> load_pending(fs::path const& file) {
  Result<std::string> const text = read_or(file, "{}");
  if (!text) return text.error();
  Result<Json> const root = parsed(*text, file.string(), Json::Type::object);
  if (!root) return root.error();
  std::vector<Fault> faults;
  FaultSink sink(file.string(), faults, faults);
  std::vector<PendingBinding> pending;
  for (auto const& entry : root->members) pending.push_back(pending_of(entry, sink));
  if (!faults.empty()) return first_fault(faults);
  return pending;
}

Result<void> change_pending(fs::path const& file, std::function<void(std::vector<PendingBinding>&)> const& change) {
  Result<FileLock> const lock = FileLock::acquire(file);  // N-24
  if (!lock) return lock.error();
  Result<std::vector<PendingBinding>> pending = load_pending(file);
  if (!pending) return pending.error();
  change(*pending);
  Ordered json = Ordered::object();
  for (auto const& one : *pending) json[one.code] = to_json(one);
  return replace_file(file, dumped(json) + "\n");
}

Result<std::vector<BindingEvent>> load_events(fs::path const& file) {
  Result<std::string> const text = read_or(file, "[]");
  if (!text) return text.error();
  Result<Json> const root = parsed(*text, file.string(), Json::Type::array);
  if (!root) return root.error();
  std::vector<Fault> faults;
  FaultSink sink(file.string(), faults, faults);
  std::vector<BindingEvent> events;
  for (std::size_t i = 0; i < root->items.size(); ++i) {
    events.push_back(event_of(root->items[i], "[" + std::to_string(i) + "]", sink));
  }
  if (!faults.empty()) return first_fault(faults);
  return events;
}

Result<void> append_event(fs::path const& file, BindingEvent const& event) {
  Result<FileLock> const lock = FileLock::acquire(file);  // N-24
  if (!lock) return lock.error();
  Result<std::string> const text = read_or(file, "[]");
  if (!text) return text.error();
  Result<Json> const root = parsed(*text, file.string(), Json::Type::array);
  if (!root) return root.error();
  Ordered events = Ordered::parse(*text);
  events.push_back(to_json(event));
  if (events.size() > kMaxEvents) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(kMaxEvents));
  }
  return replace_file(file, dumped(events) + "\n");
}

}  // namespace kb::config
