// Knowledge bases asked by name: chunks, recall, the list, and what a guard keeps from each (S2).
#include "answer/protocols/chunks.hpp"

#include <nlohmann/json.hpp>

#include "tests/protocols/books.hpp"

using kb::RepoId;
using kb::config::KnowledgeBase;
using kb::config::SourceRole;
using kb::protocols::Asker;
using kb::protocols::Chunk;
using kb::protocols::ChunkQuery;
using kb::protocols::ChunkReply;
using kb::protocols::Guard;
using kb::protocols::NamedBook;
using kb::test::Books;
using Json = nlohmann::json;
using Pages = std::map<std::string, std::string>;

namespace {

std::vector<std::string> const kPeers{"peer-*"};

/// Knowledge bases of a test, in the order they were added.
class Bases {
 public:
  KnowledgeBase& add(std::string const& name, Pages const& pages) {
    RepoId const id("kb", name);
    auto const& book = books_.add(id, pages);
    KnowledgeBase base;
    base.id = "kb_" + name;
    base.name = name;
    for (NamedBook& known : named_) {
      if (known.base.id != base.id) continue;
      known.book = book;
      return known.base;
    }
    named_.push_back({book, base});
    return named_.back().base;
  }

  [[nodiscard]] ChunkReply by_name(std::string const& name, std::string const& query, Asker const& asker = {}) const {
    ChunkQuery asked;
    asked.name = name;
    asked.query = query;
    return ask(asked, asker);
  }
  [[nodiscard]] ChunkReply by_id(std::string const& id, std::string const& query, Asker const& asker = {}) const {
    ChunkQuery asked;
    asked.id = id;
    asked.query = query;
    return ask(asked, asker);
  }
  [[nodiscard]] ChunkReply ask(ChunkQuery const& query, Asker const& asker = {}) const {
    return kb::protocols::query_chunks(named_, Guard(asker, kPeers), query);
  }
  [[nodiscard]] ChunkReply recall(std::string const& text, Asker const& asker = {}) const {
    ChunkQuery query;
    query.query = text;
    query.limit = 20;
    return kb::protocols::recall_chunks(named_, Guard(asker, kPeers), query);
  }
  [[nodiscard]] std::vector<std::string> listed(Asker const& asker = {}) const {
    std::vector<std::string> out;
    for (auto const& visible : kb::protocols::visible_bases(named_, Guard(asker, kPeers))) {
      out.push_back(named_[visible.of].base.name + " " + std::to_string(visible.chunks));
    }
    return out;
  }
  [[nodiscard]] Json json(ChunkReply const& reply) const { return Json::parse(kb::protocols::to_json(reply, named_)); }
  [[nodiscard]] std::vector<NamedBook> const& all() const { return named_; }
  [[nodiscard]] Books& books() { return books_; }

 private:
  Books books_;
  std::vector<NamedBook> named_;
};

std::vector<std::string> paths(ChunkReply const& reply) {
  std::vector<std::string> out;
  for (Chunk const& chunk : reply.chunks) out.push_back(chunk.path);
  std::sort(out.begin(), out.end());
  return out;
}

std::string page(std::string const& title, std::string const& text, std::string const& scope = {}) {
  std::string const head = scope.empty() ? "" : "---\nscope: \"" + scope + "\"\n---\n";
  return head + "# " + title + "\n\n" + text + "\n";
}

Pages const kApi{
    {"guides/auth.md", page("Authentication", "Authenticate with the API by sending a bearer token in each request.")},
    {"guides/limits.md", page("Rate limits", "The API allows 60 requests a minute; see [auth](auth.md).")},
    {"guides/pricing.md", page("Pricing", "There are three pricing tiers: free, team and enterprise.")},
    {"notes.md", "The API was designed in 2024 and has pricing for every request.\n"}};

using List = std::vector<std::string>;

}  // namespace

