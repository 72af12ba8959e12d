#include "daemon/api.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "daemon/api_books.hpp"
#include "daemon/http_api.hpp"
#include "daemon/json_out.hpp"
#include "daemon/mcp.hpp"
#include "daemon/model_ask.hpp"
#include "daemon/peer.hpp"
#include "daemon/safety_net.hpp"
#include "daemon/tool_table.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

constexpr std::string_view kCompletions = "/v1/chat/completions";
constexpr std::string_view kModels = "/v1/models";
constexpr std::string_view kMcp = "/mcp";

constexpr unsigned kRequestsPerMinute = 60;  // N-36

struct ToolRoute {
  std::string_view name, tool;
};
constexpr std::array kToolRoutes{ToolRoute{"ask", "kb_ask"},
                                 ToolRoute{"search", "kb_search"},
                                 ToolRoute{"read", "kb_read"},
                                 ToolRoute{"list", "kb_list"},
                                 ToolRoute{"validate", "kb_validate"},
                                 ToolRoute{"query", "kb_query"},
                                 ToolRoute{"chunks", "kb_chunks"},
                                 ToolRoute{"brain", "brain_query"},
                                 ToolRoute{"recall", "crystal_recall"},
                                 ToolRoute{"knowledge_bases", "crystal_list_knowledge_bases"},
                                 ToolRoute{"messages", "crystal_search_messages"}};

/// The tool behind /v1/<name>; empty: none.
std::string_view tool_of(std::string_view name) noexcept {
  auto const at =
      std::find_if(kToolRoutes.begin(), kToolRoutes.end(), [name](ToolRoute const& r) { return r.name == name; });
  return at != kToolRoutes.end() && is_tool(at->tool) ? at->tool : std::string_view();
}

std::string_view v1_name(std::string_view path) noexcept {
  return path.starts_with("/v1/") ? path.substr(4) : std::string_view();
}

/// Where agents' tokens count; the rest is the gateway's and the operator's.
bool is_for_agents(std::string_view path) noexcept {
  return path == kMcp || (path.starts_with("/v1/") && path != kCompletions && path != kModels);
}

std::string title_of(unsigned status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 429:
      return "Too Many Requests";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

aio::HttpResponse json_response(std::string body) {
  aio::HttpResponse response;
  response.body = std::move(body);
  response.headers["cache-control"] = "no-store";
  return response;
}

aio::HttpResponse response_of(ToolReply const& reply) {
  if (reply.ok) return json_response(reply.json + "\n");
  aio::HttpResponse response = problem(reply.status, title_of(reply.status), reply.message);
  Json body = Json::parse(response.body);
  body["error"] = reply.code;
  if (!reply.hint.empty()) body["hint"] = reply.hint;
  response.body = dump(body) + "\n";
  if (reply.status == 429) response.headers["retry-after"] = "60";
  return response;
}

aio::HttpResponse not_allowed(std::string const& method, char const* allowed) {
  aio::HttpResponse response = problem(405, "Method Not Allowed", method + " is not served here");
  response.headers["allow"] = allowed;
  return response;
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const escaped =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    if (escaped) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

Json query_object(std::string_view target) {
  Json out = Json::object();
  auto const mark = target.find('?');
  if (mark == target.npos) return out;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    auto const end = std::min(rest.find('&'), rest.size());
    std::string_view const pair = rest.substr(0, end);
    auto const equals = std::min(pair.find('='), pair.size());
    std::string const name = decoded(pair.substr(0, equals));
    if (!name.empty()) out[name] = decoded(pair.substr(std::min(equals + 1, pair.size())));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

/// `-` and `_` are interchangeable, as in the verbs.
void use_underscores(Json& object) {
  Json out = Json::object();
  for (auto& [name, value] : object.items()) {
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '-', '_');
    out[plain] = std::move(value);
  }
  object = std::move(out);
}

/// Takes the first of `names` out of the object. Nothing: none is there, or it is no string.
std::optional<std::string> taken(Json& object, std::initializer_list<char const*> names) {
  std::optional<std::string> out;
  for (char const* const name : names) {
    auto const at = object.find(name);
    if (at == object.end()) continue;
    if (!out && at->is_string()) out = at->get<std::string>();
    object.erase(at);
  }
  return out;
}

ToolReply failure_of(Error const& error) {
  return error.code == Errc::denied ? tool_failure(403, "denied", error.what) : bad_request(error.what);
}

}  // namespace

Api::Api(aio::Pool& cpu, aio::Pool& files, Durable& durable, Clock const& clock, Metrics& metrics, std::string token,
         Hooks hooks)
    : cpu_(cpu),
      files_(files),
      durable_(durable),
      clock_(clock),
      metrics_(metrics),
      token_(std::move(token)),
      hooks_(std::move(hooks)) {}

bool Api::serves(std::string_view path) noexcept {
  std::string_view const name = v1_name(path);
  return path == kMcp || path == "/metrics" || path == kCompletions || path == kModels || !tool_of(name).empty() ||
         is_books_call(name);
}

aio::Task<aio::HttpResponse> Api::answer(aio::HttpRequest request) {
  auto const start = clock_.steady();
  std::string const route = request.path();  // one of ours: serves() said so
  std::string again = route;
  World const world = hooks_.world();
  Peer peer = peer_of(request, token_, *world.books, is_for_agents(route));
  aio::HttpResponse response;
  if (peer.refusal) {
    response = *peer.refusal;
  } else {
    response = co_await routed(std::move(request), std::move(again), std::move(peer.bound));
  }
  auto const took = std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady() - start);
  metrics_.count_request(route, response.status, took);
  co_return response;
}

