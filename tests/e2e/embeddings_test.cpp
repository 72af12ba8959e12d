// Meaning beside words: vectors of an embeddings server in kb_chunks and recall of the built program, and the answers
// that stay when the server does not.
#include <algorithm>
#include <doctest/doctest.h>

#include "tests/model/vector_server.hpp"
#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

/// The team's knowledge base holds pages whose words no question here uses.
class MeaningWorkspace : public Workspace {
 public:
  explicit MeaningWorkspace(VectorServer const& server, Json more = Json::object()) {
    team.commit({{"garage.md", "# Garage\n\nRepair a car: loosen every bolt first.\n"},
                 {"clinic.md", "# Clinic\n\nThe physician sees patients each morning.\n"},
                 {"harbour.md", "# Harbour\n\nBoats leave for the ocean at noon.\n"}});
    more["base_url"] = server.url();
    more["name"] = "words";
    more["batch"] = 4;
    configure([&](Json& config) { config["answer"]["embeddings"] = more; });
  }
};

Json chunks(Daemon const& daemon, std::string const& query) {
  Json const body{{"SenderId", "ou_alice"}, {"knowledgeBaseName", "nlp/nlp-team-kb"}, {"query", query}};
  return Json::parse(http_post(daemon.port(), "/v1/chunks", body.dump()).body);
}

std::string first(Json const& reply) {
  return reply["chunks"].empty() ? "" : reply["chunks"][0]["metadata"].value("source", "");
}

/// The team's pages have their vectors: they come all at once.
bool embedded(Daemon const& daemon) { return first(chunks(daemon, "mend an automobile")) == "garage.md"; }

}  // namespace

TEST_CASE("a paraphrase that shares no word finds its chunk by meaning, and by words alone it does not") {
  VectorServer server;
  MeaningWorkspace w(server);
  {
    Daemon daemon(KB_PROGRAM, w);
    REQUIRE(eventually([&] { return embedded(daemon); }));
    for (auto const& [query, path] : {std::pair{"mend an automobile", "garage.md"},
                                      {"doctor", "clinic.md"},
                                      {"how do I fix our vehicle", "garage.md"},
                                      {"sea", "harbour.md"}}) {
      CAPTURE(query);
      Json const reply = chunks(daemon, query);
      CHECK_EQ(first(reply), path);
      CHECK_EQ(reply.value("score_kind", ""), "fused");
    }
    // Words still count, and both together most.
    CHECK_EQ(first(chunks(daemon, "组会什么时候开始")), "summaries/meetings/2026-11-02-组会.md");
    double const by_meaning = chunks(daemon, "mend automobile")["chunks"][0]["metadata"]["score"];
    double const by_both = chunks(daemon, "repair automobile bolt")["chunks"][0]["metadata"]["score"];
    CHECK_GT(by_both, by_meaning);
    CHECK_LE(server.largest(), 4);  // the batch of the settings
    CHECK_EQ(daemon.stop(), 0);
  }
  // What was embedded is kept, by blob: a start and a rename embed nothing again.
  int const texts = server.texts();
  w.team.commit({{"garage.md", {}}, {"workshop.md", "# Garage\n\nRepair a car: loosen every bolt first.\n"}});
  Daemon again(KB_PROGRAM, w);
  REQUIRE(eventually([&] { return first(chunks(again, "mend an automobile")) == "workshop.md"; }));
  CHECK_LE(server.texts() - texts, 11);  // the question, and the ten sentences that tell the model's noise
  // The operator's verb has them too.
  Finished const verb =
      w.run(KB_PROGRAM, {"kb_chunks", "--knowledge_base_name", "nlp/nlp-team-kb", "--query", "doctor"});
  CHECK_EQ(first(Json::parse(verb.out)), "clinic.md");

  w.configure([](Json& config) { config["answer"].erase("embeddings"); });
  Finished const words =
      w.run(KB_PROGRAM, {"kb_chunks", "--knowledge_base_name", "nlp/nlp-team-kb", "--query", "doctor"});
  CHECK_EQ(Json::parse(words.out)["totalCount"], 0);
  CHECK_EQ(Json::parse(words.out).value("score_kind", ""), "lexical");
}

TEST_CASE("a search finds a paraphrase by its vector, says so, and by words alone does not find it") {
  VectorServer server;
  MeaningWorkspace w(server);
  Daemon daemon(KB_PROGRAM, w);
  REQUIRE(eventually([&] { return embedded(daemon); }));
  auto const search = [&](std::string const& query) {
    Json const body{{"SenderId", "ou_alice"}, {"query", query}, {"explain", true}};
    return Json::parse(http_post(daemon.port(), "/v1/search", body.dump()).body);
  };
  Json const reply = search("mend an automobile");
  REQUIRE_FALSE(reply["hits"].empty());
  Json const& hit = reply["hits"][0];
  CHECK(hit.dump().find("garage.md") != std::string::npos);
  CHECK(hit.dump().find("loosen every bolt") != std::string::npos);
  CHECK(hit.dump().find("near in meaning") != std::string::npos);
  CHECK_EQ(reply.value("method", ""), "index and vectors");
  // Words alone say what they matched.
  CHECK(search("loosen every bolt")["hits"][0].dump().find("matches") != std::string::npos);
  // The operator's verb does the same; a direct scan opens no vector.
  Finished const verb = w.run(KB_PROGRAM, {"kb_search", "--query", "mend an automobile"});
  CHECK(verb.out.find("near in meaning") != std::string::npos);
  Finished const scan = w.run(KB_PROGRAM, {"kb_search", "--query", "mend an automobile", "--scan"});
  CHECK(scan.out.find("garage.md") == std::string::npos);
}

