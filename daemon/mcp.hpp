/// The Model Context Protocol as functions: one JSON-RPC message in, at most one out. Stateless, so that stdio and
/// streamable HTTP are the same; what a tool does is the caller's part in the middle.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/tools.hpp"

namespace kb::daemon {

/// tools/call, with its id to answer under.
struct McpCall {
  std::string id;  ///< as JSON
  std::string tool;
  std::string arguments;  ///< a JSON object
};

struct McpStep {
  std::optional<std::string> response;  ///< to be sent as it is
  std::optional<McpCall> call;          ///< to be carried out, then mcp_result()
  bool broken = false;                  ///< `response` says what was malformed
  // Neither response nor call: a notification, or a peer's own response. Nothing is sent.
};

/// Protocol versions are negotiated as the protocol has it: the client's when we know it, else our newest.
[[nodiscard]] McpStep mcp_step(std::string_view message);
/// A failure is a result with isError, so that the model sees its text.
[[nodiscard]] std::string mcp_result(McpCall const& call, ToolReply const& reply);
/// Of an MCP-Protocol-Version header; an absent one counts as known.
[[nodiscard]] bool mcp_version_known(std::string_view version) noexcept;

}  // namespace kb::daemon