aio::Task<aio::HttpResponse> Api::routed(aio::HttpRequest request, std::string route, std::optional<Caller> bound) {
  if (route == kMcp) return mcp(std::move(request), std::move(bound));
  if (route == "/metrics") return metrics();
  if (route == kCompletions || route == kModels) return safety_net(std::move(request), route == kModels);
  return v1(std::move(request), std::string(v1_name(route)), std::move(bound));
}

std::string Api::over_rate(Caller const& caller) {
  bool const token = caller.credential.has_value();
  unsigned const per_minute = token ? caller.credential->requests_per_minute : kRequestsPerMinute;
  std::string const who = token ? "token\n" + caller.credential->name : caller.sender.str();
  if (rate_.admit(who, per_minute, clock_.steady())) return {};
  return "Rate limit exceeded. Max " + std::to_string(per_minute) + " requests/minute.";
}

aio::Task<aio::HttpResponse> Api::v1(aio::HttpRequest request, std::string name, std::optional<Caller> bound) {
  bool const get = request.method == "GET" || request.method == "HEAD";
  if (!get && request.method != "POST") co_return not_allowed(request.method, "GET, HEAD, POST");
  Json object = get ? query_object(request.target) : Json::parse(request.body, nullptr, false);
  if (!object.is_object()) co_return response_of(tool_failure(400, "bad_request", "the body is no JSON object"));
  use_underscores(object);
  Claim claim;
  claim.sender = taken(object, {"SenderId", "sender_id", "open_id"});
  claim.chat_type = taken(object, {"ChatType", "chat_type"});
  claim.chat = taken(object, {"GroupSubject", "chat_id"});
  claim.agent = request.header("x-kbgate-agent-id");
  claim.channel = request.header("x-kbgate-channel");
  Result<Caller> caller = caller_of(claim, bound);
  if (!caller) co_return response_of(failure_of(caller.error()));
  std::string const too_many = over_rate(*caller);
  if (!too_many.empty()) co_return response_of(tool_failure(429, "rate_limited", too_many));
  ToolReply reply;
  std::string arguments = dump(object);
  if (is_books_call(name)) {
    reply = co_await run_books(std::move(name), std::move(arguments), std::move(*caller));
  } else {
    ToolCall call;
    call.name = std::string(tool_of(name));
    call.arguments = std::move(arguments);
    call.caller = std::move(*caller);
    reply = co_await run_tool(std::move(call));
  }
  co_return response_of(reply);
}