TEST_CASE("whatever the server does wrong, the answer by words stays and says what it is") {
  for (VectorFault const fault :
       {VectorFault::broken, VectorFault::too_many, VectorFault::slow, VectorFault::cut, VectorFault::wrong_dimension,
        VectorFault::other_dimension, VectorFault::too_few, VectorFault::denied}) {
    CAPTURE(static_cast<int>(fault));
    VectorServer server;
    MeaningWorkspace w(server, {{"query_milliseconds", 300}, {"retries", 0}});
    Daemon daemon(KB_PROGRAM, w);
    REQUIRE(eventually([&] { return embedded(daemon); }));
    CHECK_EQ(chunks(daemon, "repair a car").value("score_kind", ""), "fused");
    server.fail(fault);
    Json const reply = chunks(daemon, "loosen every bolt");
    CHECK_EQ(first(reply), "garage.md");
    CHECK_EQ(reply.value("score_kind", ""), "lexical");
  }
}

TEST_CASE("a server that is down from the start costs nothing but its own part") {
  VectorServer server;
  server.fail(VectorFault::broken);
  MeaningWorkspace w(server, {{"retries", 0}});
  Daemon daemon(KB_PROGRAM, w);
  REQUIRE(eventually([&] { return server.calls() > 0; }));
  Json const reply = chunks(daemon, "loosen every bolt");
  CHECK_EQ(first(reply), "garage.md");
  CHECK_EQ(reply.value("score_kind", ""), "lexical");
  Client client(daemon);
  CHECK_EQ(client.ask("m1", "ou_alice", "oc_nlp", "组会什么时候开始？").value("outcome", ""), "answered");
}

TEST_CASE("in answers, meaning finds pages to read beside words, when the settings want it") {
  VectorServer server;
  auto const asked = [&](bool in_answers, bool down) {
    MeaningWorkspace w(server, {{"in_answers", in_answers}, {"retries", 0}});
    Daemon daemon(KB_PROGRAM, w);
    REQUIRE(eventually([&] { return embedded(daemon); }));
    server.fail(down ? VectorFault::broken : VectorFault::none);
    Json const body{
        {"SenderId", "ou_alice"}, {"question", "How do I mend vehicles and an automobile?"}, {"scope", "team"}};
    Json answer = Json::parse(http_post(daemon.port(), "/v1/ask", body.dump()).body);
    Finished const verb = w.run(KB_PROGRAM, {"ask", "--sender_id", "ou_alice", "--chat_type", "p2p", "--scope", "team",
                                             "--question", body.value("question", "")});
    CHECK_EQ(Json::parse(verb.out)["consulted"], answer["consulted"]);
    int const calls = server.calls();
    Client client(daemon);
    CHECK_EQ(client.ask("m1", "ou_alice", "oc_nlp", "组会什么时候开始？").value("outcome", ""), "answered");
    CHECK_EQ(server.calls() > calls, in_answers);
    server.fail(VectorFault::none);
    return answer["consulted"].dump();
  };
  std::string const by_words = asked(false, false);
  CHECK_EQ(by_words.find("garage.md"), std::string::npos);
  CHECK_NE(asked(true, false).find("garage.md"), std::string::npos);
  CHECK_EQ(asked(true, true), by_words);
}

TEST_CASE("doctor asks the embeddings server, and says what is wrong with it or with what is stored") {
  VectorServer server;
  MeaningWorkspace w(server);
  auto const doctor = [&] {
    Json const report = Json::parse(w.run(KB_PROGRAM, {"doctor"}).out);
    Json found = Json::object();
    for (Json const& check : report["checks"]) {
      if (check.value("area", "") == "embeddings words") found[check.value("what", "")] = check;
    }
    return found;
  };
  Json const before = doctor();
  CHECK_EQ(before[server.url()].value("state", ""), "ok");
  CHECK(before[server.url()].value("detail", "").find("numbers") != std::string::npos);
  CHECK_EQ(before["vectors of nlp/nlp-team-kb"].value("detail", ""), "not there yet");
  {
    Daemon daemon(KB_PROGRAM, w);
    REQUIRE(eventually([&] { return embedded(daemon); }));
    CHECK_EQ(daemon.stop(), 0);
  }
  CHECK_EQ(doctor()["vectors of nlp/nlp-team-kb"].value("state", ""), "ok");
  server.fail(VectorFault::other_dimension);
  CHECK(doctor()["vectors of nlp/nlp-team-kb"].value("detail", "").find("another model") != std::string::npos);
  server.fail(VectorFault::denied);
  Json const denied = doctor()[server.url()];
  CHECK_EQ(denied.value("state", ""), "fault");
  CHECK(denied.value("fix", "").find("api_key_file") != std::string::npos);
  server.fail(VectorFault::cut);
  CHECK(doctor()[server.url()].value("fix", "").find("answer.embeddings.name") != std::string::npos);
  w.configure([](Json& config) { config["answer"]["embeddings"]["base_url"] = "http://127.0.0.1:1/v1"; });
  CHECK(doctor()["http://127.0.0.1:1/v1"].value("fix", "").find("base_url") != std::string::npos);
}

}  // namespace kb::test
