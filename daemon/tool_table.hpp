/// The tools' table and what their functions share. For .cpp files of this room only.
#pragma once

#include <span>

#include "daemon/json_out.hpp"
#include "daemon/tools.hpp"

namespace kb::daemon {

/// The arguments of one call. Each reader notes the first fault; look at fault() after the last one. A GET has text
/// only: numbers, flags and comma-separated lists are taken from text too.
class Arguments {
 public:
  explicit Arguments(Json object) : object_(std::move(object)) {}

  [[nodiscard]] std::string text(char const* name, std::string fallback = {});
  [[nodiscard]] std::string required_text(char const* name);
  [[nodiscard]] std::optional<std::int64_t> number(char const* name);
  [[nodiscard]] bool flag(char const* name, bool fallback);
  [[nodiscard]] std::vector<std::string> list(char const* name);
  [[nodiscard]] Json any(char const* name);  ///< null when absent
  [[nodiscard]] bool has(char const* name) const;
  void refuse(std::string why);
  [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

 private:
  [[nodiscard]] Json const* find(char const* name) const;
  Json object_;
  std::string fault_;
};

struct ToolContext {
  ToolCall const& call;
  World const& world;
};

struct Tool {
  std::string_view name, title, description;
  std::string_view properties;  ///< JSON object: the arguments by name
  std::string_view required;    ///< JSON array of names
  ToolReply (*run)(Arguments& arguments, ToolContext const& context);
  bool guarded = false;  ///< keeps to the caller's agent and channel, or reads nothing
};
[[nodiscard]] std::span<Tool const> tool_table() noexcept;
[[nodiscard]] Tool const* find_tool(std::string_view name) noexcept;
/// The call's arguments; nothing, and `failure` says why, when they are no object or none of this tool's, or the tool
/// is closed to the caller.
[[nodiscard]] std::optional<Arguments> arguments_of(ToolCall const& call, Tool const& tool, ToolReply& failure);

[[nodiscard]] ToolReply tool_result(Json const& object);
[[nodiscard]] ToolReply bad_request(std::string_view message);
/// To a caller with an agent or channel, of what would read around it.
[[nodiscard]] ToolReply not_on_this_channel(std::string_view name);
/// What the caller may read in this chat, as for a question that points nowhere.
[[nodiscard]] scope::ScopeOutcome scope_of(ToolContext const& context, std::string question = {});
/// What a grant opens, as the settings have it and in their order.
[[nodiscard]] std::vector<config::RepoSettings const*> settings_of(scope::ReadGrant const& grant,
                                                                   config::Books const& books);
/// Null: none yet, or none at all.
[[nodiscard]] kbrepo::VectorsPtr vectors_of(World const& world, RepoId const& id);
/// 403 with the exact text, or 401 when nobody said who asks.
[[nodiscard]] ToolReply refusal_of(scope::ScopeOutcome const& outcome);
/// The repository named, or the only one granted. The same failure for one that does not exist and one that is not to
/// be known.
struct PickedBook {
  kbrepo::SnapshotPtr book;
  std::optional<ToolReply> failure;
};
[[nodiscard]] PickedBook pick_book(ToolContext const& context, scope::ScopeOutcome const& outcome,
                                   std::string const& owner, std::string const& repo);
/// One record of a query of one repository.
[[nodiscard]] logging::QueryRecord record_of(ToolContext const& context, scope::ScopeOutcome const& outcome,
                                             kbrepo::Snapshot const& book, std::string question,
                                             std::vector<std::string> hits);

// tools_pages.cpp
ToolReply kb_read_tool(Arguments& arguments, ToolContext const& context);
ToolReply kb_list_tool(Arguments& arguments, ToolContext const& context);
// tools_search.cpp
ToolReply kb_search_tool(Arguments& arguments, ToolContext const& context);
// tools_project.cpp
ToolReply kb_query_tool(Arguments& arguments, ToolContext const& context);
// tools_brain.cpp
ToolReply brain_query_tool(Arguments& arguments, ToolContext const& context);
// tools_chunks.cpp
ToolReply kb_chunks_tool(Arguments& arguments, ToolContext const& context);
ToolReply recall_tool(Arguments& arguments, ToolContext const& context);
ToolReply list_bases_tool(Arguments& arguments, ToolContext const& context);
ToolReply search_messages_tool(Arguments& arguments, ToolContext const& context);
// tools_answer.cpp
ToolReply kb_ask_tool(Arguments& arguments, ToolContext const& context);
ToolReply kb_validate_tool(Arguments& arguments, ToolContext const& context);

}  // namespace kb::daemon
