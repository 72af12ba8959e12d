/// Two kinds of world that differ only in what their callers may not see, and calls as anybody may make them.
#pragma once

#include <deque>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>

#include "daemon/api_books.hpp"
#include "daemon/peer.hpp"
#include "daemon/tools.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::test {

using Random = std::mt19937;

enum class Kind { a, b };

inline RepoId const kTeamRepo("nlp", "kb");
inline RepoId const kAliceRepo("alice", "notes");
inline RepoId const kBobRepo("bob", "notes");
inline RepoId const kDocsRepo("acme", "docs");
inline RepoId const kBrainRepo("acme", "brain");
inline RepoId const kCoachRepo("acme", "coaching");  ///< asked on a peer's channel alone

inline constexpr char const* kWords[] = {"缓存",     "组会",    "航班", "邀请码", "atlas",   "rotate", "auth",
                                         "API keys", "latency", "李明", "预算",   "batches", "NH964",  "zebra"};

inline std::string a_word(Random& random) { return kWords[random() % std::size(kWords)]; }

template <std::size_t N>
std::string one_of(char const* const (&list)[N], Random& random) {
  return list[random() % N];
}

/// Everything that leaves or stays behind.
inline std::string all_of(daemon::ToolReply const& reply) {
  std::string out = std::to_string(reply.status) + reply.code + reply.message + reply.json + reply.outcome +
                    reply.text + reply.sources_json;
  for (logging::QueryRecord const& record : reply.records) out += logging::to_json(record) + "\n";
  return out;
}

/// A world of its own: repositories, snapshots, people and a journal. What is visible to alice, carol and the tokens is
/// the same in every world; the rest follows from the kind and the seed: whole knowledge bases, and within those that
/// they may read control pages, logs, what `exclude` names and the pages of other peers.
class SampleWorld {
 public:
  SampleWorld(Kind kind, unsigned seed) {
    Random random(seed);
    config::Settings settings;
    config::Directory directory;
    add_people(directory, kind);
    auto snapshots = std::make_shared<kbrepo::Snapshots>();
    std::size_t const hidden = kind == Kind::a ? 2 : 9;
    add(settings, *snapshots, kTeamRepo, config::RepoKind::team, with(team_pages(), hidden_within(random, hidden)));
    add(settings, *snapshots, kAliceRepo, config::RepoKind::personal,
        with({{"notes/东京.md", "# 东京\n\n我的航班是 2026-12-05 的 NH964。\n"}}, hidden_within(random, hidden)));
    add(settings, *snapshots, kDocsRepo, config::RepoKind::project_docs,
        with(docs_pages("atlas", "Sessions last 30 minutes."), hidden_within(random, hidden)));
    add(settings, *snapshots, kBrainRepo, config::RepoKind::brain,
        with(brain_pages("Review small batches of 200 lines."), hidden_within(random, hidden)));
    add(settings, *snapshots, kCoachRepo, config::RepoKind::search_root,
        with(coach_pages(), with(peers_pages(random, hidden), hidden_within(random, hidden))));
    settings.repos.back().knowledge_base.scope = "coach:main";
    settings.repos.back().knowledge_base.permissive = true;
    add(settings, *snapshots, kBobRepo, config::RepoKind::personal, hidden_pages(random, hidden));
    if (kind == Kind::b) {  // knowledge bases that the other kind does not have, of every sort
      add(settings, *snapshots, RepoId("cv", "kb"), config::RepoKind::team, hidden_pages(random, 9));
      add(settings, *snapshots, RepoId("zed", "atlas"), config::RepoKind::project_docs,
          docs_pages("atlas", "Zebra sessions last 90 minutes."));
      add(settings, *snapshots, RepoId("zed", "brain"), config::RepoKind::brain,
          brain_pages("Zebra batches have 9000 lines."));
      add(settings, *snapshots, RepoId("zed", "root"), config::RepoKind::search_root, hidden_pages(random, 9));
    }
    add_tokens(settings);
    for (auto const& [id, snapshot] : *snapshots) {
      states_.emplace(id, daemon::RepoState{id, "", snapshot->commit().hex(), snapshot->stats().pages, std::nullopt});
    }
    world_.books = std::make_shared<config::Books const>(std::move(settings), std::move(directory));
    world_.snapshots = std::move(snapshots);
    open_journal(kind);
  }

