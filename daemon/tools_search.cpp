// kb_search.
#include <algorithm>

#include "answer/protocols/hit_list.hpp"
#include "daemon/tool_books.hpp"

namespace kb::daemon {

GrantedBooks granted_books(ToolContext const& context, scope::ScopeOutcome const& outcome,
                           std::vector<std::string> const& roots) {
  GrantedBooks out;
  for (std::string const& root : roots) {
    auto const granted = outcome.grant->repos();
    bool const known = std::any_of(granted.begin(), granted.end(), [&](auto const& g) { return g.id.str() == root; });
    if (known) continue;
    out.failure = tool_failure(404, "knowledge_base_not_found", "Knowledge base not found: " + root);
    return out;
  }
  for (scope::GrantedRepo const& granted : outcome.grant->repos()) {
    bool const wanted = roots.empty() || std::find(roots.begin(), roots.end(), granted.id.str()) != roots.end();
    auto const found = context.world.snapshots->find(granted.id);
    bool const there = found != context.world.snapshots->end() && found->second;
    if (wanted && there) out.books.push_back({found->second, *outcome.grant});
    if (wanted && !there) out.missing.push_back(granted.id);
  }
  return out;
}

ToolReply kb_search_tool(Arguments& arguments, ToolContext const& context) {
  protocols::HitQuery query;
  query.query = arguments.required_text("query");
  std::vector<std::string> const roots = arguments.list("roots");
  query.file_types = arguments.list("file_types");
  query.since = arguments.text("since");
  query.until = arguments.text("until");
  query.tags = arguments.list("tags");
  query.glob = arguments.text("glob");
  std::int64_t const limit = arguments.number("limit").value_or(static_cast<std::int64_t>(query.limit));
  query.limit = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
  bool const explain = arguments.flag("explain", false);
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(context, query.query);
  if (!outcome.granted()) return refusal_of(outcome);
  GrantedBooks const granted = granted_books(context, outcome, roots);
  if (granted.failure) return *granted.failure;
  query.meaning = context.call.meaning.get();
  for (protocols::Book const& book : granted.books) {
    query.vectors.push_back(vectors_of(context.world, book.snapshot->repo()));
  }
  protocols::HitList list = protocols::search_hits(granted.books, query);
  if (!list.fault.empty()) return bad_request(list.fault);
  for (RepoId const& id : granted.missing) list.notes.push_back(id.str() + " cannot be read at the moment");
  ToolReply reply;
  reply.json = protocols::to_json(list, explain);
  for (protocols::Book const& book : granted.books) {
    std::vector<std::string> paths;
    for (protocols::Hit const& hit : list.hits) {
      bool const own = hit.repo == book.snapshot->repo();
      if (own && std::find(paths.begin(), paths.end(), hit.path) == paths.end()) paths.push_back(hit.path);
    }
    reply.records.push_back(record_of(context, outcome, *book.snapshot, query.query, std::move(paths)));
  }
  return reply;
}

}  // namespace kb::daemon
