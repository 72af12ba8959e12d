// brain_query.
#include "answer/protocols/brain.hpp"
#include "daemon/tool_books.hpp"

namespace kb::daemon {

ToolReply brain_query_tool(Arguments& arguments, ToolContext const& context) {
  protocols::BrainQuery query;
  query.questions = arguments.list("questions");
  query.scope = arguments.text("scope");
  query.role = arguments.text("role");
  query.project = arguments.text("project");
  query.category = arguments.text("category");
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(context);
  if (!outcome.granted()) return refusal_of(outcome);
  GrantedBooks const granted = granted_books(context, outcome, {});
  protocols::BrainReply const answer = protocols::query_brain(granted.books, query);
  if (!answer.error.empty()) return bad_request(answer.error);
  ToolReply reply;
  reply.json = protocols::to_json(answer);
  std::string asked = "brain_query";
  std::vector<std::string> hits;
  bool gap = false;
  for (protocols::BrainAnswer const& one : answer.answers) {
    asked += " " + one.question;
    hits.insert(hits.end(), one.sources.begin(), one.sources.end());
    gap = gap || one.gap;
  }
  for (protocols::Book const& book : granted.books) {
    if (!book.snapshot->has_folder(book.grant, "brain")) continue;
    std::vector<std::string> own;  // a record names pages of its own repository only
    for (std::string const& path : hits) {
      if (book.snapshot->find(book.grant, path) != nullptr) own.push_back(path);
    }
    reply.records.push_back(record_of(context, outcome, *book.snapshot, asked, std::move(own)));
    reply.records.back().gap = gap;
  }
  return reply;
}

}  // namespace kb::daemon
