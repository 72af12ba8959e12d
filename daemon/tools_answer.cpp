// kb_ask and kb_validate.
#include "answer/validate.hpp"
#include "daemon/tool_table.hpp"

namespace kb::daemon {
namespace {

/// Notes faults in `arguments`.
scope::ScopeRequest question_of(Arguments& arguments, ToolCall const& call, World const& world) {
  scope::ScopeRequest request = request_of(call.caller);
  request.question = arguments.required_text("question");
  std::string const forced = arguments.text("scope");
  if (!forced.empty()) {
    request.forced = scope::parse_scope(forced);
    if (!request.forced) arguments.refuse("scope is personal, team or both, not \"" + forced + "\"");
  }
  std::size_t const most = world.books->settings.limits.max_question_bytes;
  if (request.question.size() > most) arguments.refuse("question is longer than " + std::to_string(most) + " bytes");
  return request;
}

}  // namespace

std::optional<scope::ScopeRequest> question_of(ToolCall const& call, World const& world) {
  if (call.name != "kb_ask") return std::nullopt;
  ToolReply failure;
  std::optional<Arguments> arguments = arguments_of(call, *find_tool(call.name), failure);
  if (!arguments) return std::nullopt;
  scope::ScopeRequest request = question_of(*arguments, call, world);
  if (!arguments->fault().empty()) return std::nullopt;
  return request;
}

ToolReply answered(answer::Answer const& answer, scope::ScopeRequest const& request, ToolCall const& call,
                   World const& world) {
  ToolReply reply;
  reply.json = answer::to_json(answer);
  reply.outcome = std::string(answer::to_string(answer.outcome));
  reply.text = answer.text;
  reply.sources_json = answer::sources_json(answer);
  reply.records = records_of(answer, request, world, call.now);
  return reply;
}

ToolReply kb_ask_tool(Arguments& arguments, ToolContext const& context) {
  scope::ScopeRequest const request = question_of(arguments, context.call, context.world);
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  answer::Answer const answer = ask(context.call.query_id, request, context.world, context.call.stopwatch);
  return answered(answer, request, context.call, context.world);
}

ToolReply kb_validate_tool(Arguments& arguments, ToolContext const& context) {
  (void)context;  // it reads what it is given and nothing else
  std::string const text = arguments.text("answer");
  answer::ValidationInput input;
  input.answer = text;
  if (!arguments.has("answer")) arguments.refuse("answer is required");
  if (Json const allowed = arguments.any("allowed_sources"); !allowed.is_null()) {
    input.allowed_sources =
        answer::parse_allowed_sources(allowed.is_string() ? allowed.get<std::string>() : dump(allowed));
  }
  if (Json const pages = arguments.any("pages"); !pages.is_null()) {
    std::string why;
    input.pages = answer::parse_read_pages(dump(pages), why);
    if (!input.pages) arguments.refuse("pages: " + why);
  }
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  ToolReply reply;
  reply.json = answer::to_json(answer::validate(input));
  return reply;
}

}  // namespace kb::daemon