TEST_CASE("a base is asked by name or id and answers with scored parts of its pages, best first") {
  Bases bases;
  KnowledgeBase& base = bases.add("Product API Docs", kApi);
  base.role = SourceRole::canonical_reference;
  base.scope = "";
  // S2-30, S2-13: the seed's example by name; case and blanks around do not matter.
  ChunkReply const reply = bases.by_name("  product api DOCS ", "How do I authenticate with the API?");
  REQUIRE_FALSE(reply.fault);
  REQUIRE_FALSE(reply.chunks.empty());
  CHECK_EQ(reply.chunks.front().path, "guides/auth.md");
  Json const json = bases.json(reply);
  CHECK_EQ(json["totalCount"], json["chunks"].size());                   // S2-24
  CHECK_EQ(json["query"], "How do I authenticate with the API?");        // S2-25
  CHECK_EQ(json["knowledgeBaseId"], "kb_Product API Docs");              // S2-26
  CHECK_EQ(json["knowledgeBase"]["name"], "Product API Docs");           // S2-27
  CHECK_EQ(json["knowledgeBase"]["sourceRole"], "canonical_reference");  // S2-50
  CHECK(json["knowledgeBase"]["scope"].is_null());
  CHECK_EQ(json["score_kind"], "lexical");
  double before = 1;
  for (Json const& chunk : json["chunks"]) {  // S2-20…22
    CHECK(chunk["id"].get<std::string>().starts_with("chunk_"));
    CHECK_FALSE(chunk["content"].get<std::string>().empty());
    CHECK(chunk["metadata"]["source"].is_string());
    double const score = chunk["metadata"]["score"];
    CHECK_LE(score, before);
    CHECK_GT(score, 0);
    before = score;
  }
  // S2-4: a chunk is a part of its page, byte for byte, and keeps its id while the text stands.
  std::string const text = bases.books().text({"kb", "Product API Docs"}, "guides/auth.md");
  CHECK_NE(text.find(reply.chunks.front().content), text.npos);
  CHECK_LT(reply.chunks.front().content.size(), text.size());
  CHECK_EQ(bases.by_id("kb_Product API Docs", "How do I authenticate with the API?").chunks.front().id,
           reply.chunks.front().id);
}

TEST_CASE("a chunk has a title when its page has one, and none otherwise") {
  Bases bases;
  bases.add("docs", kApi);
  Json const json = bases.json(bases.by_name("docs", "API designed in 2024 pricing tiers"));
  bool titled = false;
  bool untitled = false;
  for (Json const& chunk : json["chunks"]) {
    Json const& metadata = chunk["metadata"];
    if (metadata["source"] == "guides/pricing.md") titled = metadata["title"] == "Pricing";
    if (metadata["source"] == "notes.md") untitled = !metadata.contains("title");
  }
  CHECK(titled);
  CHECK(untitled);
}

TEST_CASE("only the base that was named is searched, however much better another fits") {
  Bases bases;
  bases.add("small", {{"a.md", page("Deploy", "The deployment runs on Friday.")}});
  bases.add("other", {{"b.md", page("Deployment checklist", "The deployment checklist: tests, tag, deployment.")}});
  CHECK_EQ(paths(bases.by_name("small", "deployment checklist")), List{"a.md"});
  // S2-55: a name that is nearly right finds nothing.
  ChunkReply const near = bases.by_name("smal", "deployment checklist");
  REQUIRE(near.fault);
  CHECK(near.fault->not_found);
  CHECK(near.chunks.empty());
}

TEST_CASE("the limit cuts, from 1 to 20 and never outside") {
  Bases bases;
  Pages pages;
  for (int i = 0; i < 30; ++i) {
    pages["p" + std::to_string(i) + ".md"] =
        page("Tier " + std::to_string(i), "The pricing tiers of region " + std::to_string(i));
  }
  bases.add("many", pages);
  ChunkQuery query;
  query.id = "kb_many";
  query.query = "pricing tiers";
  for (auto const& [limit, count] : {std::pair{1, 1}, {3, 3}, {5, 5}, {8, 8}, {20, 20}}) {
    query.limit = limit;
    CHECK_EQ(bases.ask(query).chunks.size(), static_cast<std::size_t>(count));
  }
  CHECK_EQ(ChunkQuery().limit, 8);
  for (std::int64_t const limit : {0, 21, -1}) {
    query.limit = limit;
    ChunkReply const reply = bases.ask(query);
    REQUIRE(reply.fault);
    CHECK_EQ(reply.fault->message, "limit is a whole number from 1 to 20");
    CHECK_FALSE(reply.fault->hint.empty());
  }
}

