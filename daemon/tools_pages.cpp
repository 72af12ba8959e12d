// kb_read and kb_list.
#include "daemon/kb_objects.hpp"
#include "daemon/tool_table.hpp"

namespace kb::daemon {

ToolReply kb_read_tool(Arguments& arguments, ToolContext const& context) {
  std::string const owner = arguments.text("owner");
  std::string const repo = arguments.text("repo");
  std::string const path = kbrepo::Snapshot::normal_path(arguments.required_text("path"));
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(context);
  if (!outcome.granted()) return refusal_of(outcome);
  PickedBook picked = pick_book(context, outcome, owner, repo);
  if (picked.failure) return std::move(*picked.failure);
  Result<std::shared_ptr<kbrepo::Page const>> const page = picked.book->read(*outcome.grant, path);
  if (!page && page.error().code == Errc::not_found) {
    return tool_failure(404, "page_not_found", "页面不存在：" + path);
  }
  if (!page) return tool_failure(500, to_string(page.error().code), page.error().what);
  return tool_result(page_json(*picked.book, **page));
}

ToolReply kb_list_tool(Arguments& arguments, ToolContext const& context) {
  std::string const owner = arguments.text("owner");
  std::string const repo = arguments.text("repo");
  std::string const kind = arguments.text("kind", "all");
  if (!is_list_kind(kind)) {
    arguments.refuse("kind is all, documents, concepts, resources, people, projects, reviews or imports, not \"" +
                     kind + "\"");
  }
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(context);
  if (!outcome.granted()) return refusal_of(outcome);
  PickedBook picked = pick_book(context, outcome, owner, repo);
  if (picked.failure) return std::move(*picked.failure);
  return tool_result(list_json(*picked.book, *outcome.grant, kind));
}

}  // namespace kb::daemon
