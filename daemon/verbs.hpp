/// The verbs that need no daemon. Each prints JSON on `out`, diagnostics on `err`, and returns the exit code of
/// INTERFACES §2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "answer/protocols/brain.hpp"
#include "answer/protocols/chunks.hpp"
#include "answer/protocols/hits.hpp"
#include "config/control_files.hpp"
#include "config/result.hpp"
#include "kbrepo/snapshot.hpp"

namespace kb::daemon {

struct Io {
  std::ostream& out;
  std::ostream& err;
};

/// Options that several verbs share; empty: not given.
struct Sender {
  std::string sender_id, chat_type, chat_id;
  std::string agent_id, channel;  ///< of an agent that asks knowledge bases by name
};

struct AskOptions {
  std::string config;
  Sender sender;
  std::string question, scope, at;
  /// With the verdict of each sentence, the terms asked, the parts of each score and the evidence behind the outcome.
  bool explain = false;
};
struct RepoOptions {
  std::string config, owner, repo;
};

int ask_verb(AskOptions const& options, Io io);
int resolve_scope_verb(AskOptions const& options, Io io);
int chat_context_verb(std::string const& config, Sender const& sender, Io io);

int kb_list_verb(RepoOptions const& options, std::string const& kind, Io io);
int kb_read_verb(RepoOptions const& options, std::string const& path, std::string const& at, Io io);

struct ValidateOptions {
  std::optional<std::string> answer, answer_file, allowed_sources, allowed_sources_file, pages_file;
};
int validate_answer_verb(ValidateOptions const& options, Io io);

struct LogQueryOptions {
  RepoOptions repo;
  std::string open_id, question, scope, hits;
};
int log_query_verb(LogQueryOptions const& options, Io io);
/// `action`: tail | export | verify.
int log_verb(std::string const& action, RepoOptions const& options, std::string const& since, Io io);

int bind_verb(std::string const& config, std::string const& chat_id, std::string const& team_id,
              std::string const& actor, Io io);
int unbind_verb(std::string const& config, std::string const& chat_id, std::string const& actor, Io io);
int bindings_verb(std::string const& config, bool history, Io io);

/// `action`: stats | rebuild.
int index_verb(std::string const& action, RepoOptions const& options, Io io);
int sync_verb(RepoOptions const& options, Io io);

int check_config_verb(std::string const& config, Io io);
/// Asks the platforms too; sends nothing to any chat.
int doctor_verb(std::string const& config, Io io);
int version_verb(Io io);

struct EvalOptions {
  RepoOptions repo;
  std::string questions;  ///< a JSONL file in the form of the question sets
  std::size_t limit = 0;  ///< 0: all
  bool print_questions = false;
  bool details = false;                ///< one line a question before the table
  std::string drafter = "extractive";  ///< or "model"
};
int eval_verb(EvalOptions const& options, Io io);
/// Questions that the repository's own pages answer, one JSON line each, in the form that `questions` has.
int eval_generate_verb(EvalOptions const& options, Io io);
/// Asks them; then each again with its page taken away, and with its value changed on the page. kFailure when an answer
/// cites a page that is gone or tells a value that the page no longer has.
int eval_run_verb(EvalOptions const& options, Io io);

struct ChatOptions {
  std::string url, token_file;
  Sender sender;
};
/// Reads one message per line from `in`; prints each reply as plain text.
int chat_verb(ChatOptions const& options, std::istream& in, Io io);

struct KbSearchOptions {
  std::string config;
  protocols::HitQuery query;
  std::vector<std::string> roots;  ///< owner/repo; empty: all
  std::string format = "json";     ///< json | csv
  std::string output;              ///< a file; empty: standard output
  std::string csv_template;        ///< its first line names the columns
  std::string quote, path;         ///< check this wording, on this page
  std::string grep;                ///< words separated by |: lines that hold them
  bool explain = false, compare = false;
};
int kb_search_verb(KbSearchOptions const& options, Io io);

struct KbQueryOptions {
  std::string config;
  std::string query_type, project_name, project_root, target, question;
  std::optional<std::size_t> max_tokens;
  std::optional<int> level;
  bool deep = false, absolute_paths = false;
};
/// Needs no settings: without any it looks where kb-engineer writes.
int kb_query_verb(KbQueryOptions const& options, Io io);
int kb_identity_verb(std::string const& project_root, Io io);

struct BrainQueryOptions {
  std::string config;
  protocols::BrainQuery query;
  std::string cycle_id = "local";  ///< names the folder of gaps and events below state_dir/_logs
};
int brain_query_verb(BrainQueryOptions const& options, Io io);

struct KbChunksOptions {
  std::string config;
  protocols::ChunkQuery query;
  protocols::Asker asker;
};
/// The operator's look: every repository of the settings can be asked, agent and channel apply.
int kb_chunks_verb(KbChunksOptions const& options, Io io);
/// Every knowledge base with how it is asked; with an agent or channel, those they see.
int knowledge_bases_verb(std::string const& config, protocols::Asker const& asker, Io io);

/// MCP on standard input and output, as this caller, until the input ends. `token`: as the caller of that name in the
/// settings' `tokens`, instead of `sender`.
int mcp_verb(std::string const& config, Sender const& sender, std::string const& token, std::istream& in, Io io);

struct TokenOptions {
  std::string name, sender_id, chat_id, scope;
  std::vector<std::string> repos;  ///< owner/repo
  std::optional<unsigned> requests_per_minute;
};
int token_verb(TokenOptions const& options, Io io);

struct ServeOptions {
  std::string config;
  int ready_fd = -1;
};
int serve_verb(ServeOptions const& options, Io io);

struct SimFeishuOptions {
  std::string app_id, app_secret;  ///< empty: the simulator's own
  std::string events;              ///< directory of sample events
  std::string ca_out;              ///< with tls: where the certificate goes
  std::uint16_t port = 0;
  bool tls = false, no_rate_limits = false, verbose = false;
};
/// Feishu's open platform on loopback until SIGTERM or SIGINT; prints a ready line.
int sim_feishu_verb(SimFeishuOptions const& options, Io io);

// What the verbs above share.

/// Prints {"success":false,"error","message"} and returns the exit code that fits.
int fail(Io io, Error const& error);
int fail(Io io, std::string_view code, std::string_view message, int exit_code);
int exit_code_of(Errc code) noexcept;

/// Finds, loads and checks the books; on failure prints every fault and returns nothing (exit: kConfiguration).
[[nodiscard]] std::optional<config::Books> open_books(std::string const& config, Io io);
/// The repository named, or the only one there is. not_found lists what is configured.
[[nodiscard]] Result<config::RepoSettings const*> pick_repo(config::Settings const& settings,
                                                            RepoOptions const& options);
/// Progress of long work on a stream: at most a line a second.
[[nodiscard]] kbrepo::Progress progress_on(std::ostream& err);
/// A file's whole content, or standard input for "-".
[[nodiscard]] Result<std::string> read_input(std::string const& path);

}  // namespace kb::daemon