TEST_CASE("each error has the seed's words and a hint that resolves it") {
  Bases bases;
  bases.add("docs", kApi);
  struct Row {
    char const *id, *name, *query, *message, *hint;
    bool not_found;
  };
  for (Row const& row : {
           Row{"", "docs", "", "query is required", "non-empty", false},
           Row{"", "docs", " \t\n", "query is required", "non-empty", false},
           Row{"", "", "x", "knowledgeBaseId or knowledgeBaseName is required", "at least one", false},
           Row{"", "  ", "x", "knowledgeBaseId or knowledgeBaseName is required", "at least one", false},
           Row{"kb_none", "", "x", "Knowledge base not found", "crystal_list_knowledge_bases", true},
           Row{"", "none", "x", "Knowledge base not found: none", "crystal_list_knowledge_bases", true},
       }) {
    CAPTURE(row.message);
    ChunkQuery query;
    query.id = row.id;
    query.name = row.name;
    query.query = row.query;
    ChunkReply const reply = bases.ask(query);
    REQUIRE(reply.fault);
    CHECK_EQ(reply.fault->message, row.message);
    CHECK_NE(reply.fault->hint.find(row.hint), std::string::npos);
    CHECK_EQ(reply.fault->not_found, row.not_found);
  }
}

TEST_CASE("a query that nothing is close to gives an empty result, not an error") {
  Bases bases;
  bases.add("docs", kApi);
  for (char const* query : {"zxqv blorptang", "the of and", "完全无关的天气预报"}) {
    CAPTURE(query);
    ChunkReply const reply = bases.by_name("docs", query);
    CHECK_FALSE(reply.fault);
    Json const json = bases.json(reply);
    CHECK_EQ(json["chunks"], Json::array());
    CHECK_EQ(json["totalCount"], 0);
    CHECK_EQ(json["hint"], "Try a simpler or more general query.");
  }
}

TEST_CASE("graph context joins links and graph.json, is capped, and costs nothing when it is not wanted") {
  Bases bases;
  Pages pages{{"projects/atlas/index.md",
               page("Atlas", "Atlas reranks passages; see [[people/li]] and [limits](../../limits.md).")},
              {"people/li.md", page("Li", "Li owns the reranker.")},
              {"limits.md", page("Limits", "Nothing to see.")},
              {"graph.json", R"({"version":1,"nodes":[
          {"id":"atlas","label":"Atlas","type":"project","kb_doc":"projects/atlas/index.md"},
          {"id":"milvus","label":"Milvus","type":"tool"},
          {"id":"gone","label":"Gone","type":"tool","kb_doc":"missing.md"},
          {"id":"far","label":"Far","type":"tool"}],
        "edges":[{"source":"atlas","target":"milvus","relation":"uses"},
                 {"source":"atlas","target":"gone","relation":"uses"},
                 {"source":"milvus","target":"far","relation":"depends_on"}]})"}};
  bases.add("linked", pages);
  Json const graph = bases.json(bases.by_name("linked", "Atlas reranks passages"))["graphContext"];
  CHECK_NE(graph.dump().find(R"({"id":"people/li.md","label":"Li","type":"person"})"), std::string::npos);
  CHECK_NE(graph.dump().find(R"({"source":"projects/atlas/index.md","target":"people/li.md","type":"mentions"})"),
           std::string::npos);
  CHECK_NE(graph.dump().find(R"({"source":"projects/atlas/index.md","target":"milvus","type":"uses"})"),
           std::string::npos);
  CHECK_NE(graph.dump().find("limits.md"), std::string::npos);
  CHECK_EQ(graph.dump().find("gone"), std::string::npos);  // its page is not there
  CHECK_EQ(graph.dump().find("far"), std::string::npos);   // not next to a returned page

  ChunkQuery query;
  query.name = "linked";
  query.query = "Atlas reranks passages";
  query.graph = false;
  CHECK_FALSE(bases.json(bases.ask(query)).contains("graphContext"));

  for (int i = 0; i < 40; ++i) {
    std::string const name = "n" + std::to_string(i);
    pages[name + ".md"] = page(name, "one");
    pages["hub.md"] += "[[" + name + "]] ";
  }
  pages["hub.md"] = page("Hub", "Zebra hub of everything. " + pages["hub.md"]);
  bases.add("linked", pages);
  Json const capped = bases.json(bases.by_name("linked", "zebra hub"))["graphContext"];
  CHECK_EQ(capped["nodes"].size(), 20);
}

