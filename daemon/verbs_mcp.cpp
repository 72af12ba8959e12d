// mcp: the tools over stdio, one JSON-RPC message a line. Needs no daemon; records go through the journal all the same.
#include <istream>
#include <memory>
#include <string>

#include "daemon/embedder.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/mcp.hpp"
#include "daemon/model_ask.hpp"
#include "daemon/peer.hpp"
#include "daemon/publish.hpp"
#include "daemon/query_cache.hpp"
#include "daemon/verbs.hpp"
#include "daemon/world_on_disk.hpp"
#include "logging/journal.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMaxMessageBytes = 4 * 1024 * 1024;

/// As whom the tools are called: one caller for as long as the client is connected.
struct As {
  Caller sender;
  std::string token;  ///< the name of an entry of `tokens`, read anew for each call; empty: the sender
};

std::optional<Caller> caller_as(As const& as, config::Books const& books) {
  if (as.token.empty()) return as.sender;
  for (config::TokenSettings const& token : books.settings.tokens) {
    if (token.name == as.token) return caller_of(token, books);
  }
  return std::nullopt;
}

/// What a session keeps.
struct Session {
  explicit Session(Clock const& clock) : identities(clock) {}
  QueryCache answers;
  protocols::IdentityCache identities;
};

ToolReply carried_out(McpCall const& call, As const& as, WorldOnDisk& disk, Session& session, Io io) {
  Result<World> const world = disk.now();
  if (!world) return tool_failure(503, "config_invalid", world.error().what);
  std::optional<Caller> const caller = caller_as(as, *world->books);
  if (!caller) return tool_failure(403, "denied", "no token of the settings is named " + as.token);
  SystemClock const clock;
  ToolCall tool;
  tool.name = call.tool;
  tool.arguments = call.arguments;
  tool.caller = *caller;
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
  std::optional<scope::ScopeRequest> const question =
      world->books->settings.answer.model ? question_of(tool, *world) : std::nullopt;
  tool.identities = &session.identities;
  std::string const key = cache_key(tool, *world);
  if (!key.empty()) tool.known = session.answers.find(key, clock.steady());
  ToolReply reply = question ? answered(ask_now(tool.query_id, *question, with, clock), *question, tool, with)
                             : call_tool(tool, with);
  if (!key.empty() && reply.project && !tool.known) session.answers.keep(key, reply.project, clock.steady());
  if (reply.records.empty()) return reply;
  Result<void> const logged = log_now(world->books->settings, std::move(reply.records), io.err);
  if (logged) return reply;
  io.err << logged.error().what << std::endl;
  return tool_failure(503, "unavailable", "the query cannot be logged, so it is not answered");
}

}  // namespace

int mcp_verb(std::string const& config, Sender const& sender, std::string const& token, std::istream& in, Io io) {
  if (sender.sender_id.empty() == token.empty()) return fail(io, "bad_request", "name --sender_id or --as", kUsage);
  std::optional<scope::ChatType> const type =
      sender.chat_type.empty()
          ? std::optional(sender.chat_id.empty() ? scope::ChatType::direct : scope::ChatType::group)
          : scope::parse_chat_type(sender.chat_type);
  if (!type)
    return fail(io, "bad_chat_type", "--chat_type is direct (or p2p) or group, not \"" + sender.chat_type + "\"",
                kUsage);
  Result<std::filesystem::path> const file = config::find_settings_file(config);
  if (!file) return fail(io, "config_not_found", file.error().what, kConfiguration);
  As as;
  as.token = token;
  as.sender.sender = UserId(sender.sender_id);
  as.sender.chat_type = *type;
  if (*type == scope::ChatType::group) as.sender.chat = ChatId(sender.chat_id);
  as.sender.agent = sender.agent_id;
  as.sender.channel = sender.channel;
  WorldOnDisk disk(*file, io.err);
  SystemClock const clock;
  Session session(clock);
  std::string line;
  while (std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (line.size() > kMaxMessageBytes) line = "";  // answered as a parse error
    McpStep const step = mcp_step(line);
    if (step.response) io.out << *step.response << std::endl;
    if (step.call) io.out << mcp_result(*step.call, carried_out(*step.call, as, disk, session, io)) << std::endl;
  }
  return kDone;
}

}  // namespace kb::daemon
