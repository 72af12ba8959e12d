#include <cmath>
#include <doctest/doctest.h>
#include <thread>

#include "tests/index/corpus.hpp"

using namespace kb::test;

namespace {

std::vector<MadeDocument> handbook() {
  return {
      {"backup.md",
       "Backup",
       {"How to back up", "Schedule"},
       {"Run the backup tool every night.", "Nightly at 02:30."}},
      {"network.md", "Network", {"Ports"}, {"The port of the gateway is 8080. A backup line exists."}},
      {"zh.md", "数据库手册", {"备份", "权限"}, {"每天凌晨执行数据库备份。", "管理员可以授予权限。"}},
      {"far.md", "Notes", {"", ""}, {"alpha one two three four five six seven eight nine ten beta", "alpha beta"}},
  };
}

std::vector<ScoredPassage> ask(Index const& index, std::string_view question, SearchOptions const& options = {}) {
  return index.search(query_terms(question), options);
}

/// Each passage by itself: support comes from the other candidates, and here their number differs.
std::vector<ScoredPassage> alone(std::vector<ScoredPassage> found) {
  for (ScoredPassage& one : found) {
    ScoreParts& parts = one.parts;
    parts.support = one.normalised = 0;
    one.score = parts.bm25 + parts.page + parts.title + parts.proximity;
  }
  std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) {
    return std::tuple(-a.score, a.doc, a.passage) < std::tuple(-b.score, b.doc, b.passage);
  });
  return found;
}

}  // namespace

TEST_CASE("the passage that answers comes first") {
  Index const index = index_of(handbook());
  struct Row {
    char const* question;
    std::uint32_t doc, passage;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"How do I back up?", 0, 0, "the heading asks it"},
      {"backup", 0, 0, "title, heading and body beat body"},
      {"what port does the gateway use", 1, 0, "body"},
      {"資料庫如何備份", 2, 0, "Traditional question, Simplified page"},
      {"谁能授予权限", 2, 1, "the other passage"},
      {"alpha beta", 3, 1, "side by side beats far apart and long"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.question);
    CAPTURE(row.why);
    auto const found = ask(index, row.question);
    REQUIRE_FALSE(found.empty());
    CHECK_EQ(found[0].doc, row.doc);
    CHECK_EQ(found[0].passage, row.passage);
  }
}

TEST_CASE("a result says where it stands and what its score is made of") {
  Index const index = index_of(handbook());
  auto const found = ask(index, "nightly schedule");
  REQUIRE_FALSE(found.empty());
  CHECK_EQ(found[0].line_begin, 11);
  CHECK_EQ(found[0].line_end, 15);
  ScoreParts const& parts = found[0].parts;
  CHECK_EQ(found[0].score, doctest::Approx(parts.bm25 + parts.page + parts.support + parts.title + parts.proximity));
  CHECK_GT(parts.page, 0);
  CHECK_GT(found[0].normalised, 0);
  CHECK_LE(found[0].normalised, 1);
}

TEST_CASE("of two equal passages the one comes first whose page speaks of the question again") {
  Index const index = index_of({
      {"a.md", "Notes", {"", ""}, {"the invoice ledger is kept here", "something else altogether"}},
      {"b.md", "Notes", {"", ""}, {"the invoice ledger is kept here", "an invoice goes to the ledger"}},
  });
  auto const found = ask(index, "where is the invoice ledger kept");
  REQUIRE_FALSE(found.empty());
  CHECK_EQ(found[0].doc, 1);
  CHECK_GT(found[0].parts.support, 0);
}

TEST_CASE("a title that names what is asked about counts; one of asking words does not") {
  Index const index = index_of({
      {"a.md", "Ledger", {""}, {"it is kept in the office"}},
      {"b.md", "Where is what", {""}, {"it is kept in the office"}},
  });
  auto const found = ask(index, "where is the ledger kept");
  REQUIRE_EQ(found.size(), 2);
  CHECK_EQ(found[0].doc, 0);
  CHECK_GT(found[0].parts.title, 0);
  CHECK_EQ(found[1].parts.title, 0);
}