TEST_CASE("who sees a base: agent, channel, scope and policy, each of them able to refuse") {
  struct Row {
    char const* why;
    KnowledgeBase base;
    Asker asker;
    bool seen;
  };
  auto const base = [](std::string scope, bool permissive, List agents = {}, bool active = true) {
    KnowledgeBase out;
    out.scope = std::move(scope);
    out.permissive = permissive;
    out.agents = std::move(agents);
    out.active = active;
    return out;
  };
  for (Row const& row : {
           Row{"nothing given, nothing asked for", base("", false), {}, true},
           Row{"inactive", base("", false, {}, false), {}, false},
           Row{"a list of agents, none given", base("", false, {"coach"}), {}, false},
           Row{"a list of agents, ours on it", base("", false, {"release-agent", "coach"}), {"coach", ""}, true},
           Row{"a list of agents, another", base("", false, {"coach"}), {"release-agent", ""}, false},
           Row{"the channel's prefix is the agent", base("", false, {"slack"}), {"", "slack:general"}, true},
           Row{"the agent given wins over the prefix", base("", false, {"slack"}), {"coach", "slack:general"}, false},
           Row{"a scope hides from an absent channel", base("repo:crystal", false), {}, false},
           Row{"a scope and its channel", base("repo:crystal", false), {"", "repo:crystal"}, true},
           Row{"a scope and another channel", base("repo:crystal", false), {"", "repo:other"}, false},
           Row{"permissive opens no scope to other channels", base("coach:main", true), {"", "slack:general"}, false},
           Row{"a strict base and its peer's channel", base("peer-coach:511", false), {"", "peer-coach:511"}, true},
           Row{"a strict base and its peer", base("511", false), {"", "peer-coach:511"}, true},
           Row{"a strict base and another peer", base("peer-coach:511", false), {"", "peer-coach:777"}, false},
           Row{"a strict base without scope and a peer", base("", false), {"", "peer-coach:511"}, false},
           Row{"a shared base and any peer", base("coach:main", true), {"coach", "peer-coach:511"}, true},
           Row{"a shared base and a strange agent",
               base("coach:main", true, {"coach"}),
               {"x", "peer-coach:511"},
               false},
           Row{"a peer that is no number, strict", base("x", false), {"", "peer-coach:x"}, false},
           Row{"a peer that is no number, permissive", base("coach:main", true), {"", "peer-coach:x"}, true},
           Row{"a peer channel without colon, strict", base("", false), {"", "peer-coach"}, false},
           Row{"an empty peer, strict", base("", false), {"", "peer-coach:"}, false},
       }) {
    CAPTURE(row.why);
    CHECK_EQ(Guard(row.asker, kPeers).sees(row.base), row.seen);
  }
}