  [[nodiscard]] daemon::World const& world() const noexcept { return world_; }

  /// All that leaves or stays behind of a reply. A commit's id follows from all that is in it, so that it cannot be the
  /// same in two worlds, and tells nothing of what is hidden but that something of the repository changed; it stands
  /// for itself.
  [[nodiscard]] std::string told(daemon::ToolReply const& reply) const { return without_commits(all_of(reply)); }
  [[nodiscard]] std::string without_commits(std::string text) const {
    for (auto const& [id, state] : states_) {
      std::string const begin = state.commit.substr(0, 8);  // as some replies abbreviate it
      for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at)) {
        bool const whole = text.compare(at, state.commit.size(), state.commit) == 0;
        text.replace(at, whole ? state.commit.size() : begin.size(), "<commit of " + id.str() + ">");
      }
    }
    return text;
  }
  [[nodiscard]] daemon::RepoState const* repo_state(RepoId const& id) const {
    auto const at = states_.find(id);
    return at == states_.end() ? nullptr : &at->second;
  }
  [[nodiscard]] logging::Journal& journal() const noexcept { return *journal_; }

  [[nodiscard]] daemon::ToolReply reply_to(daemon::ToolCall const& call) const {
    if (!daemon::is_books_call(call.name)) {
      daemon::ToolCall with_journal = call;
      if (daemon::reads_journal(call.name)) with_journal.journal = journal_.get();
      return daemon::call_tool(with_journal, world_);
    }
    return daemon::books_call(call, world_, *journal_, [this](RepoId const& id) { return repo_state(id); });
  }

 private:
  using Pages = std::map<std::string, std::string>;

  static Pages team_pages() {
    return {{"concepts/缓存.md", "# 缓存\n\n缓存的保留时间是 45 分钟，由运维组设定。\n"},
            {"summaries/meetings/2026-11-02-组会.md", "# 组会\n\n组会每周一上午 10 点半开始。\n"},
            {"projects/atlas/README.md", "# atlas\n\nAtlas is the retrieval platform. Its latency is 118 ms.\n"},
            {"projects/atlas/modules/_index.md", "# Modules\n\n- [[modules/auth]]\n"},
            {"projects/atlas/modules/auth.md", "# auth\n\nHandles authentication.\n"},
            {"security/keys.md", "# Keys\n\nAPI keys are rotated every 90 days with approval.\n"}};
  }
  static Pages docs_pages(std::string const& project, std::string const& fact) {
    std::string const folder = "projects/" + project + "/";
    return {{folder + "README.md", "# " + project + "\n\nThe documents of the project.\n"},
            {folder + "modules/_index.md", "# Modules\n\n- [[modules/auth]]\n"},
            {folder + "modules/auth.md", "# auth\n\n" + fact + "\n"}};
  }
  static Pages brain_pages(std::string const& fact) {
    return {{"brain/cycles/patterns.md", "# Patterns\n\n- [`small`](./themes/small.md) — small batches\n"},
            {"brain/cycles/themes/small.md", "---\ntitle: Small\ncategory: pattern\n---\n# Small\n\n" + fact + "\n"}};
  }
  /// Peer 1's and everybody's, with links to what another peer may have.
  static Pages coach_pages() {
    return {{"plans/batches.md", "# Batches\n\nReview batches of 200 lines. See [[peers/3]] and [[peers/8]].\n"},
            {"plans/one.md", "---\nscope: 1\n---\n# 预算\n\n预算是 300 元，latency 不限。\n"},
            {"graph.json",
             R"({"nodes":[{"id":"b","kb_doc":"plans/batches.md"},{"id":"x","label":"zebra","kb_doc":"peers/8.md"}],)"
             R"("edges":[{"source":"b","target":"x","relation":"leads to"}]})"}};
  }
  static Pages peers_pages(Random& random, std::size_t count) {
    Pages out;
    for (std::size_t n = 0; n < count; ++n) {
      out["peers/" + std::to_string(n) + ".md"] =
          "---\nscope: " + std::string(n % 3 == 2 ? "3" : "2") + "\n---\n" + a_text(random);
    }
    return out;
  }
  /// Pages a caller must never feel: their words are those that are asked for.
  static Pages hidden_pages(Random& random, std::size_t count) {
    Pages out;
    for (std::size_t n = 0; n < count; ++n) out["concepts/" + std::to_string(n) + ".md"] = a_text(random);
    out["index.md"] = "# 目录\n";
    return out;
  }
  /// What nobody is shown of a repository that they may read.
  static Pages hidden_within(Random& random, std::size_t count) {
    Pages out;
    out["TEAM_INFO.md"] = "# 团队\n\n邀请码：NLP-" + std::to_string(random() % 10000) + "\n";
    out["log.md"] = "# Log\n\n- " + a_word(random) + "\n";
    for (std::size_t n = 0; n < count; ++n) {
      std::string const name = std::to_string(n) + ".md";
      for (char const* folder : {"private/", "identity/", ".drafts/"}) out[folder + name] = a_text(random);
      out["projects/ghost" + std::to_string(n) + "/AGENTS.md"] = a_text(random);
      out["_logs/chat-" + std::to_string(n) + "/brain-gaps.jsonl"] = "{}\n";
    }
    return out;
  }
  static std::string a_text(Random& random) {
    return "# " + a_word(random) + "\n\n" + a_word(random) + "的" + a_word(random) + "是 " +
           std::to_string(random() % 1000) + "。\n";
  }
  static Pages with(Pages pages, Pages more) {
    pages.merge(more);
    return pages;
  }

  static void add_people(config::Directory& directory, Kind kind) {
    auto const person = [&directory](char const* id, std::optional<RepoId> own, std::vector<TeamId> teams) {
      config::User user;
      user.id = UserId(id);
      user.personal_kb = std::move(own);
      user.teams = std::move(teams);
      directory.users[user.id] = user;
    };
    auto const team = [&directory](char const* id, RepoId const& repo, std::vector<UserId> members, char const* chat) {
      config::Team out;
      out.id = TeamId(id);
      out.name = id;
      out.kb = repo;
      out.members = std::move(members);
      directory.teams[out.id] = out;
      config::Binding binding;
      binding.chat = ChatId(chat);
      binding.team = out.id;
      binding.kb = repo;
      directory.bindings[binding.chat] = binding;
    };
    person("ou_alice", kAliceRepo, {TeamId("team_nlp")});
    person("ou_bob", kBobRepo, {TeamId("team_nlp")});
    person("ou_carol", std::nullopt, {});
    team("team_nlp", kTeamRepo, {UserId("ou_alice"), UserId("ou_bob")}, "oc_nlp");
    if (kind == Kind::a) return;
    person("ou_dave", std::nullopt, {TeamId("team_cv")});
    team("team_cv", RepoId("cv", "kb"), {UserId("ou_dave")}, "oc_cv");
  }

  static void add_tokens(config::Settings& settings) {
    config::TokenSettings agent;
    agent.name = "agent";
    agent.repos = {kDocsRepo, kBrainRepo};
    config::TokenSettings alice;
    alice.name = "alice";
    alice.sender = UserId("ou_alice");
    alice.scope = "team";
    alice.repos = {kDocsRepo};
    config::TokenSettings coach;
    coach.name = "coach";
    coach.repos = {kCoachRepo};
    coach.channel = "peer-coach:1";
    settings.tokens = {agent, alice, coach};
  }

  void add(config::Settings& all, kbrepo::Snapshots& snapshots, RepoId const& id, config::RepoKind kind,
           Pages const& pages) {
    TempRepo& repo = repos_.emplace_back();
    repo.commit(pages);
    config::RepoSettings settings;
    settings.id = id;
    settings.kind = kind;
    settings.exclude = {"private/**"};
    settings.web_url = "https://git.example.org/{owner}/{repo}/blob/{commit}/{path}#L{start}-L{end}";
    settings.git = repo.path();
    settings.knowledge_base.id = "kb_" + id.owner + "_" + id.repo;
    settings.knowledge_base.name = id.str();
    all.repos.push_back(settings);
    auto built = kbrepo::Snapshot::build(settings, *kbrepo::CommitId::parse(repo.head()), nullptr, {});
    if (!built) throw std::runtime_error(built.error().what);
    snapshots[id] = *built;
  }

  /// Records of alice, the same everywhere; and of others about what is hidden.
  void open_journal(Kind kind) {
    journal_ = logging::Journal::open(dir_.path()).value();
    logging::Settlement settlement;
    settlement.reply.key = "seed";
    auto const record = [&](RepoId const& repo, char const* who, int n) {
      logging::QueryRecord out;
      out.query_id = "01SEED" + std::to_string(n);
      out.record_id = logging::record_id(out.query_id, repo);
      auto const two = [](int value) { return (value < 10 ? "0" : "") + std::to_string(value); };
      out.time = "2026-11-30T08:" + two(n / 60) + ":" + two(n % 60) + "Z";
      out.repo = repo;
      out.open_id = who;
      out.question = "缓存？";
      out.outcome = n % 2 == 0 ? "answered" : "no_answer";
      out.gap = n % 2 != 0;
      settlement.records.push_back(std::move(out));
    };
    for (int n = 0; n < 4; ++n) record(n < 2 ? kTeamRepo : kAliceRepo, "ou_alice", n);
    record(kDocsRepo, "token:agent", 4);
    // Some hundred, as a journal of a day holds: with a few, one more would add a level to the tree that it is kept in.
    for (int n = 5; n < (kind == Kind::a ? 305 : 425); ++n) record(kBobRepo, "ou_bob", n);
    std::promise<Result<void>> done;
    journal_->settle(std::move(settlement), TimePoint{}, [&done](Result<void> result) { done.set_value(result); });
    if (Result<void> const stored = done.get_future().get(); !stored) throw std::runtime_error(stored.error().what);
  }

  TempDir dir_;
  std::deque<TempRepo> repos_;
  daemon::World world_;
  config::RoomyMap<RepoId, daemon::RepoState> states_;
  std::unique_ptr<logging::Journal> journal_;
};

