#include "daemon/api_books.hpp"

#include <algorithm>
#include <array>

#include "daemon/tool_table.hpp"

namespace kb::daemon {
namespace {

constexpr std::int64_t kDefaultRecords = 20;
constexpr std::int64_t kMaxRecords = 1000;

struct Desk {
  ToolContext context;
  logging::Journal const& journal;
  RepoStateOf const& state_of;

  [[nodiscard]] config::Books const& books() const { return *context.world.books; }
  /// A token reads what its entry says, whoever it speaks for.
  [[nodiscard]] bool is_admin() const {
    if (context.call.caller.credential) return false;
    auto const& admins = books().settings.admins;
    return std::find(admins.begin(), admins.end(), context.call.caller.sender) != admins.end();
  }
  /// All of them for an admin, else what the caller may read in this chat; narrowed by owner and repo.
  [[nodiscard]] std::vector<RepoId> repos(scope::ScopeOutcome const& outcome, std::string const& owner,
                                          std::string const& repo) const {
    std::vector<RepoId> out;
    auto const take = [&](config::RepoSettings const& settings) {
      bool const fits = (owner.empty() || owner == settings.id.owner) && (repo.empty() || repo == settings.id.repo);
      if (fits) out.push_back(settings.id);
    };
    if (is_admin()) {
      for (config::RepoSettings const& settings : books().settings.repos) take(settings);
    } else if (outcome.granted()) {
      for (config::RepoSettings const* settings : settings_of(*outcome.grant, books())) take(*settings);
    }
    return out;
  }
};

ToolReply scope_call(Arguments& arguments, Desk const& desk) {
  scope::ScopeRequest request = request_of(desk.context.call.caller);
  request.question = arguments.text("question");
  std::string const forced = arguments.text("scope");
  if (!forced.empty()) {
    request.forced = scope::parse_scope(forced);
    if (!request.forced) arguments.refuse("scope is personal, team or both, not \"" + forced + "\"");
  }
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  ToolReply reply;  // a refusal is the answer to this question, not a failure
  reply.json = to_json(scope::resolve(request, desk.books().directory));
  return reply;
}

ToolReply bindings_call(Arguments& arguments, Desk const& desk) {
  (void)arguments;
  config::Books const& books = desk.books();
  Json bindings = Json::array();
  if (desk.is_admin()) {
    for (config::Binding const* binding : books.directory.bindings.in_order()) {
      bindings.push_back(binding_json(*binding));
    }
  } else {
    for (ChatId const& chat : books.reach.chats(desk.context.call.caller.sender)) {
      bindings.push_back(binding_json(*books.directory.binding(chat)));
    }
  }
  return tool_result({{"success", true}, {"bindings", std::move(bindings)}});
}

ToolReply records_call(Arguments& arguments, Desk const& desk, bool gaps_only) {
  std::string const owner = arguments.text("owner");
  std::string const repo = arguments.text("repo");
  std::string const since = arguments.text("since");
  std::int64_t const limit = arguments.number("limit").value_or(kDefaultRecords);
  if (limit < 1 || limit > kMaxRecords) arguments.refuse("limit is from 1 to " + std::to_string(kMaxRecords));
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(desk.context);
  if (!outcome.granted() && !desk.is_admin()) return refusal_of(outcome);
  std::vector<RepoId> const repos = desk.repos(outcome, owner, repo);
  if (repos.empty()) {
    return tool_failure(404, "knowledge_base_not_found", "Knowledge base not found: " + owner + "/" + repo);
  }
  std::vector<logging::QueryRecord> all;
  for (RepoId const& id : repos) {
    Result<std::vector<logging::QueryRecord>> records = desk.journal.records(id, since);
    if (!records) return tool_failure(503, to_string(records.error().code), records.error().what);
    for (logging::QueryRecord& record : *records) {
      bool const mine = desk.is_admin() || record.open_id == desk.context.call.caller.sender.str();
      if (mine && (record.gap || !gaps_only)) all.push_back(std::move(record));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.time < b.time; });
  std::size_t const skip =
      all.size() > static_cast<std::size_t>(limit) ? all.size() - static_cast<std::size_t>(limit) : 0;
  Json rows = Json::array();
  for (std::size_t i = skip; i < all.size(); ++i) rows.push_back(Json::parse(logging::to_json(all[i])));
  return tool_result({{"success", true}, {gaps_only ? "gaps" : "records", std::move(rows)}});
}

ToolReply repos_call(Arguments& arguments, Desk const& desk) {
  (void)arguments;
  scope::ScopeOutcome const outcome = scope_of(desk.context);
  if (!outcome.granted() && !desk.is_admin()) return refusal_of(outcome);
  Json rows = Json::array();
  for (RepoId const& id : desk.repos(outcome, {}, {})) {
    config::RepoSettings const* settings = desk.books().find(id);
    RepoState const* const state = desk.state_of(id);
    bool const known = state != nullptr;
    Json row{{"owner", id.owner},
             {"repo", id.repo},
             {"kind", to_string(settings->kind)},
             {"commit", known && !state->commit.empty() ? Json(state->commit) : Json(nullptr)},
             {"pages", known ? state->pages : 0},
             {"fresh", known && state->fault.empty() && !state->commit.empty()}};
    if (desk.is_admin() && known && !state->fault.empty()) row["fault"] = state->fault;  // names files and hosts
    rows.push_back(std::move(row));
  }
  return tool_result({{"success", true}, {"repos", std::move(rows)}});
}

}  // namespace

bool is_books_call(std::string_view name) noexcept {
  return name == "scope" || name == "bindings" || name == "log" || name == "gaps" || name == "repos";
}

bool asks_states(std::string_view name) noexcept { return name == "repos"; }

ToolReply books_call(ToolCall const& call, World const& world, logging::Journal const& journal,
                     RepoStateOf const& state_of) {
  Json given = Json::parse(call.arguments.empty() ? "{}" : call.arguments, nullptr, false);
  if (!given.is_object()) return bad_request("the arguments are no JSON object");
  if (call.caller.sender.empty()) {
    return tool_failure(401, scope::to_string(scope::Refusal::missing_sender_id), "缺少 SenderId，不能识别用户。");
  }
  // Records and repositories know no channels: an agent that serves one peer must not read around its own.
  bool const bound = !call.caller.agent.empty() || !call.caller.channel.empty();
  if (bound && call.name != "scope" && call.name != "bindings") return not_on_this_channel(call.name);
  Arguments arguments(std::move(given));
  Desk const desk{{call, world}, journal, state_of};
  if (call.name == "scope") return scope_call(arguments, desk);
  if (call.name == "bindings") return bindings_call(arguments, desk);
  if (call.name == "repos") return repos_call(arguments, desk);
  return records_call(arguments, desk, call.name == "gaps");
}

}  // namespace kb::daemon