namespace {

/// One shared base with three kinds of chunk: the parent's, and two peers' own.
void add_posts(Bases& bases, Pages more = {}) {
  more["posts/general.md"] = page("Triangle", "The nice guy triangle in sexless marriages, for everyone.");
  more["posts/own.md"] = page("Triangle of 511172388", "The nice guy triangle as client one lives it.", "511172388");
  more["posts/theirs.md"] = page("Triangle of 222", "The nice guy triangle as client two lives it.", "peer-coach:222");
  KnowledgeBase& base = bases.add("Social Posts", more);
  base.scope = "coach:main";
  base.permissive = true;
  base.agents = {"coach"};
}
char const kTriangle[] = "Nice Guy Triangle sexless marriages";

}  // namespace

TEST_CASE("a shared base gives a peer its own chunks and the parent's, never another peer's") {
  Bases bases;
  add_posts(bases);
  Asker const one{"coach", "peer-coach:511172388"};
  Asker const two{"coach", "peer-coach:222"};
  // S2-33, S2-47, S2-48: the seed's example.
  CHECK_EQ(paths(bases.by_name("Social Posts", kTriangle, one)), List{"posts/general.md", "posts/own.md"});
  CHECK_EQ(paths(bases.by_name("Social Posts", kTriangle, two)), List{"posts/general.md", "posts/theirs.md"});
  CHECK_EQ(paths(bases.by_name("Social Posts", kTriangle, {"coach", "peer-coach:9"})), List{"posts/general.md"});
  // S2-11: another agent does not see the base at all.
  CHECK(bases.by_name("Social Posts", kTriangle, {"release-agent", "peer-coach:511172388"}).fault);
  // S2-49: a trailing colon fails closed, by name as by id.
  CHECK(bases.by_name("Social Posts", kTriangle, {"coach", "peer-coach:"}).chunks.empty());
  CHECK(bases.by_id("kb_Social Posts", kTriangle, {"coach", "peer-coach:"}).chunks.empty());
  CHECK(bases.recall(kTriangle, {"coach", "peer-coach:"}).chunks.empty());
  CHECK_EQ(bases.listed({"coach", "peer-coach:"}), List{"Social Posts 0"});
}

TEST_CASE("every reader of chunks hides the same ones: query, recall, counts and graph context") {
  Bases bases;
  add_posts(bases,
            {{"hub.md", page("Hub", "The nice guy triangle hub: [[posts/own]] [[posts/theirs]] [[posts/general]].")}});
  Asker const one{"coach", "peer-coach:511172388"};
  ChunkQuery query;
  query.name = "Social Posts";
  query.query = "nice guy triangle hub";
  query.limit = 20;
  ChunkReply const found = bases.ask(query, one);
  CHECK_EQ(paths(found), List{"hub.md", "posts/general.md", "posts/own.md"});
  CHECK_EQ(bases.json(found).dump().find("222"), std::string::npos);
  CHECK_NE(bases.json(found)["graphContext"].dump().find("posts/own.md"), std::string::npos);
  CHECK_EQ(paths(bases.recall("nice guy triangle hub", one)), List{"hub.md", "posts/general.md", "posts/own.md"});
  CHECK_EQ(bases.listed(one), List{"Social Posts 3"});
}

TEST_CASE("what another peer has moves no byte of what this one gets") {
  Bases with;
  Bases without;
  add_posts(with, {{"hub.md", page("Hub", "The triangle hub: [[posts/own]] [[posts/more]].")},
                   {"posts/more.md", page("More triangles", "Marriages, marriages, nice marriages and guys.", "222")}});
  add_posts(without, {{"hub.md", page("Hub", "The triangle hub: [[posts/own]] [[posts/more]].")}});
  Asker const one{"coach", "peer-coach:511172388"};
  for (char const* query : {kTriangle, "triangle hub", "marriages", "client two", "more triangles"}) {
    CAPTURE(query);
    for (auto const& [a, b] :
         {std::pair{with.by_name("Social Posts", query, one), without.by_name("Social Posts", query, one)},
          std::pair{with.recall(query, one), without.recall(query, one)}}) {
      Json left = with.json(a);
      Json right = without.json(b);
      for (Json* side : {&left, &right}) {  // the two commits differ by construction
        for (Json& chunk : (*side)["chunks"]) chunk["metadata"].erase("commit"), chunk["metadata"].erase("sourceUrl");
      }
      CHECK_EQ(left.dump(), right.dump());
    }
  }
  CHECK_EQ(with.listed(one), without.listed(one));
}

