// kb_chunks and its neighbours: knowledge bases asked by name (S2).
#include <algorithm>

#include "answer/protocols/chunks.hpp"
#include "daemon/tool_table.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {
namespace {

constexpr std::int64_t kMaxMessages = 100;
constexpr std::size_t kMaxPhrase = 4000;

ToolReply failure_of(protocols::ChunkFault const& fault) {
  ToolReply reply =
      fault.not_found ? tool_failure(404, "knowledge_base_not_found", fault.message) : bad_request(fault.message);
  reply.hint = fault.hint;
  Json object = Json::parse(reply.json);
  object["hint"] = fault.hint;
  reply.json = dump(object);
  return reply;
}

/// The knowledge bases that the caller may read at all; agent and channel are the guard's.
struct NamedBooks {
  std::vector<protocols::NamedBook> books;
  std::vector<config::KnowledgeBase> missing;  ///< allowed, but without any snapshot yet
};

NamedBooks named_books(ToolContext const& context, scope::ScopeOutcome const& outcome) {
  NamedBooks out;
  for (config::RepoSettings const* repo : settings_of(*outcome.grant, *context.world.books)) {
    auto const found = context.world.snapshots->find(repo->id);
    if (found != context.world.snapshots->end() && found->second) {
      out.books.push_back({{found->second, *outcome.grant}, repo->knowledge_base, vectors_of(context.world, repo->id)});
    } else {
      out.missing.push_back(repo->knowledge_base);
    }
  }
  return out;
}

scope::ScopeOutcome named_scope(ToolContext const& context) {
  return scope::resolve_named(request_of(context.call.caller), *context.world.books);
}

/// What the connection says stands; an argument may only repeat it.
std::string fixed(Arguments& arguments, char const* name, std::string const& by_connection) {
  std::string given = arguments.text(name);
  if (by_connection.empty()) return given;
  if (!given.empty() && given != by_connection) arguments.refuse(std::string(name) + " comes with the connection");
  return by_connection;
}

protocols::Guard guard_of(Arguments& arguments, ToolContext const& context) {
  Caller const& caller = context.call.caller;
  protocols::Asker asker;
  asker.agent = fixed(arguments, "agentId", caller.agent);
  asker.channel = fixed(arguments, "channel", caller.channel);
  return {std::move(asker), context.world.books->settings.knowledge_bases.peer_channels};
}

/// Leaves limit to the caller: its fault has a hint of its own.
protocols::ChunkQuery query_of(Arguments& arguments, ToolContext const& context) {
  protocols::ChunkQuery query;
  query.id = arguments.text("knowledgeBaseId");
  query.name = arguments.text("knowledgeBaseName");
  query.query = arguments.text("query");
  query.graph = arguments.flag("includeGraphContext", true);
  query.meaning = context.call.meaning.get();
  return query;
}

std::int64_t limit_of(Arguments& arguments, ToolContext const& context) {
  std::int64_t const given = arguments.number("limit").value_or(arguments.has("limit") ? 0 : protocols::kDefaultChunks);
  bool const clamp = context.world.books->settings.knowledge_bases.clamp_limit && arguments.fault().empty();
  return clamp ? std::clamp<std::int64_t>(given, 1, protocols::kMaxChunks) : given;
}

bool is_id(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7F; });
}

bool asks_for(config::KnowledgeBase const& base, protocols::ChunkQuery const& query) {
  return query.id.empty() ? base.name == query.name : base.id == query.id;
}

void add_record(ToolReply& reply, ToolContext const& context, scope::ScopeOutcome const& outcome,
                protocols::ChunkReply const& found, std::span<protocols::NamedBook const> books, std::size_t of) {
  std::vector<std::string> paths;
  for (protocols::Chunk const& chunk : found.chunks) {
    if (chunk.of == of && std::find(paths.begin(), paths.end(), chunk.path) == paths.end()) paths.push_back(chunk.path);
  }
  reply.records.push_back(record_of(context, outcome, *books[of].book.snapshot, found.query, std::move(paths)));
}

}  // namespace

std::string text_to_embed(ToolCall const& call, config::AnswerSettings const& settings) {
  if (!settings.embeddings) return {};
  bool const chunks = call.name == "kb_chunks" || call.name == "crystal_query_knowledge_base" ||
                      call.name == "crystal_recall" || call.name == "kb_search";
  bool const question = call.name == "kb_ask" && settings.embeddings->in_answers;
  if (!chunks && !question) return {};
  Json const arguments = Json::parse(call.arguments, nullptr, false);
  if (!arguments.is_object()) return {};
  auto const text = arguments.find(question ? "question" : "query");
  return text != arguments.end() && text->is_string() ? text->get<std::string>() : std::string();
}

