#include "daemon/query_cache.hpp"

#include <chrono>
#include <doctest/doctest.h>

#include "tests/daemon/two_worlds.hpp"

namespace kb::test {
namespace {

using namespace std::chrono_literals;
using daemon::QueryCache;
using protocols::ProjectReply;
using protocols::ProjectStatus;

daemon::ToolCall module_call(char const* sender = "ou_alice") {
  daemon::ToolCall call;
  call.name = "kb_query";
  call.arguments = R"({"project_name":"atlas","query_type":"module","target":"auth"})";
  call.caller.sender = UserId(sender);
  return call;
}

QueryCache::Answer answer_of(ProjectStatus status) {
  ProjectReply reply;
  reply.status = status;
  return std::make_shared<ProjectReply const>(reply);
}

}  // namespace

TEST_CASE("an answer is kept for five minutes, and an error not at all") {
  QueryCache cache;
  QueryCache::Time const start{};
  cache.keep("key", answer_of(ProjectStatus::not_found), start);
  CHECK(cache.find("key", start + 4min + 59s) != nullptr);
  CHECK(cache.find("other", start) == nullptr);
  CHECK(cache.find("key", start + 5min) == nullptr);
  CHECK(cache.find("key", start) == nullptr);
  cache.keep("key", answer_of(ProjectStatus::error), start);
  CHECK(cache.find("key", start) == nullptr);
  CHECK_EQ(cache.hits(), 1);
}

TEST_CASE("of very many answers the oldest go") {
  QueryCache cache;
  for (int i = 0; i < 600; ++i) {
    cache.keep(std::to_string(i), answer_of(ProjectStatus::success), QueryCache::Time{} + std::chrono::seconds(i / 10));
  }
  CHECK(cache.find("0", QueryCache::Time{} + 60s) == nullptr);
  CHECK(cache.find("599", QueryCache::Time{} + 60s) != nullptr);
}

TEST_CASE("the same question of the same caller has one key; another caller, scope, question or commit has another") {
  SampleWorld const one(Kind::a, 1);
  daemon::World const& world = one.world();
  std::string const key = cache_key(module_call(), world);
  CHECK_FALSE(key.empty());
  CHECK_EQ(cache_key(module_call(), world), key);
  CHECK_NE(cache_key(module_call("ou_bob"), world), key);
  daemon::ToolCall call = module_call();
  call.caller.chat_type = scope::ChatType::group;
  call.caller.chat = ChatId("oc_nlp");
  CHECK_NE(cache_key(call, world), key);
  call = module_call();
  call.arguments = R"({"project_name":"atlas","query_type":"overview"})";
  CHECK_NE(cache_key(call, world), key);
  call = module_call();
  call.caller.credential = scope::credential_of(world.books->settings.tokens[1], *world.books);
  CHECK_NE(cache_key(call, world), key);

  TempRepo repo;
  repo.commit({{"projects/atlas/README.md", "# atlas\n\nNew.\n"}});
  daemon::World later = world;
  auto snapshots = std::make_shared<kbrepo::Snapshots>(*world.snapshots);
  config::RepoSettings settings = *world.books->settings.find(kTeamRepo);
  settings.git = repo.path();
  (*snapshots)[kTeamRepo] =
      kbrepo::Snapshot::build(settings, *kbrepo::CommitId::parse(repo.head()), nullptr, {}).value();
  later.snapshots = snapshots;
  CHECK_NE(cache_key(module_call(), later), key);
}

TEST_CASE("what no grant allows, another tool and a folder of this machine have no key") {
  SampleWorld const one(Kind::a, 1);
  CHECK(cache_key(module_call("ou_carol"), one.world()).empty());
  daemon::ToolCall call = module_call();
  call.name = "kb_list";
  CHECK(cache_key(call, one.world()).empty());
  call = module_call();
  call.arguments = R"({"project_root":"/x","query_type":"overview"})";
  CHECK(cache_key(call, one.world()).empty());
}

TEST_CASE("a kept answer is given as it is, without a page being read, and is recorded like the first") {
  SampleWorld const one(Kind::a, 1);
  daemon::ToolCall call = module_call();
  call.query_id = "01TESTQUERY";
  daemon::ToolReply const first = one.reply_to(call);
  REQUIRE(first.project);
  ProjectReply marked = *first.project;
  marked.content = "kept";
  call.known = std::make_shared<ProjectReply const>(marked);
  daemon::ToolReply const again = one.reply_to(call);
  CHECK_EQ(nlohmann::json::parse(again.json).value("content", ""), "kept");
  REQUIRE_EQ(again.records.size(), 1);
  CHECK_EQ(logging::to_json(again.records[0]), logging::to_json(first.records[0]));
}

}  // namespace kb::test