TEST_CASE("a private base is its peer's alone, and an absent channel sees no scoped base") {
  Bases bases;
  bases.add("Notes of 511", {{"a.md", page("Plan", "The sleeping plan of the client.")}}).scope = "peer-coach:511";
  CHECK_EQ(paths(bases.by_name("Notes of 511", "sleeping plan", {"", "peer-coach:511"})), List{"a.md"});
  CHECK(bases.by_name("Notes of 511", "sleeping plan", {"", "peer-coach:222"}).fault);
  CHECK(bases.by_name("Notes of 511", "sleeping plan").fault);
  CHECK(bases.listed().empty());
  CHECK(bases.listed({"", "peer-coach:222"}).empty());
  CHECK_EQ(bases.listed({"", "peer-coach:511"}), List{"Notes of 511 1"});
  // C-11: by id its owner gets an empty result with the way out, not an error.
  ChunkReply const reply = bases.by_id("kb_Notes of 511", "sleeping plan", {"", "peer-coach:222"});
  CHECK_FALSE(reply.fault);
  CHECK(reply.chunks.empty());
  CHECK_NE(reply.hint.find("allowed agent/channel"), std::string::npos);
}

TEST_CASE("two agents have two result sets") {
  Bases bases;
  bases.add("Handbook", {{"a.md", page("Deployment checklist", "Tag, test, ship.")}}).agents = {"release-agent"};
  bases.add("Posts", {{"b.md", page("Deployment jokes", "A deployment walks into a bar.")}}).agents = {"coach"};
  CHECK_EQ(paths(bases.recall("deployment", {"release-agent", ""})), List{"a.md"});
  CHECK_EQ(paths(bases.recall("deployment", {"coach", ""})), List{"b.md"});
  // S2-32
  ChunkQuery query;
  query.name = "Handbook";
  query.query = "deployment checklist";
  query.limit = 3;
  CHECK_EQ(paths(bases.ask(query, {"release-agent", ""})), List{"a.md"});
  CHECK(bases.ask(query, {"coach", ""}).fault);
  CHECK_EQ(bases.listed({"release-agent", ""}), List{"Handbook 1"});
}

TEST_CASE("recall spans all visible bases, and the source role decides among equals") {
  Bases bases;
  Pages const text{{"a.md", page("Refunds", "Phrase a refund as an apology and a date.")}};
  std::string const question = "How do we phrase a refund?";
  auto const first = [&](SourceRole one, SourceRole two, std::string const& query) {
    bases.add("one", text).role = one;
    bases.add("two", text).role = two;
    ChunkReply const reply = bases.recall(query);
    CHECK_EQ(reply.chunks.size(), 2);
    return bases.all()[reply.chunks.front().of].base.name;
  };
  // S2-51: the same texts, other roles, another order.
  CHECK_EQ(first(SourceRole::social_artifact, SourceRole::canonical_reference, "refund date"), "two");
  CHECK_EQ(first(SourceRole::canonical_reference, SourceRole::social_artifact, "refund date"), "one");
  // S2-52: for how a thing is said, the voice comes first.
  CHECK_EQ(first(SourceRole::social_artifact, SourceRole::voice_style, question), "two");
  CHECK_EQ(first(SourceRole::canonical_reference, SourceRole::voice_style, question), "two");
  CHECK_EQ(first(SourceRole::canonical_reference, SourceRole::voice_style, "refund date"), "one");
  Json const json = bases.json(bases.recall(question));
  CHECK_EQ(json["chunks"][0]["metadata"]["knowledgeBase"]["sourceRole"], "voice_style");
  CHECK_EQ(json["chunks"][0]["metadata"]["knowledgeBaseId"], "kb_two");
}
