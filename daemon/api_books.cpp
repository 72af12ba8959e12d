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
  std::vector<RepoState> const& states;

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
    for (config::RepoSettings const& settings : books().settings.repos) {
      bool const mine = is_admin() || (outcome.granted() && outcome.grant->allows(settings.id));
      bool const fits = (owner.empty() || owner == settings.id.owner) && (repo.empty() || repo == settings.id.repo);
      if (mine && fits) out.push_back(settings.id);
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
  UserId const& sender = desk.context.call.caller.sender;
  Json bindings = Json::array();
  for (auto const& [chat, binding] : desk.books().directory.bindings) {
    config::Team const* team = desk.books().directory.team(binding.team);
    bool const mine = team != nullptr && team->has_member(sender);
    if (desk.is_admin() || mine) bindings.push_back(binding_json(binding));
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
    config::RepoSettings const* settings = desk.books().settings.find(id);
    auto const state =
        std::find_if(desk.states.begin(), desk.states.end(), [&](RepoState const& s) { return s.id == id; });
    bool const known = state != desk.states.end();
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

ToolReply books_call(ToolCall const& call, World const& world, logging::Journal const& journal,
                     std::vector<RepoState> const& states) {
  Json given = Json::parse(call.arguments.empty() ? "{}" : call.arguments, nullptr, false);
  if (!given.is_object()) return bad_request("the arguments are no JSON object");
  if (call.caller.sender.empty()) {
    return tool_failure(401, scope::to_string(scope::Refusal::missing_sender_id), "缺少 SenderId，不能识别用户。");
  }
  Arguments arguments(std::move(given));
  Desk const desk{{call, world}, journal, states};
  if (call.name == "scope") return scope_call(arguments, desk);
  if (call.name == "bindings") return bindings_call(arguments, desk);
  if (call.name == "repos") return repos_call(arguments, desk);
  return records_call(arguments, desk, call.name == "gaps");
}

}  // namespace kb::daemon
