// Questions of a chat about a project as a whole: kb_query's route, its few files, quoted and proved like any answer.
#include <doctest/doctest.h>

#include "tests/answer/independent_reader.hpp"
#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

/// The team's repository with one project in kb-engineer's layout.
struct Bench {
  Workspace w;
  Bench() {
    w.team.commit(
        {{"projects/shop/README.md",
          "---\ntitle: shop\n---\n# shop\n\nThe shop sells maps, see [[modules/auth|Auth]].\n"},
         {"projects/shop/architecture.md", "# Architecture\n\nThree layers talk over one queue.\n"},
         {"projects/shop/dependencies.md", "# Dependencies\n\n- redis: keeps sessions\n- libcurl: fetches tiles\n"},
         {"projects/shop/modules/_index.md",
          "# Modules\n\n- [[modules/auth]] — who may\n- [[modules/cart]] — what is bought\n"},
         {"projects/shop/modules/auth.md", "# auth\n\nSessions last 30 minutes.\n"},
         {"projects/shop/modules/cart.md", "# cart\n\nHolds at most 99 maps. Asks auth before it opens.\n"},
         {"projects/shop/graph.json",
          R"({"version":1,"nodes":[{"id":"auth","label":"auth","type":"module","kb_doc":"modules/auth.md"},)"
          R"({"id":"cart","label":"cart","type":"module","kb_doc":"modules/cart.md"}],)"
          R"("edges":[{"source":"cart","target":"auth","relation":"depends_on","confidence":"EXTRACTED"}]})"}});
  }
};

std::vector<std::string> paths_of(Json const& entries) {
  std::vector<std::string> out;
  for (Json const& one : entries) {
    std::string const path = one.is_string() ? one.get<std::string>() : one.value("path", "");
    out.push_back(path.substr(path.rfind("shop/") + 5));
  }
  return out;
}

}  // namespace

TEST_CASE("a question about a project takes kb_query's route, reads its files alone and quotes them") {
  Bench b;
  Daemon daemon(KB_PROGRAM, b.w);
  Client client(daemon);
  struct Row {
    char const *question, *route, *said;
    std::vector<std::string> sources;
  };
  Row const rows[] = {
      {"What is this project?", "overview 0", "The shop sells maps, see [[modules/auth|Auth]].", {"README.md"}},
      {"What does this project do?", "overview 1", "The shop sells maps", {"README.md"}},
      {"What does shop do?", "overview 1", "The shop sells maps", {"README.md"}},
      {"What modules exist?", "overview 1", "[[modules/cart]] — what is bought", {"modules/_index.md"}},
      {"shop 项目有哪些模块？", "overview 1", "[[modules/auth]] — who may", {"modules/_index.md"}},
      {"How does module auth work?", "module 2", "Sessions last 30 minutes.", {"modules/auth.md"}},
      {"What depends on module auth?", "relationship 3", "Asks auth before it opens.", {"modules/cart.md"}},
      {"Show me the architecture", "overview 2", "Three layers talk over one queue.", {"README.md", "architecture.md"}},
      {"What external deps does this use?", "dependency 1", "libcurl: fetches tiles", {"dependencies.md"}},
      {"这个项目有哪些外部依赖？", "dependency 1", "redis: keeps sessions", {"dependencies.md"}},
  };
  int n = 0;
  for (Row const& row : rows) {
    CAPTURE(row.question);
    Json const reply = client.ask("m" + std::to_string(n++), "ou_bob", "oc_nlp", row.question);
    CAPTURE(reply.dump());
    CHECK_EQ(reply.value("outcome", ""), "answered");
    CHECK(reply.value("text", "").find(row.said) != std::string::npos);
    CHECK_EQ(paths_of(reply["sources"]) == row.sources, true);
    std::vector<std::string> pages;
    for (Json const& source : reply["sources"]) pages.push_back(b.w.team.file(source.value("path", "")).value_or(""));
    CHECK(unsupported_lines(reply.value("text", ""), pages).empty());
    std::string const log = daemon.process().errors();
    std::string const line = log.substr(log.rfind("question.settled"));
    CHECK(line.find(row.route) != std::string::npos);
  }
}

TEST_CASE("a question that asks for more, or of which project nobody can tell, is searched as ever") {
  Bench b;
  auto const asked = [&b](char const* question) {
    return Json::parse(b.w.run(KB_PROGRAM, {"ask", "--sender_id", "ou_bob", "--chat_type", "group", "--chat_id",
                                            "oc_nlp", "--question", question})
                           .out);
  };
  CHECK_EQ(asked("What is this project?").value("route", ""), "overview 0");
  for (char const* const question :
       {"How many maps does the cart of this project hold?", "What is the architecture of the encoder?",
        "How does module auth work with the tile server?", "组会什么时候开始？"}) {
    CAPTURE(question);
    CHECK_FALSE(asked(question).contains("route"));
  }
  b.w.team.commit(
      {{"projects/maps/README.md", "# maps\n\nDraws.\n"}, {"projects/maps/architecture.md", "# A\n\nOne.\n"}});
  CHECK_FALSE(asked("What modules exist?").contains("route"));
  CHECK_EQ(asked("What modules exist in shop?").value("route", ""), "overview 1");
}

}  // namespace kb::test
