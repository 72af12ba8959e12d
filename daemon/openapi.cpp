// /openapi.json and /llms.txt: made from the tools' table, so that they cannot fall behind it.
#include "daemon/api.hpp"
#include "daemon/tool_table.hpp"
#include "daemon/version.hpp"

namespace kb::daemon {
namespace {

struct Operation {
  std::string_view path, tool;  ///< tool: of the table; empty: of the books
  std::string_view summary, properties;
};

constexpr std::string_view kRecordArguments =
    R"({"owner":{"type":"string"},"repo":{"type":"string"},"since":{"type":"string","description":"ISO 8601"},
        "limit":{"type":"integer","minimum":1,"maximum":1000,"default":20}})";

constexpr Operation kOperations[] = {
    {"/v1/ask", "kb_ask", "", ""},
    {"/v1/search", "kb_search", "", ""},
    {"/v1/read", "kb_read", "", ""},
    {"/v1/list", "kb_list", "", ""},
    {"/v1/validate", "kb_validate", "", ""},
    {"/v1/query", "kb_query", "", ""},
    {"/v1/chunks", "kb_chunks", "", ""},
    {"/v1/recall", "crystal_recall", "", ""},
    {"/v1/knowledge_bases", "crystal_list_knowledge_bases", "", ""},
    {"/v1/messages", "crystal_search_messages", "", ""},
    {"/v1/brain", "brain_query", "", ""},
    {"/v1/scope", "", "Say which knowledge bases a question may be answered from",
     R"({"question":{"type":"string"},"scope":{"type":"string","enum":["personal","team","both"]}})"},
    {"/v1/bindings", "", "List the bindings of the caller's teams; all for an admin", "{}"},
    {"/v1/log", "", "The caller's query records, oldest first; all for an admin", kRecordArguments},
    {"/v1/gaps", "", "Of these, the questions that found nothing or too little", kRecordArguments},
    {"/v1/repos", "", "The repositories the caller may read, with their commit", "{}"},
};

constexpr std::string_view kCaller =
    R"({"SenderId":{"type":"string","description":"who asks: the sender's open_id; comes with an agent's token"},
        "ChatType":{"type":"string","enum":["direct","group"]},
        "GroupSubject":{"type":"string","description":"the group's chat_id; empty in private"}})";

Json responses() {
  Json const failure{
      {"description", "what was wrong"},
      {"content", {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
  Json out{{"200",
            {{"description", "the verb's object"},
             {"content", {{"application/json", {{"schema", {{"type", "object"}}}}}}}}}};
  for (char const* status : {"400", "401", "403", "404", "429", "503"}) out[status] = failure;
  return out;
}

Json operation_json(std::string_view path, std::string_view summary, Json properties, Json required) {
  Json const caller = Json::parse(kCaller);
  Json parameters = Json::array();
  for (Json const* group : {&caller, static_cast<Json const*>(&properties)}) {
    for (auto const& [name, schema] : group->items()) {
      Json parameter{{"name", name}, {"in", "query"}, {"schema", schema}};
      if (std::find(required.begin(), required.end(), Json(name)) != required.end()) parameter["required"] = true;
      parameters.push_back(std::move(parameter));
    }
  }
  Json body = properties;
  for (auto const& [name, schema] : caller.items()) body[name] = schema;
  Json schema{{"type", "object"}, {"properties", std::move(body)}};
  if (!required.empty()) schema["required"] = required;
  std::string const name(path.substr(path.rfind('/') + 1));
  return {{"get",
           {{"operationId", "get_" + name},
            {"summary", summary},
            {"parameters", std::move(parameters)},
            {"responses", responses()}}},
          {"post",
           {{"operationId", "post_" + name},
            {"summary", summary},
            {"requestBody", {{"required", true}, {"content", {{"application/json", {{"schema", std::move(schema)}}}}}}},
            {"responses", responses()}}}};
}

}  // namespace

std::string openapi_json() {
  Json paths = Json::object();
  for (Operation const& operation : kOperations) {
    Tool const* const tool = find_tool(operation.tool);
    if (!operation.tool.empty() && tool == nullptr) continue;
    paths[std::string(operation.path)] =
        tool != nullptr
            ? operation_json(operation.path, tool->description, Json::parse(tool->properties),
                             Json::parse(tool->required))
            : operation_json(operation.path, operation.summary, Json::parse(operation.properties), Json::array());
  }
  Json const problem{{"type", "object"},
                     {"properties",
                      {{"type", {{"type", "string"}}},
                       {"title", {{"type", "string"}}},
                       {"status", {{"type", "integer"}}},
                       {"detail", {{"type", "string"}}},
                       {"error", {{"type", "string"}, {"description", "the code, e.g. chat_not_bound"}}}}}};
  return dump({{"openapi", "3.1.0"},
               {"info",
                {{"title", "kbgate"},
                 {"version", kVersion},
                 {"description", "Answers strictly from git-backed knowledge bases, or refuses."}}},
               {"paths", std::move(paths)},
               {"components",
                {{"schemas", {{"Problem", problem}}},
                 {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
               {"security", Json::array({Json::object(), {{"token", Json::array()}}})}});
}

std::string llms_txt() {
  std::string out =
      "# kbgate\n\n> Answers questions strictly from git-backed knowledge bases, with sources, or refuses.\n\n"
      "Send your token as Authorization: Bearer; it says who asks and what may be read. A gateway, and this machine "
      "while no token is configured, say who asks with every call (SenderId, ChatType, GroupSubject): scope applies as "
      "in a chat.\n\n## API\n\n- [OpenAPI 3.1](/openapi.json): every call, its arguments and "
      "errors\n- [MCP](/mcp): streamable HTTP; the same tools over stdio with `kbgate mcp`\n";
  for (Operation const& operation : kOperations) {
    Tool const* const tool = find_tool(operation.tool);
    if (!operation.tool.empty() && tool == nullptr) continue;
    out.append("- [").append(operation.path).append("](").append(operation.path).append("): ");
    out.append(tool != nullptr ? tool->description : operation.summary).append("\n");
  }
  return out + "\n## Operation\n\n- [Health](/readyz)\n- [Version](/version)\n- [Metrics](/metrics): Prometheus text\n";
}

}  // namespace kb::daemon