/// Alice in private or in a group, carol, nobody we know, or one of the tokens. `books`: of either kind of world.
inline daemon::Caller a_caller(Random& random, config::Books const& books) {
  daemon::Caller caller;
  unsigned const who = static_cast<unsigned>(random() % 12);
  if (who >= 7) return daemon::caller_of(books.settings.tokens[(who - 7) / 2], books);
  caller.sender = UserId(who == 0 ? "ou_carol" : who == 1 ? "ou_eve" : "ou_alice");
  bool const group = random() % 2 == 0;
  caller.chat_type = group ? scope::ChatType::group : scope::ChatType::direct;
  static constexpr char const* kChats[] = {"oc_nlp", "oc_nlp", "oc_nlp", "oc_nlp", "oc_nlp", "oc_new"};
  if (group) caller.chat = ChatId(one_of(kChats, random));
  return caller;
}

/// A call as anybody may make it, with names of what is hidden among its arguments.
inline daemon::ToolCall a_call(Random& random, config::Books const& books) {
  static constexpr char const* kTools[] = {"kb_ask",
                                           "kb_search",
                                           "kb_read",
                                           "kb_list",
                                           "kb_query",
                                           "brain_query",
                                           "kb_validate",
                                           "kb_nothing",
                                           "scope",
                                           "log",
                                           "gaps",
                                           "repos",
                                           "bindings",
                                           "kb_query",
                                           "kb_read",
                                           "kb_chunks",
                                           "crystal_recall",
                                           "crystal_recall",
                                           "kb_chunks",
                                           "crystal_list_knowledge_bases",
                                           "crystal_search_messages"};
  static constexpr char const* kOwners[] = {"", "nlp", "alice", "bob", "cv", "zed", "acme"};
  static constexpr char const* kRepos[] = {"", "kb", "notes", "none", "docs", "brain", "root", "atlas", "coaching"};
  static constexpr char const* kPaths[] = {"concepts/缓存",
                                           "concepts/1",
                                           "notes/东京",
                                           "TEAM_INFO",
                                           "log",
                                           "index",
                                           "../x",
                                           "",
                                           "brain/cycles/themes/small",
                                           "projects/atlas/modules/auth",
                                           "private/1",
                                           "identity/5",
                                           "projects/ghost5/AGENTS",
                                           "peers/8"};
  static constexpr char const* kPlaces[][3] = {{"nlp", "kb", "concepts/缓存"},
                                               {"alice", "notes", "notes/东京"},
                                               {"acme", "docs", "projects/atlas/modules/auth"},
                                               {"acme", "brain", "brain/cycles/themes/small"},
                                               {"acme", "coaching", "plans/one"},
                                               {"bob", "notes", "concepts/1"},
                                               {"zed", "brain", "brain/cycles/themes/small"}};
  static constexpr char const* kProjects[] = {"atlas", "notes", "kb", "nope", "zed", "ghost1", "ghost5"};
  static constexpr char const* kTypes[] = {"overview", "module", "search", "relationship", "x"};
  static constexpr char const* kScopes[] = {"cycles", "all", "project", "forge-dev", "odd"};
  static constexpr char const* kForced[] = {"personal", "team", "both"};
  daemon::ToolCall call;
  call.name = one_of(kTools, random);
  call.caller = a_caller(random, books);
  call.query_id = "01TESTQUERY";
  std::string const owner = one_of(kOwners, random);
  std::string const repo = one_of(kRepos, random);
  nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
  if (call.name == "kb_ask" || call.name == "scope") {
    bool const overview = random() % 8 == 0;
    arguments["question"] = overview ? std::string("What modules exist?")
                                     : a_word(random) + (random() % 2 == 0 ? "的" + a_word(random) : "") + "是多少？";
    if (random() % 4 == 0) arguments["scope"] = one_of(kForced, random);
  } else if (call.name == "kb_search") {
    arguments["query"] = a_word(random) + " " + a_word(random);
    if (random() % 3 == 0) arguments["roots"] = {owner + "/" + repo};
    if (random() % 3 == 0) arguments["explain"] = true;
  } else if (call.name == "kb_read") {
    arguments = {{"owner", owner}, {"repo", repo}, {"path", one_of(kPaths, random)}};
    auto const& there = kPlaces[random() % std::size(kPlaces)];
    if (random() % 2 == 0) arguments = {{"owner", there[0]}, {"repo", there[1]}, {"path", there[2]}};
  } else if (call.name == "kb_list" || call.name == "log" || call.name == "gaps") {
    if (random() % 2 == 0) arguments = {{"owner", owner}, {"repo", repo}};
  } else if (call.name == "kb_query") {
    arguments = {{"project_name", one_of(kProjects, random)},
                 {"query_type", one_of(kTypes, random)},
                 {"target", a_word(random)}};
  } else if (call.name == "brain_query") {
    arguments = {{"questions", {a_word(random) + " " + a_word(random)}},
                 {"scope", one_of(kScopes, random)},
                 {"project", one_of(kProjects, random)}};
  } else if (call.name == "kb_validate") {
    arguments["answer"] = a_word(random);
  } else if (call.name == "kb_chunks") {
    auto const& there = kPlaces[random() % std::size(kPlaces)];
    bool const by_id = random() % 2 == 0;
    std::string const name = by_id ? std::string("kb_") + there[0] + "_" + there[1] : owner + "/" + repo;
    arguments = {{by_id ? "knowledgeBaseId" : "knowledgeBaseName", name},
                 {"query", a_word(random) + " " + a_word(random)}};
    if (random() % 3 == 0) arguments["channel"] = random() % 2 == 0 ? "peer-coach:1" : "peer-coach:";
    if (random() % 3 == 0) arguments["includeGraphContext"] = false;
  } else if (call.name == "crystal_recall" || call.name == "crystal_search_messages") {
    arguments["query"] = a_word(random) + " " + a_word(random);
  } else if (call.name == "crystal_list_knowledge_bases") {
    if (random() % 3 == 0) arguments["agentId"] = a_word(random);
  }
  call.arguments = arguments.dump();
  return call;
}

}  // namespace kb::test