aio::Task<aio::HttpResponse> Api::safety_net(aio::HttpRequest request, bool models) {
  World const world = hooks_.world();
  config::OpenClawSettings const& settings = world.books->settings.openclaw;
  if (!settings.enabled) co_return problem(404, "Not Found", "adapters.openclaw is not enabled");
  bool const get = request.method == "GET" || request.method == "HEAD";
  if (models) co_return get ? list_models(clock_.now()) : not_allowed(request.method, "GET, HEAD");
  if (request.method != "POST") co_return not_allowed(request.method, "POST");
  co_return say_sentence(request.body, settings.sentence, clock_.now());
}

aio::Task<aio::HttpResponse> Api::mcp(aio::HttpRequest request, std::optional<Caller> bound) {
  if (request.method != "POST") co_return not_allowed(request.method, "POST");  // there is no stream to listen to
  if (!mcp_version_known(request.header("mcp-protocol-version"))) {
    co_return problem(400, "Bad Request", "MCP-Protocol-Version is not one we speak");
  }
  McpStep step = mcp_step(request.body);
  if (step.response) {
    aio::HttpResponse response = json_response(std::move(*step.response));
    if (step.broken) response.status = 400;
    co_return response;
  }
  if (!step.call) {
    aio::HttpResponse taken_note;
    taken_note.status = 202;
    co_return taken_note;
  }
  // Who asks belongs to the connection: its token or the client's configuration names it, no tool argument can.
  Claim claim;
  claim.sender = request.header("x-kbgate-sender-id");
  claim.chat_type = request.header("x-kbgate-chat-type");
  claim.chat = request.header("x-kbgate-chat-id");
  claim.agent = request.header("x-kbgate-agent-id");
  claim.channel = request.header("x-kbgate-channel");
  Result<Caller> caller = caller_of(claim, bound);
  std::string const too_many = caller ? over_rate(*caller) : std::string();
  ToolReply reply;
  if (!caller) {
    reply = failure_of(caller.error());
  } else if (!too_many.empty()) {
    reply = tool_failure(429, "rate_limited", too_many);
  } else {
    ToolCall call;
    call.name = step.call->tool;
    call.arguments = step.call->arguments;
    call.caller = std::move(*caller);
    reply = co_await run_tool(std::move(call));
  }
  co_return json_response(mcp_result(*step.call, reply));
}

aio::Task<Result<std::string>> Api::call(std::string tool, std::string arguments, Caller caller) {
  if (!is_tool(tool)) co_return Error(Errc::invalid_input, "no tool is called " + tool);
  std::string too_many = over_rate(caller);
  if (!too_many.empty()) co_return Error(Errc::exhausted, std::move(too_many));
  ToolCall call;
  call.name = std::move(tool);
  call.arguments = std::move(arguments);
  call.caller = std::move(caller);
  ToolReply reply = co_await run_tool(std::move(call));
  co_return std::move(reply.json);
}

