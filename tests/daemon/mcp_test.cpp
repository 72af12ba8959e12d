#include "daemon/mcp.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;
using kb::daemon::McpCall;
using kb::daemon::McpStep;
using kb::daemon::ToolReply;

namespace {

Json answer_to(Json const& request) {
  McpStep const step = kb::daemon::mcp_step(request.dump());
  if (!step.response) FAIL("no response");
  Json response = Json::parse(*step.response);
  CHECK_EQ(response.value("jsonrpc", ""), "2.0");
  return response;
}

Json request(char const* method, Json params = Json::object(), Json id = 1) {
  return {{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace

TEST_CASE("a client gets the protocol version it asks for when it is known, else the newest") {
  for (char const* version : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    Json const result = answer_to(request("initialize", {{"protocolVersion", version}}))["result"];
    CHECK_EQ(result.value("protocolVersion", ""), version);
    CHECK_EQ(result["serverInfo"].value("name", ""), "kbgate");
    CHECK(result["capabilities"].contains("tools"));
    CHECK(kb::daemon::mcp_version_known(version));
  }
  CHECK_EQ(answer_to(request("initialize", {{"protocolVersion", "1999-01-01"}}))["result"].value("protocolVersion", ""),
           "2025-11-25");
  CHECK(kb::daemon::mcp_version_known(""));
  CHECK_FALSE(kb::daemon::mcp_version_known("1999-01-01"));
}

TEST_CASE("every malformed message has its JSON-RPC code, and its id when it has one") {
  struct Row {
    char const* message;
    int code;
    Json id;
    bool broken;
  };
  Row const rows[] = {
      {"{", -32700, nullptr, true},
      {"[]", -32600, nullptr, true},
      {"7", -32600, nullptr, true},
      {R"({"id":1,"method":"ping"})", -32600, nullptr, true},
      {R"({"jsonrpc":"2.0","id":1})", -32600, 1, true},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600, nullptr, true},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600, nullptr, true},
      {R"({"jsonrpc":"2.0","id":"a","method":"resources/list"})", -32601, "a", false},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", -32602, 1, false},
      {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})", -32602, 1, false},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", -32602, 1, false},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}})", -32602, 1, false},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kb_ask","arguments":[]}})", -32602, 1, false},
  };
  for (Row const& row : rows) {
    CAPTURE(row.message);
    McpStep const step = kb::daemon::mcp_step(row.message);
    REQUIRE(step.response);
    CHECK_FALSE(step.call);
    CHECK_EQ(step.broken, row.broken);
    Json const response = Json::parse(*step.response);
    CHECK_EQ(response["error"].value("code", 0), row.code);
    CHECK_FALSE(response["error"].value("message", "").empty());
    CHECK_EQ(response["id"], row.id);
  }
}

TEST_CASE("notifications and a peer's own responses are taken without a word") {
  for (char const* message : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                              R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
                              R"({"jsonrpc":"2.0","id":7,"result":{}})", R"({"jsonrpc":"2.0","id":7,"error":{}})"}) {
    McpStep const step = kb::daemon::mcp_step(message);
    CHECK_FALSE(step.response);
    CHECK_FALSE(step.call);
  }
}

TEST_CASE("the tools are listed with a schema that admits nothing else, and no argument names a principal") {
  Json const tools = answer_to(request("tools/list"))["result"]["tools"];
  std::vector<std::string> names;
  for (Json const& tool : tools) {
    names.push_back(tool.value("name", ""));
    Json const& schema = tool["inputSchema"];
    CAPTURE(names.back());
    CHECK_EQ(schema.value("type", ""), "object");
    CHECK_FALSE(schema.value("additionalProperties", true));
    for (Json const& name : schema["required"]) CHECK(schema["properties"].contains(name.get<std::string>()));
    for (char const* principal : {"SenderId", "sender_id", "open_id", "chat_id", "GroupSubject"}) {
      CHECK_FALSE(schema["properties"].contains(principal));
    }
    CHECK_FALSE(tool.value("description", "").empty());
    CHECK(kb::daemon::is_tool(names.back()));
  }
  for (char const* name : {"kb_ask", "kb_read", "kb_list", "kb_validate"}) {
    CHECK_NE(std::find(names.begin(), names.end(), name), names.end());
  }
}

TEST_CASE("a call is handed over with its id, and a failure is a result the model can read") {
  McpStep const step =
      kb::daemon::mcp_step(request("tools/call", {{"name", "kb_read"}, {"arguments", {{"path", "a"}}}}, "r-1").dump());
  REQUIRE(step.call);
  CHECK_EQ(step.call->tool, "kb_read");
  CHECK_EQ(Json::parse(step.call->arguments), Json{{"path", "a"}});
  Json const failed = Json::parse(
      kb::daemon::mcp_result(*step.call, kb::daemon::tool_failure(404, "page_not_found", "页面不存在：a.md")));
  CHECK_EQ(failed["id"], "r-1");
  CHECK(failed["result"].value("isError", false));
  CHECK_EQ(failed["result"]["structuredContent"].value("error", ""), "page_not_found");
  CHECK(failed["result"]["content"][0].value("text", "").find("页面不存在：a.md") != std::string::npos);
  ToolReply good;
  good.json = R"({"success":true})";
  Json const result = Json::parse(kb::daemon::mcp_result(*step.call, good))["result"];
  CHECK_FALSE(result.value("isError", true));
  CHECK_EQ(result["structuredContent"], Json{{"success", true}});
}