TEST_CASE("words that nobody has lower the normalised score, not the order") {
  Index const index = index_of(handbook());
  auto const plain = ask(index, "gateway port");
  auto const more = ask(index, "gateway port zyzzyva");
  REQUIRE_FALSE(plain.empty());
  REQUIRE_FALSE(more.empty());
  CHECK_EQ(more[0].doc, plain[0].doc);
  CHECK_LT(more[0].normalised, plain[0].normalised);
}

TEST_CASE("a prior lifts, lowers and hides documents") {
  Index const index = index_of(handbook());
  SearchOptions options;
  options.prior = [](std::uint32_t doc) { return doc == 0 ? 0.0f : doc == 1 ? 0.5f : 1.0f; };
  auto const found = ask(index, "backup gateway", options);
  REQUIRE_EQ(found.size(), 1);
  CHECK_EQ(found[0].doc, 1);
  auto const plain = ask(index, "backup gateway");
  auto const same = std::find_if(plain.begin(), plain.end(), [](auto const& f) { return f.doc == 1; });
  REQUIRE(same != plain.end());
  CHECK_EQ(found[0].score, doctest::Approx(same->score / 2));
}

TEST_CASE("hidden documents take no candidate's place") {
  Index const index = index_of(handbook());
  SearchOptions options;
  options.candidates = 1;
  options.prior = [](std::uint32_t doc) { return doc == 0 ? 0.0f : 1.0f; };
  CHECK_EQ(ask(index, "backup", options).size(), 1);
}

TEST_CASE("limits are kept, and nothing asked finds nothing") {
  Index const index = index_of(handbook());
  SearchOptions two;
  two.limit = 2;
  CHECK_EQ(ask(index, "backup the", two).size(), 2);
  CHECK(ask(index, "").empty());
  CHECK(ask(index, "zyzzyva").empty());
  CHECK(ask(Index(), "backup").empty());
}

TEST_CASE("idf counts live passages") {
  Index const index = index_of(handbook());
  CHECK_EQ(index.document_frequency("backup"), 3);  // two by the title of their page
  CHECK_EQ(index.document_frequency("zyzzyva"), 0);
  CHECK_EQ(index.idf("backup"), doctest::Approx(std::log(1 + (7 - 3 + .5) / 3.5)));
  CHECK_GT(index.idf("zyzzyva"), index.idf("8080"));
}

TEST_CASE("skipping never changes what is found") {
  // Many passages and few candidates, so that windows, blocks and weak lists are skipped; all candidates: none is.
  Author author(7);
  std::vector<MadeDocument> documents;
  for (int i = 0; i < 1200; ++i) documents.push_back(author.document());
  Index const index = index_of(documents);
  for (int round = 0; round < 40; ++round) {
    auto const terms = query_terms(author.words(1 + author.below(9)) + (round % 3 == 0 ? " rare7" : ""));
    SearchOptions few;
    few.limit = few.candidates = few.rerank = 10;
    SearchOptions all = few;
    all.candidates = all.rerank = all.limit = 100'000;
    auto exhaustive = index.search(terms, all);
    std::sort(exhaustive.begin(), exhaustive.end(), [](auto const& a, auto const& b) {
      return std::tuple(-a.parts.bm25, a.doc, a.passage) < std::tuple(-b.parts.bm25, b.doc, b.passage);
    });
    exhaustive.resize(std::min<std::size_t>(exhaustive.size(), 10));
    CAPTURE(round);
    REQUIRE_EQ(printed(alone(index.search(terms, few))), printed(alone(exhaustive)));
  }
}

TEST_CASE("many threads may search one index") {
  Index const index = index_of(handbook());
  std::string const want = printed(ask(index, "数据库 backup port"));
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([&index, &mine, &want] {
      for (int i = 0; i < 50; ++i) {
        mine = printed(ask(index, "数据库 backup port"));
        if (mine != want) return;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& mine : got) CHECK_EQ(mine, want);
}
