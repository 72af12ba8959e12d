#include "daemon/mcp.hpp"

#include <algorithm>
#include <array>

#include "daemon/json_out.hpp"
#include "daemon/version.hpp"

namespace kb::daemon {
namespace {

constexpr std::array<std::string_view, 4> kVersions{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

// JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;

constexpr std::string_view kInstructions =
    "Answers come strictly from git-backed knowledge bases. Ask with kb_ask; it refuses what they do not hold. Cite "
    "the "
    "sources it gives. Which knowledge bases are readable follows from who connected, never from an argument.";

std::string failure(Json const& id, int code, std::string_view message) {
  return dump({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

McpStep broken(Json const& id, int code, std::string_view message) {
  McpStep step;
  step.response = failure(id, code, message);
  step.broken = true;
  return step;
}

McpStep answered(Json const& id, Json result) {
  McpStep step;
  step.response = dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  return step;
}

McpStep refused(Json const& id, int code, std::string_view message) {
  McpStep step;
  step.response = failure(id, code, message);
  return step;
}

Json initialized(Json const& params) {
  std::string const asked = params.value("protocolVersion", "");
  bool const known = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
  return {{"protocolVersion", known ? asked : std::string(kVersions.front())},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", {{"name", "kbgate"}, {"title", "kbgate"}, {"version", kVersion}}},
          {"instructions", kInstructions}};
}

McpStep tool_call(Json const& id, Json const& params) {
  auto const name = params.find("name");
  if (name == params.end() || !name->is_string()) return refused(id, kInvalidParams, "params.name names no tool");
  auto const arguments = params.find("arguments");
  bool const given = arguments != params.end() && !arguments->is_null();
  if (given && !arguments->is_object()) return refused(id, kInvalidParams, "params.arguments is no object");
  if (!is_tool(name->get<std::string>())) {
    return refused(id, kInvalidParams, "Unknown tool: " + name->get<std::string>());
  }
  McpStep step;
  step.call = McpCall{dump(id), name->get<std::string>(), given ? dump(*arguments) : "{}"};
  return step;
}

}  // namespace

McpStep mcp_step(std::string_view message) {
  Json const request = Json::parse(message, nullptr, false);
  if (request.is_discarded()) return broken(nullptr, kParseError, "Parse error: the message is no JSON");
  if (request.is_array()) return broken(nullptr, kInvalidRequest, "Invalid Request: batches are not taken");
  if (!request.is_object() || request.value("jsonrpc", Json()) != "2.0") {
    return broken(nullptr, kInvalidRequest, "Invalid Request: no JSON-RPC 2.0 object");
  }
  auto const at = request.find("id");
  Json const id = at == request.end() ? Json(nullptr) : *at;
  bool const is_response = request.contains("result") || request.contains("error");
  auto const method = request.find("method");
  if (method == request.end() && is_response) return {};
  if (method == request.end() || !method->is_string()) {
    return broken(id, kInvalidRequest, "Invalid Request: no method");
  }
  if (at == request.end()) return {};  // a notification
  if (!id.is_string() && !id.is_number_integer()) {
    return broken(nullptr, kInvalidRequest, "Invalid Request: an id is a string or a whole number");
  }
  std::string const name = method->get<std::string>();
  auto const given = request.find("params");
  Json const params = given == request.end() || given->is_null() ? Json::object() : *given;
  if (!params.is_object()) return refused(id, kInvalidParams, "params is no object");
  if (name == "initialize") {
    auto const version = params.find("protocolVersion");
    if (version == params.end() || !version->is_string()) {
      return refused(id, kInvalidParams, "params.protocolVersion is required");
    }
    return answered(id, initialized(params));
  }
  if (name == "ping") return answered(id, Json::object());
  if (name == "tools/list") return answered(id, {{"tools", Json::parse(tools_json())}});
  if (name == "tools/call") return tool_call(id, params);
  return refused(id, kMethodNotFound, "Method not found: " + name);
}

std::string mcp_result(McpCall const& call, ToolReply const& reply) {
  Json structured = Json::parse(reply.json, nullptr, false);
  Json result{{"content", Json::array({{{"type", "text"}, {"text", reply.json}}})}, {"isError", !reply.ok}};
  if (structured.is_object()) result["structuredContent"] = std::move(structured);
  return dump({{"jsonrpc", "2.0"}, {"id", Json::parse(call.id)}, {"result", std::move(result)}});
}

bool mcp_version_known(std::string_view version) noexcept {
  return version.empty() || std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
}

}  // namespace kb::daemon
