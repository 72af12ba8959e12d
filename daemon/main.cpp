// The command line: one line per verb, its options, and what runs it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "daemon/exit_codes.hpp"
#include "daemon/verbs.hpp"

namespace {

using namespace kb::daemon;

/// `-` and `_` are interchangeable in verb and option names (INTERFACES): turns what names one into the form declared
/// here. Values are left alone.
std::vector<std::string> with_underscores(int argc, char const* const* argv, std::set<std::string> const& names) {
  std::vector<std::string> args(argv + 1, argv + argc);
  for (std::string& arg : args) {
    auto const end = arg.starts_with("--") ? arg.find('=') : arg.npos;
    std::string name = arg.substr(0, end);
    std::size_t const from = name.starts_with("--") ? 2 : 0;
    for (std::size_t i = from; i < name.size(); ++i) {
      if (name[i] == '-') name[i] = '_';
    }
    if (names.contains(name)) arg = name + (end == arg.npos ? std::string() : arg.substr(end));
  }
  return args;
}

void collect_names(CLI::App const& app, std::set<std::string>& names) {
  for (CLI::Option const* option : app.get_options()) {
    for (std::string const& name : option->get_lnames()) names.insert("--" + name);
  }
  for (CLI::App const* sub : app.get_subcommands(nullptr)) {
    names.insert(sub->get_name());
    collect_names(*sub, names);
  }
}

void add_sender(CLI::App& verb, Sender& sender) {
  verb.add_option("--sender_id,--open_id", sender.sender_id, "who asks: the sender's open_id");
  verb.add_option("--chat_type", sender.chat_type, "direct (or p2p) or group")->required();
  verb.add_option("--chat_id", sender.chat_id, "the group's chat_id; empty in a private chat");
}

void add_repo(CLI::App& verb, RepoOptions& repo) {
  verb.add_option("--owner", repo.owner, "owner of the repository");
  verb.add_option("--repo", repo.repo, "name of the repository; both may be left out where one is configured");
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("kbgate answers questions in group chats and direct messages strictly from git-backed knowledge bases.");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failure, 2 usage, 3 refused: nothing supports an answer, 4 scope denied or unbound, 5 not "
      "valid,\n"
      "6 log does not verify, 69 dependency unavailable, 75 try again, 77 permission, 78 configuration.\n"
      "Every verb prints JSON on stdout and diagnostics on stderr. Config search order: --config, $KBGATE_CONFIG,\n"
      "$XDG_CONFIG_HOME/kbgate/kbgate.json, /etc/kbgate/kbgate.json.");
  Io const io{std::cout, std::cerr};
  std::function<int()> run;