aio::Task<ToolReply> Api::run_tool(ToolCall call) {
  call.query_id = logging::new_query_id(clock_);
  call.now = clock_.now();
  call.stopwatch = steady_stopwatch();
  World world = hooks_.world();
  std::string words = text_to_embed(call, world.books->settings.answer);
  if (hooks_.embedder != nullptr && !words.empty()) {
    kbrepo::MeaningPtr meaning = co_await hooks_.embedder->question(std::move(words));
    world = hooks_.world();
    world.meaning = meaning;
    call.meaning = std::move(meaning);
  }
  std::optional<scope::ScopeRequest> question;
  if (hooks_.model != nullptr) question = question_of(call, world);
  ToolReply reply;
  if (question) {
    scope::ScopeRequest asked = *question;
    World asked_of = world;
    std::vector<answer::EarlierTurn> no_earlier;
    answer::Answer const answer = co_await ask_in_steps(cpu_, hooks_.model, call.query_id, std::move(asked),
                                                        std::move(asked_of), std::move(no_earlier));
    reply = answered(answer, *question, call, world);
  } else {
    bool const from_disk = reads_journal(call.name);
    if (from_disk) call.journal = &durable_.journal();
    std::string key = cache_key(call, world);
    if (!key.empty()) call.known = kept_.find(key, clock_.steady());
    auto job = [&] { reply = call_tool(call, world); };
    aio::Pool& pool = from_disk ? files_ : cpu_;
    co_await pool.run(job);
    if (!key.empty() && reply.project && !call.known) kept_.keep(std::move(key), reply.project, clock_.steady());
  }
  if (!reply.outcome.empty()) metrics_.count_reply(reply.outcome);
  if (reply.records.empty()) co_return reply;
  // The record is durable before the answer leaves (S1-5).
  logging::Settlement settlement;
  settlement.reply.key = "http\n" + call.query_id;
  settlement.reply.query_id = call.query_id;
  settlement.reply.outcome = reply.outcome.empty() ? "answered" : reply.outcome;
  settlement.reply.text = reply.text;
  settlement.reply.sources_json = reply.sources_json;
  settlement.records = std::move(reply.records);
  Result<void> const settled = co_await durable_.settle(std::move(settlement), call.now);
  if (settled) co_return reply;
  log::write(log::Level::error, "reply.not_stored", {{"query_id", call.query_id}, {"reason", settled.error().what}});
  co_return tool_failure(503, "unavailable", "the query cannot be logged, so it is not answered");
}

aio::Task<ToolReply> Api::run_books(std::string name, std::string arguments, Caller caller) {
  ToolCall call;
  call.name = std::move(name);
  call.arguments = std::move(arguments);
  call.caller = std::move(caller);
  World const world = hooks_.world();
  ToolReply reply;
  if (asks_states(call.name)) {
    reply = books_call(call, world, durable_.journal(), hooks_.repo_state);
    co_return reply;
  }
  auto job = [&] { reply = books_call(call, world, durable_.journal(), {}); };
  co_await files_.run(job);
  co_return reply;
}

aio::Task<aio::HttpResponse> Api::metrics() {
  Result<logging::JournalStats> stats = Error(Errc::unavailable, "");
  auto job = [&] { stats = durable_.journal().stats(); };
  co_await files_.run(job);
  std::vector<Gauge> gauges = hooks_.gauges();
  if (stats) {
    auto const add = [&gauges](std::string_view name, std::string_view help, double value) {
      gauges.push_back({name, help, value});
    };
    add("inbox_unsettled_messages", "Messages admitted and not answered yet.", double(stats->inbox_unsettled));
    add("replies_pending_messages", "Replies that no platform is known to have taken.", double(stats->replies_pending));
    add("replies_given_up_messages", "Replies that will not be sent any more.", double(stats->replies_given_up));
    add("records_pending_records", "Query records not yet in their repository's log.", double(stats->records_pending));
    add("journal_waiting_changes", "Changes in the journal's queue.", double(stats->waiting));
    add("journal_changes_total", "Changes made durable since the start.", double(stats->changes));
    add("journal_transactions_total", "Transactions they took.", double(stats->transactions));
  }
  gauges.push_back(
      {"project_answers_kept_total", "Answers of kb_query given again without reading a page.", double(kept_.hits())});
  for (Gauge const& gauge : process_gauges()) gauges.push_back(gauge);
  aio::HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics_.text(gauges);
  response.headers["cache-control"] = "no-store";
  co_return response;
}

}  // namespace kb::daemon
