// Two worlds that differ only in what a caller may not see: every reply, error and record is the same, byte for byte.
#include <deque>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "daemon/tools.hpp"
#include "tests/support/temp_repo.hpp"

using Json = nlohmann::ordered_json;
using kb::ChatId;
using kb::RepoId;
using kb::TeamId;
using kb::UserId;
using kb::daemon::ToolCall;
using kb::daemon::ToolReply;
using kb::daemon::World;
using kb::test::TempRepo;

namespace {

constexpr int kCases = 3000;

using Pages = std::map<std::string, std::string>;
using Random = std::mt19937;

RepoId const kTeam("nlp", "kb");
RepoId const kAlice("alice", "notes");
RepoId const kBob("bob", "notes");
RepoId const kOther("cv", "kb");

char const* const kWords[] = {"缓存",     "组会",    "航班", "邀请码", "atlas", "rotate",
                              "API keys", "latency", "李明", "预算",   "NH964", "zebra"};

std::string word(Random& random) { return kWords[random() % std::size(kWords)]; }

/// Pages a caller must never feel: their words are those that are asked for.
Pages hidden_pages(Random& random) {
  Pages out;
  for (unsigned n = static_cast<unsigned>(random() % 6); n > 0; --n) {
    out["concepts/" + std::to_string(random() % 9) + ".md"] = "# " + word(random) + "\n\n" + word(random) + "的" +
                                                              word(random) + "是 " + std::to_string(random() % 1000) +
                                                              "。\n";
  }
  out["index.md"] = "# 目录\n";
  return out;
}

class TwoWorlds {
 public:
  TwoWorlds() {
    kb::config::Directory directory;
    auto const person = [&](char const* id, std::optional<RepoId> own, std::vector<TeamId> teams) {
      kb::config::User user;
      user.id = UserId(id);
      user.personal_kb = std::move(own);
      user.teams = std::move(teams);
      directory.users[user.id] = user;
    };
    person("ou_alice", kAlice, {TeamId("team_nlp")});
    person("ou_bob", kBob, {TeamId("team_nlp")});
    person("ou_carol", std::nullopt, {});
    kb::config::Team team;
    team.id = TeamId("team_nlp");
    team.name = "NLP 团队";
    team.kb = kTeam;
    team.members = {UserId("ou_alice"), UserId("ou_bob")};
    directory.teams[team.id] = team;
    kb::config::Binding binding;
    binding.chat = ChatId("oc_nlp");
    binding.team = team.id;
    binding.kb = kTeam;
    directory.bindings[binding.chat] = binding;

    Pages const team_pages{
        {"concepts/缓存.md", "# 缓存\n\n缓存的保留时间是 45 分钟，由运维组设定。\n"},
        {"summaries/meetings/2026-11-02-组会.md", "# 组会\n\n组会每周一上午 10 点半开始。\n"},
        {"projects/atlas/README.md", "# atlas\n\nAtlas is the retrieval platform. Its latency is 118 ms.\n"},
        {"projects/atlas/modules/_index.md", "# Modules\n\n- [[modules/auth]]\n"},
        {"projects/atlas/modules/auth.md", "# auth\n\nHandles authentication.\n"},
        {"security/keys.md", "# Keys\n\nAPI keys are rotated every 90 days with approval.\n"},
        {"TEAM_INFO.md", "# 团队\n\n邀请码：NLP-7K2M\n"},
        {"log.md", "# Log\n\n- 航班\n"}};
    Pages const own_pages{{"notes/东京.md", "# 东京\n\n我的航班是 2026-12-05 的 NH964。\n"}};
    Random random(20261130);
    for (World* world : {&a_, &b_}) {
      kb::config::Books books;
      books.directory = directory;
      auto snapshots = std::make_shared<kb::kbrepo::Snapshots>();
      add(books, *snapshots, kTeam, team_pages);
      add(books, *snapshots, kAlice, own_pages);
      add(books, *snapshots, kBob, hidden_pages(random));
      if (world == &b_) add(books, *snapshots, kOther, hidden_pages(random));
      world->books = std::make_shared<kb::config::Books const>(std::move(books));
      world->snapshots = std::move(snapshots);
    }
  }

  [[nodiscard]] World const& a() const { return a_; }
  [[nodiscard]] World const& b() const { return b_; }

 private:
  void add(kb::config::Books& books, kb::kbrepo::Snapshots& snapshots, RepoId const& id, Pages const& pages) {
    TempRepo& repo = repos_.emplace_back();
    repo.commit(pages);
    kb::config::RepoSettings settings;
    settings.id = id;
    settings.git = repo.path();
    settings.knowledge_base.id = "kb_" + id.owner;
    settings.knowledge_base.name = id.str();
    books.settings.repos.push_back(settings);
    auto built = kb::kbrepo::Snapshot::build(settings, *kb::kbrepo::CommitId::parse(repo.head()), nullptr, {});
    if (!built) FAIL(built.error().what);
    snapshots[id] = *built;
  }