  std::string config;
  auto const verb = [&](char const* name, char const* what) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->add_option("--config", config, "kbgate.json, or the directory that holds it");
    return sub;
  };

  ServeOptions serve;
  auto* serve_cmd = verb("serve", "run the daemon");
  serve_cmd->add_option("--ready_fd", serve.ready_fd, "also write the ready line to this descriptor");
  serve_cmd->callback([&] {
    run = [&] {
      serve.config = config;
      return serve_verb(serve, io);
    };
  });

  AskOptions ask;
  auto* ask_cmd = verb("ask", "answer one question without a daemon");
  add_sender(*ask_cmd, ask.sender);
  ask_cmd->add_option("--question", ask.question, "the question")->required();
  ask_cmd->add_option("--scope", ask.scope, "personal, team or both instead of what the words say");
  ask_cmd->add_option("--at", ask.at, "a commit or a date: answer as of then");
  ask_cmd->add_flag("--explain", ask.explain,
                    "each sentence with its verdict and what carries it; the terms asked, the parts of each score and "
                    "the evidence");
  ask_cmd->callback([&] {
    run = [&] {
      ask.config = config;
      return ask_verb(ask, io);
    };
  });

  AskOptions resolve;
  auto* resolve_cmd = verb("resolve_scope", "say which knowledge bases a question may be answered from");
  add_sender(*resolve_cmd, resolve.sender);
  resolve_cmd->add_option("--question", resolve.question, "the question");
  resolve_cmd->add_option("--scope", resolve.scope, "personal, team or both instead of what the words say");
  resolve_cmd->callback([&] {
    run = [&] {
      resolve.config = config;
      return resolve_scope_verb(resolve, io);
    };
  });

  Sender context;
  auto* context_cmd = verb("chat_context", "show sender, binding and team of a chat");
  add_sender(*context_cmd, context);
  context_cmd->callback([&] { run = [&] { return chat_context_verb(config, context, io); }; });

  RepoOptions repo;
  auto const with_config = [&]() -> RepoOptions const& {
    repo.config = config;
    return repo;
  };
  std::string kind = "all";
  auto* list_cmd = verb("kb_list", "list the catalogue of a knowledge base");
  add_repo(*list_cmd, repo);
  list_cmd->add_option("--kind", kind, "all, documents, concepts, resources, people, projects, reviews or imports");
  list_cmd->callback([&] { run = [&] { return kb_list_verb(with_config(), kind, io); }; });

  std::string path, at;
  auto* read_cmd = verb("kb_read", "print one page");
  add_repo(*read_cmd, repo);
  read_cmd->add_option("--path", path, "path in the repository; .md is added when the name has no dot")->required();
  read_cmd->add_option("--at", at, "a commit or a date");
  read_cmd->callback([&] { run = [&] { return kb_read_verb(with_config(), path, at, io); }; });

  ValidateOptions validate;
  auto* validate_cmd = verb("validate_answer", "check an answer's sources and, with pages, its sentences");
  validate_cmd->add_option("--answer", validate.answer, "the answer's text");
  validate_cmd->add_option("--answer_file", validate.answer_file,
                           "a file with it, or - (default /tmp/paperkb/answer.md)");
  validate_cmd->add_option("--allowed_sources", validate.allowed_sources,
                           "titles, paths or links, separated by newline , ; or |");
  validate_cmd->add_option("--allowed_sources_file", validate.allowed_sources_file,
                           "JSON array, object with sources, or lines (default /tmp/paperkb/read_pages.json)");
  validate_cmd->add_option("--pages_file", validate.pages_file,
                           "JSON array of the pages read: title, url, label, text");
  validate_cmd->callback([&] { run = [&] { return validate_answer_verb(validate, io); }; });

  LogQueryOptions log_query;
  auto* log_query_cmd = verb("log_query", "write one query to a knowledge base's log");
  add_repo(*log_query_cmd, log_query.repo);
  log_query_cmd->add_option("--open_id", log_query.open_id, "who asked")->required();
  log_query_cmd->add_option("--question", log_query.question, "what was asked")->required();
  log_query_cmd->add_option("--scope", log_query.scope, "personal, team or both")->required();
  log_query_cmd->add_option("--hits", log_query.hits, "pages that answered, separated by commas");
  log_query_cmd->callback([&] {
    run = [&] {
      log_query.repo.config = config;
      return log_query_verb(log_query, io);
    };
  });

  std::string chat_id, team_id, actor;
  auto* bind_cmd = verb("bind", "bind a group to a team");
  bind_cmd->add_option("--chat_id", chat_id, "the group")->required();
  bind_cmd->add_option("--team_id", team_id, "id or name of the team")->required();
  bind_cmd->add_option("--actor", actor, "open_id of an admin of that team")->required();
  bind_cmd->callback([&] { run = [&] { return bind_verb(config, chat_id, team_id, actor, io); }; });
  auto* unbind_cmd = verb("unbind", "end a group's binding");
  unbind_cmd->add_option("--chat_id", chat_id, "the group")->required();
  unbind_cmd->add_option("--team_id", team_id, "ignored; for symmetry with bind");
  unbind_cmd->add_option("--actor", actor, "open_id of an admin of its team")->required();
  unbind_cmd->callback([&] { run = [&] { return unbind_verb(config, chat_id, actor, io); }; });
  bool history = false;
  auto* bindings_cmd = verb("bindings", "list bindings");
  bindings_cmd->add_flag("--history", history, "with every step that led to them");
  bindings_cmd->callback([&] { run = [&] { return bindings_verb(config, history, io); }; });

  std::string action, since;
  auto* log_cmd = verb("log", "query records: tail, export, verify");
  log_cmd->add_option("action", action, "tail, export or verify")->required();
  add_repo(*log_cmd, repo);
  log_cmd->add_option("--since", since, "ISO 8601 date or time");
  log_cmd->callback([&] { run = [&] { return log_verb(action, with_config(), since, io); }; });

  auto* index_cmd = verb("index", "the index of each repository: stats, rebuild");
  index_cmd->add_option("action", action, "stats or rebuild")->required();
  add_repo(*index_cmd, repo);
  index_cmd->callback([&] { run = [&] { return index_verb(action, with_config(), io); }; });

  auto* sync_cmd = verb("sync", "fetch now and index what changed");
  add_repo(*sync_cmd, repo);
  sync_cmd->callback([&] { run = [&] { return sync_verb(with_config(), io); }; });

  verb("check_config", "check every file of the configuration")->callback([&] {
    run = [&] { return check_config_verb(config, io); };
  });

  verb("doctor", "what keeps kbgate from answering here; asks the platforms and the embeddings server too")->callback([&] {
    run = [&] { return doctor_verb(config, io); };
  });

  EvalOptions eval;
  std::string eval_action = "score";
  auto* eval_cmd = verb("eval", "score answers against a question set, or against what the pages themselves say");
  eval_cmd
      ->add_option(
          "action", eval_action,
          "score: --questions; generate: make questions from headings, tables, dates and definitions; run: ask "
          "those, also with the page gone and with the value changed")
      ->check(CLI::IsMember({"score", "generate", "run"}))
      ->capture_default_str();
  add_repo(*eval_cmd, eval.repo);
  eval_cmd->add_option("--questions", eval.questions,
                       "JSONL: question, answerable, gold_pages, answer_contains, main_lines");
  eval_cmd->add_option("--drafter", eval.drafter, "extractive, or model: the one of the settings")
      ->capture_default_str();
  eval_cmd->add_option("--limit", eval.limit, "only the first N questions; so many are made (60)");
  eval_cmd->add_flag("--print_questions", eval.print_questions, "print the questions, one a line, and ask nothing");
  eval_cmd->add_flag("--details", eval.details, "one JSON line for each question");
  eval_cmd->callback([&] {
    run = [&] {
      eval.repo.config = config;
      if (eval_action == "generate") return eval_generate_verb(eval, io);
      if (eval_action == "run") return eval_run_verb(eval, io);
      return eval_verb(eval, io);
    };
  });

  ChatOptions chat;
  chat.url = "ws://127.0.0.1:8642/ws";
  auto* chat_cmd = verb("chat", "talk to a running daemon; one message a line");
  chat_cmd->add_option("--url", chat.url, "the bridge")->capture_default_str();
  chat_cmd->add_option("--token_file", chat.token_file, "file with the bearer token");
  add_sender(*chat_cmd, chat.sender);
  chat_cmd->callback([&] { run = [&] { return chat_verb(chat, std::cin, io); }; });

  KbSearchOptions search;
  auto* search_cmd = verb("kb_search", "find passages with their exact place, best first");
  search_cmd->add_option("--query", search.query.query, "the question or its keywords");
  search_cmd->add_option("--root", search.roots, "owner/repo; may be repeated; all when left out");
  search_cmd->add_option("--file_types", search.query.file_types, "such as md,txt")->delimiter(',');
  search_cmd->add_option("--since", search.query.since, "YYYY-MM-DD, inclusive");
  search_cmd->add_option("--until", search.query.until, "YYYY-MM-DD, inclusive");
  search_cmd->add_option("--tag", search.query.tags, "of the page's head; may be repeated");
  search_cmd->add_option("--glob", search.query.glob, "of paths, such as ./runbooks/**/*.md");
  search_cmd->add_option("--limit", search.query.limit, "1 to 100")->capture_default_str();
  search_cmd->add_option("--format", search.format, "json or csv")->capture_default_str();
  search_cmd->add_option("--output", search.output, "write there, e.g. hit_list.csv");
  search_cmd->add_option("--template", search.csv_template, "a CSV file whose first line names the columns");
  search_cmd->add_flag("--explain", search.explain, "with the query taken apart and the parts of each score");
  search_cmd->add_flag("--compare", search.compare, "the best passage of each page, side by side");
  search_cmd->add_option("--quote", search.quote, "is this wording on a page?");
  search_cmd->add_option("--path", search.path, "the page that --quote asks about");
  search_cmd->add_option("--grep", search.grep, "words separated by |: the lines that hold one");
  search_cmd->add_flag("!--scan", search.query.use_index, "read every page instead of asking the index");
  search_cmd->callback([&] {
    run = [&] {
      search.config = config;
      return kb_search_verb(search, io);
    };
  });

  KbQueryOptions project;
  std::string paths = "relative";
  auto* project_cmd = verb("kb_query", "ask a project's knowledge base, within a budget of tokens");
  project_cmd->add_option("--query_type", project.query_type,
                          "overview, module, service, dependency, relationship, search or service-topology");
  project_cmd->add_option("--project_name", project.project_name, "the project");
  project_cmd->add_option("--project_root", project.project_root, "a checkout that tells the project, and for --deep");
  project_cmd->add_option("--target", project.target, "module, service, dependency, node or search words");
  project_cmd->add_option("--question", project.question, "in words, instead of --query_type");
  project_cmd->add_option("--max_tokens", project.max_tokens, "at most so many (default 500)");
  project_cmd->add_option("--level", project.level, "0 to 3: how much an overview tells")->check(CLI::Range(0, 3));
  project_cmd->add_flag("--deep", project.deep, "compare the manifest's hashes with the sources");
  project_cmd->add_option("--paths", paths, "relative or absolute")->check(CLI::IsMember({"relative", "absolute"}));
  project_cmd->callback([&] {
    run = [&] {
      project.config = config;
      project.absolute_paths = paths == "absolute";
      return kb_query_verb(project, io);
    };
  });
  std::string project_root;
  auto* identity_cmd = verb("kb_identity", "say which project a folder belongs to");
  identity_cmd->add_option("--project_root", project_root, "the folder")->required();
  identity_cmd->callback([&] { run = [&] { return kb_identity_verb(project_root, io); }; });

  BrainQueryOptions brain;
  auto* brain_cmd = verb("brain_query", "look questions up in the brains, themes cited and gaps logged");
  brain_cmd->add_option("--question", brain.query.questions, "may be repeated")->required();
  brain_cmd->add_option("--scope", brain.query.scope, "forge-dev, cycles, project or all; several joined by commas");
  brain_cmd->add_option("--role", brain.query.role, "decides the scope when none is given");
  brain_cmd->add_option("--project", brain.query.project, "required when the scope has project");
  brain_cmd->add_option("--category", brain.query.category, "pattern, antipattern, decision, operation or reference");
  brain_cmd->add_option("--cycle_id", brain.cycle_id, "whose gaps and events these are")->capture_default_str();
  brain_cmd->callback([&] {
    run = [&] {
      brain.config = config;
      return brain_query_verb(brain, io);
    };
  });

  KbChunksOptions chunks;
  auto const add_asker = [](CLI::App& cmd, kb::protocols::Asker& asker) {
    cmd.add_option("--agent_id", asker.agent, "the agent that asks");
    cmd.add_option("--channel", asker.channel, "its channel, such as peer-coach:511172388");
  };
  auto* chunks_cmd = verb("kb_chunks", "chunks of one knowledge base, asked by id or name");
  chunks_cmd->add_option("--knowledge_base_id", chunks.query.id, "as knowledge_bases lists it");
  chunks_cmd->add_option("--knowledge_base_name", chunks.query.name, "whatever its case");
  chunks_cmd->add_option("--query", chunks.query.query, "in words");
  chunks_cmd->add_option("--limit", chunks.query.limit, "1 to 20")->capture_default_str();
  add_asker(*chunks_cmd, chunks.asker);
  chunks_cmd->add_flag("!--no_graph_context", chunks.query.graph, "without what the chunks are linked to");
  chunks_cmd->callback([&] {
    run = [&] {
      chunks.config = config;
      return kb_chunks_verb(chunks, io);
    };
  });
  kb::protocols::Asker asker;
  auto* bases_cmd = verb("knowledge_bases", "list knowledge bases; with an agent or channel, those they see");
  add_asker(*bases_cmd, asker);
  bases_cmd->callback([&] { run = [&] { return knowledge_bases_verb(config, asker, io); }; });

  Sender agent;
  auto* mcp_cmd = verb("mcp", "serve the tools to an agent over the Model Context Protocol on stdio");
  mcp_cmd->add_option("--sender_id,--open_id", agent.sender_id, "as whom it asks");
  mcp_cmd->add_option("--chat_type", agent.chat_type, "direct (the default) or group");
  mcp_cmd->add_option("--chat_id", agent.chat_id, "the group it asks in");
  mcp_cmd->add_option("--agent_id", agent.agent_id, "the agent it is, for knowledge bases asked by name");
  mcp_cmd->add_option("--channel", agent.channel, "its channel; no argument can then name another");
  std::string agent_name;
  mcp_cmd->add_option("--as", agent_name, "instead: the name of an entry of `tokens`, whose scope it gets");
  mcp_cmd->callback([&] { run = [&] { return mcp_verb(config, agent, agent_name, std::cin, io); }; });

  TokenOptions token;
  auto* token_cmd = verb("token", "make a bearer token for an agent, and the settings' entry that lets it in");
  token_cmd->add_option("--name", token.name, "of the agent, in records and logs")->required();
  token_cmd->add_option("--sender_id,--open_id", token.sender_id, "the person it speaks for");
  token_cmd->add_option("--chat_id", token.chat_id, "asks as in this group; without it, as in private");
  token_cmd->add_option("--scope", token.scope, "personal, team or both: the most of that person's own part");
  token_cmd->add_option("--repos", token.repos, "owner/repo, of any kind, besides; several joined by commas")
      ->delimiter(',');
  token_cmd->add_option("--requests_per_minute", token.requests_per_minute, "60 when left out");
  token_cmd->callback([&] { run = [&] { return token_verb(token, io); }; });

  SimFeishuOptions sim;
  auto* sim_cmd = app.add_subcommand("sim", "pretend platforms, for trying an adapter without the real one");
  sim_cmd->require_subcommand(1);
  auto* feishu_cmd = sim_cmd->add_subcommand("feishu", "Feishu's open platform on 127.0.0.1");
  feishu_cmd->add_option("--port", sim.port, "0 picks a free one");
  feishu_cmd->add_option("--app_id", sim.app_id, "the app it knows");
  feishu_cmd->add_option("--app_secret", sim.app_secret, "and its secret");
  feishu_cmd->add_option("--events", sim.events, "directory of sample events that its control API can name");
  feishu_cmd->add_flag("--tls", sim.tls, "speak https and wss with a certificate made for this run");
  feishu_cmd->add_option("--ca_out", sim.ca_out, "with --tls: file for that certificate, for clients to trust");
  feishu_cmd->add_flag("--no_rate_limits", sim.no_rate_limits, "answer however fast it is asked");
  feishu_cmd->add_flag("--verbose", sim.verbose, "log each call and each fault of the client");
  feishu_cmd->callback([&] { run = [&] { return sim_feishu_verb(sim, io); }; });

  verb("version", "print what was built")->callback([&] { run = [&] { return version_verb(io); }; });

  std::set<std::string> names;
  collect_names(app, names);
  std::vector<std::string> args = with_underscores(argc, argv, names);
  std::reverse(args.begin(), args.end());  // the order CLI11 wants
  try {
    app.parse(std::move(args));
  } catch (CLI::ParseError const& error) {
    int const code = app.exit(error);
    return code == 0 ? kDone : kUsage;
  }
  int exit_code = kFailure;
  try {
    exit_code = run();
  } catch (std::exception const& fault) {
    exit_code = fail(io, "internal_error", fault.what(), kFailure);
  }
  std::cout.flush();
  return exit_code;
}