ToolReply kb_chunks_tool(Arguments& arguments, ToolContext const& context) {
  protocols::ChunkQuery query = query_of(arguments, context);
  protocols::Guard const guard = guard_of(arguments, context);
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  query.limit = limit_of(arguments, context);
  if (auto const fault = protocols::fault_of(query)) return failure_of(*fault);
  if (!is_id(query.id)) {
    return failure_of({false, "Invalid knowledge base id", "Verify the KB name/ID via crystal_list_knowledge_bases."});
  }
  scope::ScopeOutcome const outcome = named_scope(context);
  if (!outcome.granted()) return refusal_of(outcome);
  NamedBooks const named = named_books(context, outcome);
  protocols::ChunkReply const found = protocols::query_chunks(named.books, guard, query);
  bool const waiting = std::any_of(named.missing.begin(), named.missing.end(), [&](config::KnowledgeBase const& base) {
    return asks_for(base, query) && guard.sees(base);
  });
  if (found.fault && found.fault->not_found && waiting) {
    return tool_failure(503, "unavailable", "this knowledge base cannot be read at the moment");
  }
  if (found.fault) return failure_of(*found.fault);
  ToolReply reply;
  reply.json = protocols::to_json(found, named.books);
  add_record(reply, context, outcome, found, named.books, *found.asked);
  return reply;
}

ToolReply recall_tool(Arguments& arguments, ToolContext const& context) {
  protocols::ChunkQuery query = query_of(arguments, context);
  protocols::Guard const guard = guard_of(arguments, context);
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  query.limit = limit_of(arguments, context);
  if (auto const fault = protocols::fault_of(query)) return failure_of(*fault);
  scope::ScopeOutcome const outcome = named_scope(context);
  if (!outcome.granted()) return refusal_of(outcome);
  NamedBooks const named = named_books(context, outcome);
  protocols::ChunkReply const found = protocols::recall_chunks(named.books, guard, query);
  ToolReply reply;
  reply.json = protocols::to_json(found, named.books);
  for (std::size_t i = 0; i < named.books.size(); ++i) {
    if (guard.sees(named.books[i].base)) add_record(reply, context, outcome, found, named.books, i);
  }
  return reply;
}

ToolReply list_bases_tool(Arguments& arguments, ToolContext const& context) {
  protocols::Guard const guard = guard_of(arguments, context);
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = named_scope(context);
  if (!outcome.granted()) return refusal_of(outcome);
  NamedBooks const named = named_books(context, outcome);
  ToolReply reply;
  reply.json = protocols::to_json(protocols::visible_bases(named.books, guard), named.books);
  return reply;
}

ToolReply search_messages_tool(Arguments& arguments, ToolContext const& context) {
  logging::MessageSearch search;
  search.phrase = arguments.required_text("query");
  if (search.phrase.size() > kMaxPhrase) arguments.refuse("query is longer than 4,000 bytes");
  std::int64_t const limit = arguments.number("limit").value_or(static_cast<std::int64_t>(search.limit));
  if (limit < 1 || limit > kMaxMessages) arguments.refuse("limit is from 1 to " + std::to_string(kMaxMessages));
  if (!arguments.fault().empty()) return bad_request(arguments.fault());
  scope::ScopeOutcome const outcome = scope_of(context);
  if (!outcome.granted()) return refusal_of(outcome);
  // Answers in private quote what a token may be kept from.
  std::optional<scope::Credential> const& token = context.call.caller.credential;
  bool const bounded = token && token->most.value_or(scope::Scope::both) != scope::Scope::both;
  if (bounded) return tool_failure(403, "denied", "this token does not read messages: its scope is bounded");
  if (context.call.journal == nullptr) return tool_failure(503, "unavailable", "the journal cannot be read here");
  search.chat_type = context.call.caller.chat_type;
  search.sender = context.call.caller.sender;
  search.chat = context.call.caller.chat;
  search.limit = static_cast<std::size_t>(limit);
  auto const found = context.call.journal->find_messages(search);
  if (!found) return tool_failure(503, to_string(found.error().code), found.error().what);
  Json rows = Json::array();
  for (logging::FoundMessage const& message : *found) {
    bool const bot = message.sender.empty();
    Json row{{"messageId", message.message_id}, {"role", bot ? "assistant" : "user"}, {"content", message.text}};
    if (!bot) row["senderId"] = message.sender;
    row["timestamp"] = iso8601(message.time);
    rows.push_back(std::move(row));
  }
  return tool_result({{"messages", rows}, {"totalCount", rows.size()}, {"query", search.phrase}});
}

}  // namespace kb::daemon
