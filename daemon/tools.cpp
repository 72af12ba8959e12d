#include "daemon/tools.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "daemon/tool_table.hpp"

namespace kb::daemon {
namespace {

constexpr std::string_view kChunkArguments =
    R"({"knowledgeBaseId":{"type":"string","description":"this or knowledgeBaseName is required"},
        "knowledgeBaseName":{"type":"string"},
        "query":{"type":"string"},
        "limit":{"type":"integer","minimum":1,"maximum":20,"default":8},
        "agentId":{"type":"string"},
        "channel":{"type":"string","description":"such as peer-coach:511172388"},
        "includeGraphContext":{"type":"boolean","default":true,"description":"with pages and nodes that the chunks are linked to"}})";
constexpr std::string_view kSearchMessages = "crystal_search_messages";

constexpr std::array kTools{
    Tool{"kb_ask", "Ask the knowledge bases",
         "Answers a question strictly from the knowledge bases the caller may read, with sources; or says that they do "
         "not hold the answer.",
         R"({"question":{"type":"string","description":"the question, zh or en"},
             "scope":{"type":"string","enum":["personal","team","both"],"description":"instead of what the words say"}})",
         R"(["question"])", kb_ask_tool},
    Tool{"kb_search", "Search the knowledge bases",
         "Passages that answer a query, best first, each with its exact place, verbatim text, score and notes.",
         R"({"query":{"type":"string"},
             "roots":{"type":"array","items":{"type":"string"},"description":"owner/repo of each; all when left out"},
             "file_types":{"type":"array","items":{"type":"string"},"description":"such as md, txt"},
             "since":{"type":"string","description":"YYYY-MM-DD, inclusive"},
             "until":{"type":"string","description":"YYYY-MM-DD, inclusive"},
             "tags":{"type":"array","items":{"type":"string"}},
             "glob":{"type":"string","description":"of paths, such as runbooks/**/*.md"},
             "limit":{"type":"integer","minimum":1,"maximum":100,"default":10},
             "explain":{"type":"boolean","default":false}})",
         R"(["query"])", kb_search_tool},
    Tool{
        "kb_query", "Ask a project's knowledge base",
        "The kb-query protocol: overview, module, service, dependency, relationship, search or service-topology of a "
        "project, within a budget of tokens, with staleness warnings.",
        R"({"query_type":{"type":"string","enum":["overview","module","service","dependency","relationship","search","service-topology"]},
             "project_name":{"type":"string"},
             "project_root":{"type":"string","description":"instead of the name: a checkout on the machine of `kbgate mcp`"},
             "target":{"type":"string","description":"of every type but overview and service-topology"},
             "max_tokens":{"type":"integer","minimum":1,"maximum":100000,"default":500},
             "level":{"type":"integer","minimum":0,"maximum":3,"description":"how much an overview tells"},
             "question":{"type":"string","description":"in words, instead of query_type"}})",
        "[]", kb_query_tool},
    Tool{"brain_query", "Look up in the brains",
         "The brain-query protocol: keyword look-up in forge-dev, cycles and project brains, themes cited, gaps said.",
         R"({"questions":{"type":"array","items":{"type":"string"},"minItems":1},
             "scope":{"type":"string","description":"forge-dev, cycles, project or all; several joined by commas"},
             "role":{"type":"string","enum":["architect","pm","reflector","dev-loop","reviewer","forge-dev"]},
             "project":{"type":"string","description":"required when the scope has project"},
             "category":{"type":"string","enum":["pattern","antipattern","decision","operation","reference"]}})",
         R"(["questions"])", brain_query_tool},
    Tool{"kb_chunks", "Ask one knowledge base by name",
         "Chunks of one named knowledge base that are closest to a query, best first, with scores, source role and "
         "graph "
         "context. Only that base is searched.",
         kChunkArguments, R"(["query"])", kb_chunks_tool, true},
    Tool{"crystal_query_knowledge_base", "Query knowledge base", "kb_chunks, by the name that Memory Crystal gives it.",
         kChunkArguments, R"(["query"])", kb_chunks_tool, true},
    Tool{"crystal_recall", "Recall over all knowledge bases",
         "Chunks of every knowledge base that is visible to the caller, agent and channel, weighed by source role.",
         R"({"query":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":20,"default":8},
             "agentId":{"type":"string"},"channel":{"type":"string"}})",
         R"(["query"])", recall_tool, true},
    Tool{"crystal_list_knowledge_bases", "List knowledge bases",
         "The knowledge bases that are visible to the caller, agent and channel, with id, name, scope and source role.",
         R"({"agentId":{"type":"string"},"channel":{"type":"string"}})", "[]", list_bases_tool, true},
    Tool{kSearchMessages, "Search messages",
         "Messages of this chat, and the answers given in it, that hold a phrase exactly; the newest first.",
         R"({"query":{"type":"string","description":"the phrase, byte for byte"},
             "limit":{"type":"integer","minimum":1,"maximum":100,"default":20}})",
         R"(["query"])", search_messages_tool},
    Tool{
        "kb_read", "Read a page", "One page of a knowledge base, whole, at its newest commit.",
        R"({"owner":{"type":"string"},"repo":{"type":"string","description":"both may be left out where one is readable"},
             "path":{"type":"string","description":"path in the repository; .md is added when the name has no dot"}})",
        R"(["path"])", kb_read_tool},
    Tool{"kb_list", "List a catalogue",
         "The catalogue of a knowledge base: documents, concepts, people, projects and more.",
         R"({"owner":{"type":"string"},"repo":{"type":"string"},
             "kind":{"type":"string","enum":["all","documents","concepts","resources","people","projects","reviews","imports"]}})",
         "[]", kb_list_tool},
    Tool{"kb_validate", "Check an answer",
         "Checks an answer mechanically: its source block against the allowed sources and, with pages, each sentence "
         "against their text.",
         R"({"answer":{"type":"string"},
             "allowed_sources":{"type":"array","items":{"type":"string"},"description":"titles, paths or links"},
             "pages":{"type":"array","items":{"type":"object"},"description":"the pages read: title, url, label, text"}})",
         R"(["answer"])", kb_validate_tool, true},
};

}  // namespace

