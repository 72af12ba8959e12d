/// kbgate.json as values (INTERFACES §1). Parsing reports every fault with file, line and a hint, not only the first.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault.hpp"
#include "config/ids.hpp"
#include "config/result.hpp"

namespace kb::config {

enum class RepoKind { personal, team, project_docs, brain, named, search_root };
enum class QueryLogMode { branch, commit, local };

[[nodiscard]] std::string_view to_string(RepoKind kind) noexcept;
[[nodiscard]] std::string_view to_string(QueryLogMode mode) noexcept;

/// Why a knowledge base is asked: agents see it beside its chunks, and recall over all of them weighs it (S2-50…52).
enum class SourceRole {
  canonical_reference,
  runbook,
  voice_style,
  meeting_notes,
  social_artifact,
  generated_summary,
  other
};
[[nodiscard]] std::string_view to_string(SourceRole role) noexcept;

/// A repository as agents ask for it by name (ACCEPTANCE 1.3). Every repository has one; the file may say more.
struct KnowledgeBase {
  std::string id;    ///< letters, digits, - and _; made from owner/repo unless given
  std::string name;  ///< owner/repo unless given
  std::string description;
  std::vector<std::string> agents;  ///< who may ask; empty: any agent
  std::string scope;                ///< of its chunks without a scope of their own; empty: none
  bool permissive = false;          ///< peer_scope_policy: "permissive", not "strict"
  SourceRole role = SourceRole::other;
  bool active = true;
  std::vector<UserId> users;  ///< may read it, beside those to whom the directory gives the repository…
  std::vector<TeamId> teams;  ///< …and so may the members of these
  friend bool operator==(KnowledgeBase const&, KnowledgeBase const&) = default;
};

struct RepoSettings {
  RepoId id;
  RepoKind kind = RepoKind::team;
  std::filesystem::path git;  ///< absolute; bare or non-bare repository; of a plain directory: the private one
  std::filesystem::path dir;  ///< absolute; a plain directory that `git` holds snapshots of; empty: none
  std::string remote;         ///< URL or path to clone and fetch from; empty: never
  std::string ref;            ///< full ref name (refs/…); empty: what HEAD of the repository names
  std::chrono::seconds sync{60};
  std::string web_url;  ///< template with {owner} {repo} {commit} {path} {start} {end}; empty: no links
  QueryLogMode query_log = QueryLogMode::branch;
  bool push_query_log = false;       ///< to `remote`
  std::vector<std::string> include;  ///< globs; empty: **/*.md, **/*.markdown
  std::vector<std::string> exclude;
  KnowledgeBase knowledge_base;
  friend bool operator==(RepoSettings const&, RepoSettings const&) = default;
};

struct ListenSettings {
  std::string address = "127.0.0.1";  ///< an IP address; `localhost` in the file reads as 127.0.0.1
  std::uint16_t port = 8642;
  std::filesystem::path token_file;  ///< absolute; empty: no token, loopback only
};

/// A bearer token of an agent: for whom it speaks and what it may read. The settings hold its hash alone.
struct TokenSettings {
  std::string name;           ///< unique; stands for the caller in records when it speaks for nobody
  std::string sha256;         ///< of the token: 64 lower-case hex digits
  UserId sender;              ///< the person it speaks for; empty: nobody, and `repos` are all that it reads
  ChatId chat;                ///< asks as in this group; empty: as in private
  std::string scope;          ///< personal, team or both: the most of that person's own part; empty: both
  std::vector<RepoId> repos;  ///< of any kind, besides that part
  std::string agent;          ///< as which knowledge bases are asked by name; empty: arguments may say
  std::string channel;        ///< … and in which channel
  unsigned requests_per_minute = 60;
};

/// One Feishu or Lark app (a bot) whose chats are answered over its long connection.
struct FeishuSettings {
  std::string app_id;
  std::filesystem::path app_secret_file;  ///< absolute
  std::string domain;                     ///< origin of the open platform; "feishu" and "lark" in the file
  std::filesystem::path ca_file;          ///< absolute; empty: the system's authorities
  unsigned connections = 1;               ///< 1…50; the platform spreads events over them
  bool greet = true;                      ///< say how to bind when added to a group
  friend bool operator==(FeishuSettings const&, FeishuSettings const&) = default;
};

/// An OpenAI-compatible chat endpoint.
struct ModelSettings {
  std::string base_url;  ///< without the trailing slash; "/chat/completions" is put behind it
  std::string name;
  std::filesystem::path api_key_file;  ///< absolute; empty: no Authorization header
  std::filesystem::path ca_file;       ///< absolute; empty: the system's authorities
  std::string proxy;                   ///< http://host:port that https:// goes through; empty: none
  std::chrono::milliseconds call_limit{20'000};
  std::chrono::milliseconds question_limit{40'000};  ///< all calls of one question, pauses included
  unsigned retries = 2;                              ///< after 429, 5xx and a connection that failed
  unsigned max_tokens = 1500;                        ///< of one completion
  unsigned calls_per_day = 0;                        ///< UTC; 0: no limit. Beyond it answers are extractive
  std::uint64_t tokens_per_day = 0;                  ///< as the server counts them; 0: no limit
  friend bool operator==(ModelSettings const&, ModelSettings const&) = default;
};

/// An OpenAI-compatible endpoint of embeddings.
struct EmbeddingSettings {
  std::string base_url;  ///< without the trailing slash; "/embeddings" is put behind it
  std::string name;
  std::filesystem::path api_key_file;  ///< absolute; empty: no Authorization header
  std::filesystem::path ca_file;       ///< absolute; empty: the system's authorities
  std::chrono::milliseconds call_limit{20'000};
  std::chrono::milliseconds query_limit{1'500};  ///< of a query's vector; then words alone decide
  unsigned retries = 2;                          ///< after 429, 5xx and a connection that failed
  unsigned batch = 64;                           ///< texts of one call
  bool in_answers = false;                       ///< also for questions in chats, not for kb_chunks and recall alone
  friend bool operator==(EmbeddingSettings const&, EmbeddingSettings const&) = default;
};

struct AnswerSettings {
  std::optional<ModelSettings> model;           ///< nothing: extractive
  std::optional<EmbeddingSettings> embeddings;  ///< nothing: words alone
};

/// How knowledge bases are asked by name.
struct KnowledgeBaseRules {
  std::vector<std::string> peer_channels{"peer-*"};  ///< globs of the channel prefixes whose suffix names a peer
  bool clamp_limit = false;                          ///< a limit outside 1…20 is moved there, not refused (C-30)
};

/// Teams whose chats come through an OpenClaw gateway and its kbgate plugin.
struct OpenClawSettings {
  bool enabled = false;  ///< serves the sentence at /v1/chat/completions
  std::string sentence = "知识库助手暂时不可用，请稍后再问，或联系管理员。";
};

struct Limits {
  std::size_t max_question_bytes = 4000;
  unsigned questions_per_user_per_minute = 20;
  std::size_t max_pages = 5;                     ///< pages read in full for one question
  std::size_t max_page_bytes = 2 * 1024 * 1024;  ///< larger blobs are skipped and counted
  std::size_t chat_queue = 8;                    ///< waiting questions of one chat
  std::size_t in_flight = 64;                    ///< questions in the whole program
  std::size_t connections = 12000;
};

struct Settings {
  std::filesystem::path file;                                    ///< kbgate.json itself, absolute
  std::filesystem::path state_dir, users, teams, chat_bindings;  ///< absolute
  std::vector<UserId> admins;
  std::vector<RepoSettings> repos;
  ListenSettings listen;
  std::vector<TokenSettings> tokens;   ///< empty: nobody but the gateway, or this machine, calls
  std::vector<FeishuSettings> feishu;  ///< empty: the adapter is off
  OpenClawSettings openclaw;
  AnswerSettings answer;
  KnowledgeBaseRules knowledge_bases;
  Limits limits;

  [[nodiscard]] RepoSettings const* find(RepoId const& id) const noexcept;
};

/// What a load found. `value` is there only when there is no error; warnings may stand beside it.
template <class T>
struct Loaded {
  std::optional<T> value;
  std::vector<Fault> errors;
  std::vector<Fault> warnings;
};

/// `--config` (a file or a directory holding kbgate.json), $KBGATE_CONFIG, $XDG_CONFIG_HOME/kbgate/kbgate.json (or
/// ~/.config), /etc/kbgate/kbgate.json. not_found names every place looked at.
[[nodiscard]] Result<std::filesystem::path> find_settings_file(std::string const& given);

/// `text` is the file's content, `file` its absolute path (for places and relative paths). Touches no file; of the
/// environment it reads $CREDENTIALS_DIRECTORY, and that only when a `*_file` begins with it.
[[nodiscard]] Loaded<Settings> parse_settings(std::string_view text, std::filesystem::path const& file);
[[nodiscard]] Loaded<Settings> load_settings(std::filesystem::path const& file);

}  // namespace kb::config
