// kb_query.
#include "answer/protocols/project_query.hpp"
#include "daemon/tool_books.hpp"

namespace kb::daemon {

ToolReply kb_query_tool(Arguments& arguments, ToolContext const& context) {
  protocols::ProjectQuery query;
  query.query_type = arguments.text("query_type");
  query.project_name = arguments.text("project_name");
  std::string const root = arguments.text("project_root");
  if (!root.empty() && context.call.identities == nullptr) {
    arguments.refuse("project_root is of a machine: name project_name, or ask with `kbgate mcp` there");
  }
  query.target = arguments.text("target");
  if (std::optional<std::int64_t> const tokens = arguments.number("max_tokens")) {
    if (*tokens < 1 || *tokens > 100'000) arguments.refuse("max_tokens is from 1 to 100000");
    query.max_tokens = static_cast<std::size_t>(*tokens);
  }
  if (std::optional<std::int64_t> const level = arguments.number("level")) {
    if (*level < 0 || *level > 3) arguments.refuse("level is from 0 to 3");
    query.level = static_cast<int>(*level);
  }
  std::string const question = arguments.text("question");
  std::optional<protocols::ProjectRoute> const route = protocols::route_of(question);
  if (route) {
    query.query_type = route->query_type;
    query.target = route->target;
    query.level = route->level;
  }
  if (!question.empty() && !route) arguments.refuse("question asks for nothing a query type answers; give query_type");
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(context);
  if (!outcome.granted()) return refusal_of(outcome);
  GrantedBooks const granted = granted_books(context, outcome, {});
  if (query.project_name.empty() && !root.empty()) query.identity = context.call.identities->of(root);
  ToolReply reply;
  reply.project = context.call.known
                      ? context.call.known
                      : std::make_shared<protocols::ProjectReply const>(protocols::query_project(granted.books, query));
  protocols::ProjectReply const& answer = *reply.project;
  reply.json = protocols::to_json(answer);
  std::string asked = "kb_query " + query.query_type + " " + answer.project_name;
  if (!query.target.empty()) asked += " " + query.target;
  for (protocols::Book const& book : granted.books) {
    if (!answer.repo || *answer.repo != book.snapshot->repo()) continue;
    reply.records.push_back(record_of(context, outcome, *book.snapshot, asked, answer.sources));
  }
  return reply;
}

}  // namespace kb::daemon