  std::deque<TempRepo> repos_;
  World a_, b_;
};

/// A call as anybody may make it, with names of what is hidden among its arguments.
ToolCall random_call(Random& random) {
  static constexpr char const* kTools[] = {"kb_ask",   "kb_search",   "kb_read",   "kb_list",
                                           "kb_query", "kb_validate", "kb_nothing", "kb_chunks",
                                           "crystal_recall", "crystal_list_knowledge_bases"};
  static constexpr char const* kOwners[] = {"", "nlp", "alice", "bob", "cv", "zed"};
  static constexpr char const* kRepos[] = {"", "kb", "notes", "none"};
  static constexpr char const* kPaths[] = {"concepts/缓存", "concepts/1", "notes/东京", "TEAM_INFO",
                                           "log",           "index",      "../x",       ""};
  static constexpr char const* kProjects[] = {"atlas", "notes", "kb", "nope"};
  static constexpr char const* kTypes[] = {"overview", "module", "search", "relationship", "x"};
  ToolCall call;
  call.name = kTools[random() % std::size(kTools)];
  call.caller.sender = UserId(random() % 5 == 0 ? "ou_carol" : "ou_alice");
  bool const group = random() % 2 == 0;
  call.caller.chat_type = group ? kb::scope::ChatType::group : kb::scope::ChatType::direct;
  if (group) call.caller.chat = ChatId(random() % 8 == 0 ? "oc_new" : "oc_nlp");
  call.query_id = "01TESTQUERY";
  std::string const owner = kOwners[random() % std::size(kOwners)];
  std::string const repo = kRepos[random() % std::size(kRepos)];
  Json arguments = Json::object();
  if (call.name == "kb_ask") {
    arguments["question"] = word(random) + (random() % 2 == 0 ? "的" + word(random) : "") + "是多少？";
  } else if (call.name == "kb_search") {
    arguments["query"] = word(random) + " " + word(random);
    if (random() % 3 == 0) arguments["roots"] = {owner + "/" + repo};
    if (random() % 3 == 0) arguments["explain"] = true;
  } else if (call.name == "kb_read") {
    arguments = {{"owner", owner}, {"repo", repo}, {"path", kPaths[random() % std::size(kPaths)]}};
  } else if (call.name == "kb_list") {
    arguments = {{"owner", owner}, {"repo", repo}};
  } else if (call.name == "kb_query") {
    arguments = {{"project_name", kProjects[random() % std::size(kProjects)]},
                 {"query_type", kTypes[random() % std::size(kTypes)]},
                 {"target", word(random)}};
  } else if (call.name == "kb_chunks") {
    bool const by_id = random() % 2 == 0;
    arguments = {{by_id ? "knowledgeBaseId" : "knowledgeBaseName", by_id ? "kb_" + owner : owner + "/" + repo},
                 {"query", word(random) + " " + word(random)}};
    if (random() % 3 == 0) arguments["channel"] = random() % 2 == 0 ? "peer-coach:1" : "peer-coach:";
  } else if (call.name == "crystal_recall") {
    arguments["query"] = word(random) + " " + word(random);
  } else if (call.name == "crystal_list_knowledge_bases") {
    if (random() % 3 == 0) arguments["agentId"] = word(random);
  } else {
    arguments["answer"] = word(random);
  }
  call.arguments = arguments.dump();
  return call;
}

/// Everything that leaves or stays behind.
std::string all_of(ToolReply const& reply) {
  std::string out = std::to_string(reply.status) + reply.code + reply.message + reply.json + reply.outcome +
                    reply.text + reply.sources_json;
  for (kb::logging::QueryRecord const& record : reply.records) out += kb::logging::to_json(record) + "\n";
  return out;
}

}  // namespace

TEST_CASE("what a caller may not see changes no byte of any reply, error or record") {
  TwoWorlds const worlds;
  Random random(7);
  std::map<std::string, int> replies;
  std::size_t answered = 0;
  for (int i = 0; i < kCases; ++i) {
    ToolCall const call = random_call(random);
    CAPTURE(i);
    CAPTURE(call.name);
    CAPTURE(call.arguments);
    ToolReply const one = kb::daemon::call_tool(call, worlds.a());
    ToolReply const two = kb::daemon::call_tool(call, worlds.b());
    REQUIRE_EQ(all_of(one), all_of(two));
    ++replies[one.ok ? "ok" : one.code];
    answered += one.outcome == "answered" ? 1 : 0;
    for (kb::logging::QueryRecord const& record : one.records) {
      bool const known = record.repo == kTeam || record.repo == kAlice;
      REQUIRE(known);
    }
  }
  // The cases are not all of one kind.
  CHECK_GT(answered, 20);
  for (char const* kind :
       {"ok", "knowledge_base_not_found", "page_not_found", "chat_not_bound", "bad_request", "unknown_tool"}) {
    CAPTURE(kind);
    CHECK_GT(replies[kind], 5);
  }
}

TEST_CASE("the same test sees a difference that the caller may see") {
  TwoWorlds const worlds;
  ToolCall call;
  call.name = "kb_ask";
  call.caller.sender = UserId("ou_bob");
  call.query_id = "01TESTQUERY";
  bool differs = false;
  for (char const* one : kWords) {
    call.arguments = Json{{"question", std::string("我的") + one + "是多少？"}, {"scope", "personal"}}.dump();
    differs =
        differs || all_of(kb::daemon::call_tool(call, worlds.a())) != all_of(kb::daemon::call_tool(call, worlds.b()));
  }
  CHECK(differs);
}
