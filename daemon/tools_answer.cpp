// kb_ask and kb_validate.
#include "answer/validate.hpp"
#include "daemon/tool_table.hpp"

namespace kb::daemon {

ToolReply kb_ask_tool(Arguments& arguments, ToolContext const& context) {
  scope::ScopeRequest request;
  request.sender = context.call.caller.sender;
  request.chat_type = context.call.caller.chat_type;
  request.chat = context.call.caller.chat;
  request.question = arguments.required_text("question");
  std::string const forced = arguments.text("scope");
  if (!forced.empty()) {
    request.forced = scope::parse_scope(forced);
    if (!request.forced) arguments.refuse("scope is personal, team or both, not \"" + forced + "\"");
  }
  std::size_t const most = context.world.books->settings.limits.max_question_bytes;
  if (request.question.size() > most) arguments.refuse("question is longer than " + std::to_string(most) + " bytes");
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  answer::Answer const answer = ask(context.call.query_id, request, context.world, context.call.stopwatch);
  ToolReply reply;
  reply.json = answer::to_json(answer);
  reply.outcome = std::string(answer::to_string(answer.outcome));
  reply.text = answer.text;
  reply.sources_json = answer::sources_json(answer);
  reply.records = records_of(answer, request, context.world, context.call.now);
  return reply;
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