std::span<Tool const> tool_table() noexcept { return kTools; }

Tool const* find_tool(std::string_view name) noexcept {
  auto const at = std::find_if(kTools.begin(), kTools.end(), [name](Tool const& tool) { return tool.name == name; });
  return at == kTools.end() ? nullptr : &*at;
}

bool is_tool(std::string_view name) noexcept { return find_tool(name) != nullptr; }

bool reads_journal(std::string_view tool) noexcept { return tool == kSearchMessages; }

std::string tools_json() {
  Json tools = Json::array();
  for (Tool const& tool : kTools) {
    tools.push_back({{"name", tool.name},
                     {"title", tool.title},
                     {"description", tool.description},
                     {"inputSchema",
                      {{"type", "object"},
                       {"properties", Json::parse(tool.properties)},
                       {"required", Json::parse(tool.required)},
                       {"additionalProperties", false}}},
                     {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  return dump(tools);
}

std::optional<Arguments> arguments_of(ToolCall const& call, Tool const& tool, ToolReply& failure) {
  Json given = Json::parse(call.arguments.empty() ? "{}" : call.arguments, nullptr, false);
  if (!given.is_object()) {
    failure = bad_request("the arguments are no JSON object");
    return std::nullopt;
  }
  Json const known = Json::parse(tool.properties);
  for (auto const& [name, value] : given.items()) {
    if (known.contains(name)) continue;
    failure = bad_request(std::string(tool.name) + " has no argument " + name);
    return std::nullopt;
  }
  // An agent that serves one peer must not read around its channel.
  bool const bound = !call.caller.agent.empty() || !call.caller.channel.empty();
  if (bound && !tool.guarded) {
    failure = not_on_this_channel(tool.name);
    return std::nullopt;
  }
  return Arguments(std::move(given));
}

ToolReply call_tool(ToolCall const& call, World const& world) {
  Tool const* const tool = find_tool(call.name);
  if (tool == nullptr) return tool_failure(404, "unknown_tool", "there is no tool " + call.name);
  ToolReply failure;
  std::optional<Arguments> arguments = arguments_of(call, *tool, failure);
  return arguments ? tool->run(*arguments, {call, world}) : failure;
}

ToolReply tool_failure(unsigned status, std::string_view code, std::string_view message) {
  ToolReply reply;
  reply.ok = false;
  reply.status = status;
  reply.code = std::string(code);
  reply.message = std::string(message);
  reply.json = dump({{"success", false}, {"error", code}, {"message", message}});
  return reply;
}

ToolReply tool_result(Json const& object) {
  ToolReply reply;
  reply.json = dump(object);
  return reply;
}

scope::ScopeRequest request_of(Caller const& caller) {
  scope::ScopeRequest request;
  request.sender = caller.sender;
  request.chat_type = caller.chat_type;
  request.chat = caller.chat;
  request.credential = caller.credential;
  return request;
}

ToolReply not_on_this_channel(std::string_view name) {
  return tool_failure(403, "not_on_this_channel",
                      std::string(name) + " knows no channels: ask knowledge bases by name");
}

ToolReply bad_request(std::string_view message) { return tool_failure(400, "bad_request", message); }

scope::ScopeOutcome scope_of(ToolContext const& context, std::string question) {
  scope::ScopeRequest request = request_of(context.call.caller);
  request.question = std::move(question);
  return scope::resolve(request, context.world.books->directory);
}

std::vector<config::RepoSettings const*> settings_of(scope::ReadGrant const& grant, config::Books const& books) {
  std::vector<config::RepoSettings const*> out;
  for (scope::GrantedRepo const& granted : grant.repos()) {
    if (config::RepoSettings const* const settings = books.find(granted.id)) out.push_back(settings);
  }
  std::sort(out.begin(), out.end());  // they stand in one vector
  return out;
}

kbrepo::VectorsPtr vectors_of(World const& world, RepoId const& id) {
  if (!world.vectors) return nullptr;
  auto const found = world.vectors->find(id);
  return found == world.vectors->end() ? nullptr : found->second;
}

ToolReply refusal_of(scope::ScopeOutcome const& outcome) {
  bool const nobody = outcome.refusal == scope::Refusal::missing_sender_id;
  return tool_failure(nobody ? 401 : 403, scope::to_string(*outcome.refusal), outcome.message);
}

PickedBook pick_book(ToolContext const& context, scope::ScopeOutcome const& outcome, std::string const& owner,
                     std::string const& repo) {
  scope::GrantedRepo const* match = nullptr;
  std::size_t matches = 0;
  for (scope::GrantedRepo const& granted : outcome.grant->repos()) {
    bool const fits = (owner.empty() || owner == granted.id.owner) && (repo.empty() || repo == granted.id.repo);
    if (!fits) continue;
    match = &granted;
    ++matches;
  }
  if (matches == 0) {
    return {nullptr, tool_failure(404, "knowledge_base_not_found", "Knowledge base not found: " + owner + "/" + repo)};
  }
  if (matches > 1) return {nullptr, bad_request("owner and repo are needed: several knowledge bases are readable")};
  auto const found = context.world.snapshots->find(match->id);
  if (found == context.world.snapshots->end() || !found->second) {
    return {nullptr, tool_failure(503, "unavailable", match->id.str() + " cannot be read at the moment")};
  }
  return {found->second, std::nullopt};
}

logging::QueryRecord record_of(ToolContext const& context, scope::ScopeOutcome const& outcome,
                               kbrepo::Snapshot const& book, std::string question, std::vector<std::string> hits) {
  logging::QueryRecord record;
  record.query_id = context.call.query_id;
  record.record_id = logging::record_id(record.query_id, book.repo());
  record.time = iso8601(context.call.now);
  record.repo = book.repo();
  record.open_id = context.call.caller.sender.str();
  record.chat_type = std::string(scope::to_string(context.call.caller.chat_type));
  record.chat_id = context.call.caller.chat.str();
  record.scope = std::string(scope::to_string(outcome.scope));
  record.question = std::move(question);
  record.hits = std::move(hits);
  record.outcome = record.hits.empty() ? "no_answer" : "answered";
  record.gap = record.hits.empty();
  record.commit = book.commit().hex();
  return record;
}

// ---- arguments ----------------------------------------------------------------------------------------------------
Json const* Arguments::find(char const* name) const {
  auto const at = object_.find(name);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

bool Arguments::has(char const* name) const { return find(name) != nullptr; }

void Arguments::refuse(std::string why) {
  if (fault_.empty()) fault_ = std::move(why);
}

std::string Arguments::text(char const* name, std::string fallback) {
  Json const* const value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->get<std::string>();
  refuse(std::string(name) + " is no string");
  return fallback;
}

std::string Arguments::required_text(char const* name) {
  std::string value = text(name);
  if (value.find_first_not_of(" \t\r\n") == value.npos) refuse(std::string(name) + " is required");
  return value;
}

std::optional<std::int64_t> Arguments::number(char const* name) {
  Json const* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (value->is_string()) {
    std::string const digits = value->get<std::string>();
    std::int64_t parsed = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (error == std::errc() && end == digits.data() + digits.size()) return parsed;
  }
  refuse(std::string(name) + " is no whole number");
  return std::nullopt;
}

bool Arguments::flag(char const* name, bool fallback) {
  Json const* const value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  if (*value == "true" || *value == "1") return true;
  if (*value == "false" || *value == "0") return false;
  refuse(std::string(name) + " is neither true nor false");
  return fallback;
}

std::vector<std::string> Arguments::list(char const* name) {
  Json const* const value = find(name);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (value->is_string()) {
    std::string const all = value->get<std::string>();
    for (std::size_t from = 0; from <= all.size();) {
      std::size_t const to = std::min(all.find(',', from), all.size());
      if (to > from) out.push_back(all.substr(from, to - from));
      from = to + 1;
    }
    return out;
  }
  bool const texts =
      value->is_array() && std::all_of(value->begin(), value->end(), [](Json const& item) { return item.is_string(); });
  if (texts) return value->get<std::vector<std::string>>();
  refuse(std::string(name) + " is no list of strings");
  return out;
}

Json Arguments::any(char const* name) {
  Json const* const value = find(name);
  return value == nullptr ? Json(nullptr) : *value;
}

}  // namespace kb::daemon
