// mcp: the tools over stdio, one JSON-RPC message a line. Needs no daemon; records go through the journal all the same.
#include <istream>
#include <memory>
#include <string>

#include "daemon/embedder.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/mcp.hpp"
#include "daemon/publish.hpp"
#include "daemon/verbs.hpp"
#include "daemon/world_on_disk.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMaxMessageBytes = 4 * 1024 * 1024;

ToolReply carried_out(McpCall const& call, Caller const& caller, WorldOnDisk& disk, Io io) {
  Result<World> const world = disk.now();
  if (!world) return tool_failure(503, "config_invalid", world.error().what);
  SystemClock const clock;
  ToolCall tool;
  tool.name = call.tool;
  tool.arguments = call.arguments;
  tool.caller = caller;
  tool.query_id = logging::new_query_id(clock);
  tool.now = clock.now();
  tool.stopwatch = steady_stopwatch();
  std::unique_ptr<logging::Journal> journal;
  if (reads_journal(tool.name)) {
    auto opened = logging::Journal::open(world->books->settings.state_dir);
    if (!opened) return tool_failure(503, "unavailable", opened.error().what);
    journal = std::move(*opened);
    tool.journal = journal.get();
  }
  World with = *world;
  if (std::string words = text_to_embed(tool, world->books->settings.answer); !words.empty()) {
    MeaningNow meaning = meaning_now(world->books->settings, clock, std::move(words));
    if (!meaning.why.empty()) io.err << "words alone: " << meaning.why << std::endl;
    with.vectors = std::move(meaning.sets);
    with.meaning = tool.meaning = std::move(meaning.meaning);
  }
  ToolReply reply = call_tool(tool, with);
  if (reply.records.empty()) return reply;
  Result<void> const logged = log_now(world->books->settings, std::move(reply.records), io.err);
  if (logged) return reply;
  io.err << logged.error().what << std::endl;
  return tool_failure(503, "unavailable", "the query cannot be logged, so it is not answered");
}

}  // namespace

int mcp_verb(std::string const& config, Sender const& sender, std::istream& in, Io io) {
  std::optional<scope::ChatType> const type =
      sender.chat_type.empty()
          ? std::optional(sender.chat_id.empty() ? scope::ChatType::direct : scope::ChatType::group)
          : scope::parse_chat_type(sender.chat_type);
  if (!type)
    return fail(io, "bad_chat_type", "--chat_type is direct (or p2p) or group, not \"" + sender.chat_type + "\"",
                kUsage);
  Result<std::filesystem::path> const file = config::find_settings_file(config);
  if (!file) return fail(io, "config_not_found", file.error().what, kConfiguration);
  Caller caller;
  caller.sender = UserId(sender.sender_id);
  caller.chat_type = *type;
  if (*type == scope::ChatType::group) caller.chat = ChatId(sender.chat_id);
  caller.agent = sender.agent_id;
  caller.channel = sender.channel;
  WorldOnDisk disk(*file, io.err);
  std::string line;
  while (std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (line.size() > kMaxMessageBytes) line = "";  // answered as a parse error
    McpStep const step = mcp_step(line);
    if (step.response) io.out << *step.response << std::endl;
    if (step.call) io.out << mcp_result(*step.call, carried_out(*step.call, caller, disk, io)) << std::endl;
  }
  return kDone;
}

}  // namespace kb::daemon
