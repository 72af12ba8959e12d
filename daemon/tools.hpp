/// What agents may call, as functions: the same tools behind /v1, MCP and `kbgate mcp`. Who calls comes with the
/// connection, never with a tool's arguments; scope applies exactly as in a chat.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/protocols/project_query.hpp"
#include "daemon/ask.hpp"

namespace kb::logging {
class Journal;
}

namespace kb::daemon {

/// Who calls, and from where, as the verbs have it.
struct Caller {
  UserId sender;
  scope::ChatType chat_type = scope::ChatType::direct;
  ChatId chat;
  std::string agent{}, channel{};  ///< of an agent asking knowledge bases by name; empty: arguments may say
  std::optional<scope::Credential> credential = std::nullopt;  ///< of the token that called
};
/// The request that a call of theirs makes, without its words.
[[nodiscard]] scope::ScopeRequest request_of(Caller const& caller);

struct ToolCall {
  std::string name;
  std::string arguments;  ///< a JSON object
  Caller caller;
  std::string query_id;  ///< of this call
  TimePoint now{};
  answer::Stopwatch stopwatch{};              ///< empty: timings stay 0 and the reply is reproducible
  kbrepo::MeaningPtr meaning{};               ///< of text_to_embed(); null: words alone
  logging::Journal const* journal = nullptr;  ///< for what reads_journal() names
  std::shared_ptr<protocols::ProjectReply const> known = nullptr;  ///< of kb_query: the answer, if it is kept
  protocols::IdentityCache* identities = nullptr;  ///< of a caller on this machine, who may name folders; else null
};

/// An object to print, or why there is none.
struct ToolReply {
  bool ok = true;
  unsigned status = 200;  ///< of HTTP
  std::string json;       ///< the object; of a failure {"success":false,"error","message"}
  std::string code;       ///< of a failure: its `error`
  std::string message;
  std::string hint;                           ///< of a failure: what to do; often empty
  std::string outcome;                        ///< of a question
  std::string text;                           ///< of a question: the answer as a chat would get it
  std::string sources_json = "[]";            ///< of a question
  std::vector<logging::QueryRecord> records;  ///< durable before `json` leaves
  std::shared_ptr<protocols::ProjectReply const> project = nullptr;  ///< of kb_query: worth keeping
};

[[nodiscard]] ToolReply tool_failure(unsigned status, std::string_view code, std::string_view message);

/// Never throws for input. CPU work and blob reads only.
[[nodiscard]] ToolReply call_tool(ToolCall const& call, World const& world);

/// kb_ask in two halves, for a model to be asked in between (daemon/model_ask): the question of a sound call of kb_ask,
/// nothing for any other call; and the reply that an answer makes.
[[nodiscard]] std::optional<scope::ScopeRequest> question_of(ToolCall const& call, World const& world);
[[nodiscard]] ToolReply answered(answer::Answer const& answer, scope::ScopeRequest const& request, ToolCall const& call,
                                 World const& world);

/// MCP's `tools` array: name, title, description, inputSchema, annotations.
[[nodiscard]] std::string tools_json();
[[nodiscard]] bool is_tool(std::string_view name) noexcept;
/// What a call's meaning is taken from, where vectors can help it and the settings have them do; else empty.
[[nodiscard]] std::string text_to_embed(ToolCall const& call, config::AnswerSettings const& settings);
/// It waits for the disk and needs ToolCall::journal.
[[nodiscard]] bool reads_journal(std::string_view tool) noexcept;

}  // namespace kb::daemon
