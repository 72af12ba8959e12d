#include "answer/protocols/hits.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "answer/protocols/hit_list.hpp"
#include "answer/protocols/page_index.hpp"
#include "answer/protocols/quote_check.hpp"
#include "tests/protocols/books.hpp"

using Json = nlohmann::ordered_json;
using kb::RepoId;
using kb::test::Books;
using namespace kb::protocols;

namespace {

RepoId const kId("acme", "kb");
char const* const kQuestion = "How do we rotate API keys?";

std::map<std::string, std::string> const kPages{
    {"index.md", "# Index\n\n- [[api_key_rotation]] — rotate API keys\n"},
    {"runbooks/api_key_rotation.md",
     "---\ntags: [security, runbook]\nupdated: 2025-06-01\n---\n# API key rotation\n\nOwned by the platform team.\n\n"
     "## Procedure\n\nKeys live in the vault.\n\nApproval is required before you start.\n\n"
     "1. Create a new key.\n2. Update services to use it.\n3. To rotate an API key, revoke the old key, then check the "
     "logs.\n\n## See also\n\n- rotate API keys elsewhere\n"},
    {"security/credential_policy.md",
     "---\ntags: [security]\nupdated: 2024-02-10\n---\n# Credential policy\n\nAPI keys must be rotated every 90 days. "
     "Credential rotation requires approval, and the audit log verifies it.\n"},
    {"audit/controls.md",
     "# Controls\n\n## Key Management\n\n### Scope\n\nAll services.\n\n### Evidence\n\nEvidence of rotation includes "
     "change tickets and key revocation logs.\n"},
    {"notes/party.md",
     "# Party\n\nThe DJ will rotate. Someone bring the keys to the hall, and far away in another "
     "thought that has nothing to do with it all we may one day speak of an API.\n"},
    {"notes/footer.md", "# Notes\n\nNothing here.\n\n© 2025 Acme, rotate API keys. All rights reserved.\n"},
    {"hr/leave.md", "# 休假\n\n年假每年 15 天，需要主管审批。\n"},
};

HitList found(Books const& books, std::string const& text, void (*change)(HitQuery&) = nullptr) {
  HitQuery query;
  query.query = text;
  if (change != nullptr) change(query);
  return search_hits(books.all(), query);
}

std::string paths(HitList const& list) {
  std::string out;
  for (Hit const& hit : list.hits) out += hit.path + "|";
  return out;
}

Hit const* hit_of(HitList const& list, std::string const& path) {
  for (Hit const& hit : list.hits) {
    if (hit.path == path) return &hit;
  }
  return nullptr;
}

/// Rows of an RFC 4180 text.
std::vector<std::vector<std::string>> parse_csv(std::string const& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

}  // namespace

TEST_CASE("the seed's question finds policy, procedure and evidence, each with its exact place") {
  Books books;
  books.add(kPages);
  HitList const list = found(books, kQuestion);
  std::set<std::string> const first{list.hits.at(0).path, list.hits.at(1).path};
  CHECK(first == std::set<std::string>{"security/credential_policy.md", "runbooks/api_key_rotation.md"});
  CHECK(hit_of(list, "audit/controls.md") != nullptr);
  for (Hit const& hit : list.hits) {
    CAPTURE(hit.path);
    std::string const page = books.text(kId, hit.path);
    CHECK(page.find(hit.snippet) != std::string::npos);
    CHECK_FALSE(hit.snippet.empty());
    std::size_t line = 1;
    for (std::size_t at = 0; at < page.find(hit.snippet); ++at) line += page[at] == '\n' ? 1 : 0;
    CHECK_EQ(hit.line_begin, line);
    CHECK_FALSE(hit.location.empty());
    CHECK_FALSE(hit.notes.empty());
    CHECK(hit.url.find("#L" + std::to_string(line)) != std::string::npos);
  }
}

TEST_CASE("locators count paragraphs inside their heading, and inside the one around it") {
  Books books;
  books.add(kPages);
  HitList const list = found(books, kQuestion);
  Hit const* const steps = hit_of(list, "runbooks/api_key_rotation.md");
  REQUIRE(steps != nullptr);
  CHECK_EQ(steps->location, "section 'Procedure' ¶3");
  CHECK_EQ(steps->heading_form, "heading 'API key rotation' ¶4");
  CHECK_EQ(steps->lines, "lines 15-17");
  Hit const* const evidence = hit_of(list, "audit/controls.md");
  REQUIRE(evidence != nullptr);
  CHECK_EQ(evidence->location, "section 'Evidence' ¶1");
  CHECK_EQ(evidence->heading_form, "heading 'Key Management' ¶2");
}

TEST_CASE("navigation, boilerplate and mere mentions are no hits") {
  Books books;
  books.add(kPages);
  HitList const list = found(books, kQuestion);
  CHECK(hit_of(list, "index.md") == nullptr);
  CHECK(hit_of(list, "notes/footer.md") == nullptr);
  for (Hit const& hit : list.hits) CHECK(hit.snippet.find("elsewhere") == std::string::npos);
  Hit const* const party = hit_of(list, "notes/party.md");
  if (party != nullptr) CHECK_LT(party->score.parts.total(), list.hits[1].score.parts.total());
  CHECK(paths(found(books, "quarterly dividend forecast")).empty());
}

TEST_CASE("a question is split into entities, actions and constraints, and widened") {
  Synonyms const synonyms;
  using Kind = QueryUnit::Kind;
  struct Row {
    char const* query;
    std::vector<std::string> entities, actions, constraints;
  };
  Row const rows[] = {
      {"How do we rotate API keys?", {"API key"}, {"rotate"}, {}},
      {"revoke or regenerate API keys every 90 days", {"API key"}, {"revoke", "regenerate"}, {"every 90 days"}},
      {"deploy the web server within 2 hours", {"web server"}, {"deploy"}, {"within 2 hours"}},
      {"Which backups have approval required?", {}, {"backup"}, {"approval required"}},
      {"密钥每 90 天轮换一次吗？", {"密钥"}, {"轮换"}, {"每 90 天"}},
  };
  for (Row const& row : rows) {
    CAPTURE(row.query);
    QueryWords const words = take_apart(row.query, synonyms);
    for (auto const& entity : row.entities) {
      CAPTURE(entity);
      auto const all = words.texts(Kind::entity);
      CHECK_NE(std::find(all.begin(), all.end(), entity), all.end());
    }
    CHECK(words.texts(Kind::action) == row.actions);
    CHECK(words.texts(Kind::constraint) == row.constraints);
  }
  QueryWords const words = take_apart("rotate API key", synonyms);
  std::set<std::string> variants;
  for (QueryUnit const& unit : words.units) variants.insert(unit.variants.begin(), unit.variants.end());
  for (char const* variant : {"API keys", "API-key", "credential", "token", "rotation", "regenerate"}) {
    CAPTURE(variant);
    CHECK(variants.contains(variant));
  }
}

TEST_CASE("synonyms find what is said in other words, built in or of the repository") {
  Books books;
  books.add({{"a.md", "# Vault\n\nCredential rotation happens in March.\n"},
             {"b.md", "# Widgets\n\nThe frobnicator hums at night.\n"},
             {"synonyms.json", R"([["gizmo","frobnicator"],["alone"]])"}});
  CHECK_EQ(paths(found(books, "rotate key")), "a.md|");
  HitList const own = found(books, "gizmo");
  CHECK_EQ(paths(own), "b.md|");
  CHECK(own.hits.at(0).notes.find("gizmo (as frobnicator)") != std::string::npos);
  CHECK_EQ(own.notes.size(), 1);
  CHECK_EQ(paths(found(books, "凭证 轮换")), "a.md|");
}

TEST_CASE("filters by type, time, tag and glob apply alone and together, and say which date counted") {
  Books books;
  books.add(kId,
            {{"a.md", "---\nupdated: 2024-01-01\ntags: [ops]\n---\nrotate keys\n"},
             {"b.md", "---\ndate: 2026-12-31\ntags: [Security]\n---\nrotate keys\n"},
             {"c.txt", "rotate keys\n"},
             {"d/e.md", "---\nupdated_at: 2023-12-31\n---\nrotate keys\n"}},
            {"**/*.{md,txt}"});
  auto const run = [&](void (*change)(HitQuery&)) { return found(books, "rotate keys", change); };
  CHECK_EQ(paths(run(nullptr)), "a.md|b.md|c.txt|d/e.md|");
  CHECK_EQ(paths(run([](HitQuery& q) { q.file_types = {"txt"}; })), "c.txt|");
  CHECK_EQ(paths(run([](HitQuery& q) { q.file_types = {"*.md", "pdf"}; })), "a.md|b.md|d/e.md|");
  CHECK_EQ(paths(run([](HitQuery& q) { q.glob = "./d/**/*.md"; })), "d/e.md|");
  CHECK_EQ(paths(run([](HitQuery& q) { q.glob = "./**/*.md"; })), "a.md|b.md|d/e.md|");
  CHECK_EQ(paths(run([](HitQuery& q) { q.tags = {"security"}; })), "b.md|");
  // Both ends count; c.txt goes by the commit that wrote it, in January 2026.
  HitList const dated = run([](HitQuery& q) {
    q.since = "2024-01-01";
    q.until = "2026-12-31";
  });
  CHECK_EQ(paths(dated), "a.md|b.md|c.txt|");
  CHECK(hit_of(dated, "a.md")->notes.find("dated 2024-01-01 by the page's own date") != std::string::npos);
  CHECK(hit_of(dated, "c.txt")->notes.find("by the last commit") != std::string::npos);
  CHECK_EQ(paths(run([](HitQuery& q) {
             q.since = "2024-01-02";
             q.tags = {"ops", "security"};
           })),
           "b.md|");
}

TEST_CASE("nearer words, weightier sections and fuller passages rank higher") {
  Books near;
  near.add({{"far.md",
             "# A\n\nRotate the logs weekly and keep them, and in a wholly different part of the house, after "
             "much talk of other matters, there is a key.\n"},
            {"near.md", "# B\n\nRotate the key.\n"}});
  CHECK_EQ(near.all().size(), 1);
  CHECK_EQ(paths(found(near, "rotate key")), "near.md|far.md|");
  Books section;
  section.add({{"a.md", "# Words\n\n## Anecdotes\n\nThe vault token is blue.\n"},
               {"b.md", "# Words\n\n## Security procedure\n\nThe vault token is blue.\n"}});
  CHECK_EQ(paths(found(section, "vault token")), "b.md|a.md|");
  Books coverage;
  coverage.add({{"a.md", "# Words\n\nThe vault token is blue.\n"},
                {"b.md", "# Words\n\nThe vault token must be blue. First paint it, then check the colour.\n"}});
  CHECK_EQ(paths(found(coverage, "vault token")), "b.md|a.md|");
}

TEST_CASE("a score is the weighted sum of its parts, an exact phrase above a partial one") {
  Books books;
  books.add(kPages);
  HitList const list = found(books, kQuestion);
  Json const json = Json::parse(to_json(list, true));
  CHECK_EQ(json["understood"]["entities"][0], "API key");
  double last = 2;
  for (Json const& hit : json["hits"]) {
    double sum = 0;
    double weights = 0;
    for (auto const& [name, part] : hit["parts"].items()) {
      sum += part["weight"].get<double>() * part["value"].get<double>();
      weights += part["weight"].get<double>();
      CHECK_GE(part["value"].get<double>(), 0);
      CHECK_LE(part["value"].get<double>(), 1);
    }
    CHECK(std::abs(weights - 1) < 1e-9);
    CHECK(std::abs(sum - hit["score"].get<double>()) < 1e-9);
    CHECK(std::abs(sum - hit["relevance_score"].get<double>()) <= .0051);
    CHECK_LE(hit["score"].get<double>(), last);
    last = hit["score"].get<double>();
    CHECK_EQ(hit["score_kind"], "weighted");
  }
  CHECK_EQ(json["hits"][0]["parts"]["keyword"]["weight"], .45);
  CHECK_EQ(json["hits"][0]["parts"]["proximity"]["weight"], .20);
  CHECK_EQ(json["hits"][0]["parts"]["section"]["weight"], .20);
  CHECK_EQ(json["hits"][0]["parts"]["coverage"]["weight"], .15);
  Books phrase;
  phrase.add(
      {{"a.md", "# X\n\nThe key is one thing. An API is another.\n"}, {"b.md", "# X\n\nThe API key is here.\n"}});
  HitList const both = found(phrase, "API key");
  REQUIRE_EQ(paths(both), "b.md|a.md|");
  CHECK_EQ(both.hits[0].score.parts.keyword, 1);
  CHECK_LT(both.hits[1].score.parts.keyword, 1);
}

TEST_CASE("a direct scan finds what the index finds") {
  Books books;
  books.add(kPages);
  for (char const* query : {kQuestion, "key revocation", "年假 审批", "approval", "platform team"}) {
    CAPTURE(query);
    HitList const indexed = found(books, query);
    HitList const scanned = found(books, query, [](HitQuery& q) { q.use_index = false; });
    CHECK_EQ(indexed.method, "index");
    CHECK_EQ(scanned.method, "scan");
    REQUIRE_EQ(paths(indexed), paths(scanned));
    for (std::size_t i = 0; i < indexed.hits.size(); ++i) {
      CHECK_EQ(indexed.hits[i].snippet, scanned.hits[i].snippet);
      CHECK_EQ(indexed.hits[i].score.parts.total(), scanned.hits[i].score.parts.total());
    }
    CHECK_FALSE(Json::parse(to_json(scanned, false))["roots"][0]["indices"]["content"].get<bool>());
  }
}

TEST_CASE("a file's name is enough to find it, and the notes say so") {
  Books books;
  books.add({{"onboarding-checklist.md", "# First days\n\nBring a passport.\n"}, {"b.md", "# B\n\nNothing.\n"}});
  HitList const list = found(books, "onboarding checklist");
  REQUIRE_EQ(paths(list), "onboarding-checklist.md|");
  CHECK(list.hits[0].notes.find("in title or path only") != std::string::npos);
}

TEST_CASE("the hit list is CSV of the seed's columns and survives whatever a page holds") {
  Books books;
  std::string const wild = "Rotate keys, \"now\",\nover two lines; 中文，也行";
  books.add({{"a.md", "# A\n\n" + wild + "\n"}, {"b.md", "# B\n\nrotate keys\n"}});
  HitList const list = found(books, "rotate keys");
  std::string const csv = to_csv(list);
  CHECK(csv.starts_with("file_path,location,snippet,relevance_score,notes\n"));
  auto const rows = parse_csv(csv);
  REQUIRE_EQ(rows.size(), list.hits.size() + 1);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    REQUIRE_EQ(rows[i].size(), 5);
    Hit const& hit = list.hits[i - 1];
    CHECK_EQ(rows[i][0], "acme/kb/" + hit.path);
    CHECK_EQ(rows[i][1], hit.location);
    CHECK_EQ(rows[i][2], hit.snippet);
    CHECK_EQ(rows[i][3].size(), 4);
    CHECK_LE(std::stod(rows[i][3]), 1);
    CHECK_EQ(rows[i][4], hit.notes);
    if (hit.path == "a.md") CHECK_EQ(rows[i][2], wild);
  }
  CHECK(to_csv(list, "relevance_score,mine,lines\r\nignored").starts_with("relevance_score,mine,lines\n"));
  CHECK_EQ(parse_csv(to_csv(list, "relevance_score,mine,lines"))[1][1], "");
  CHECK_EQ(to_csv(found(books, "nothing of the kind")), "file_path,location,snippet,relevance_score,notes\n");
}

TEST_CASE("a PageIndex gives stable page and paragraph numbers, and one of another version is not used") {
  Books books;
  std::string const text = "# Manual\n\nFirst sheet.\n\f\nSecond sheet, intro.\n\nRotate the key here.\n";
  books.add({{"m.md", text}});
  auto const& book = books.all()[0];
  auto const page = book.snapshot->read(book.grant, "m.md");
  PageIndex const made = page_index_of(**page);
  std::string const json = to_json(made);
  books.add({{"m.md.pageindex.json", json}, {"other.md", "# Other\n\nNothing.\n"}});
  HitList const list = found(books, "rotate key");
  REQUIRE_EQ(list.hits.size(), 1);
  CHECK_EQ(list.hits[0].location, "page 2 ¶2");
  CHECK_EQ(list.roots[0].page_indices, 1);
  CHECK_EQ(to_json(page_index_of(**book.snapshot->read(book.grant, "m.md"))), json);
  books.add({{"m.md", text + "\nMore.\n"}});
  HitList const stale = found(books, "rotate key");
  CHECK(stale.hits[0].location.starts_with("section "));
  CHECK(stale.notes.at(0).find("another version") != std::string::npos);
  for (char const* broken :
       {"", "[]", "{}", R"({"pages":[{"page":-1}]})", R"({"pages":[{"page":1,"start":9,"end":2}]})"}) {
    CHECK_FALSE(parse_page_index(broken));
  }
}

TEST_CASE("a quote is verbatim, the same but for its dress, elsewhere or absent") {
  Books books;
  books.add({{"a.md", "# A\n\nKeys are **rotated** every 90 days.\n"}, {"b.md", "# B\n\nTickets are kept.\n"}});
  auto const status = [&](char const* quote, char const* path) { return check_quote(books.all(), quote, path).status; };
  CHECK(status("Keys are **rotated** every 90 days.", "a.md") == QuoteStatus::verbatim);
  CHECK(status("Keys are rotated  every 90 days.", "a.md") == QuoteStatus::normalised);
  CHECK(status("Tickets are kept.", "a.md") == QuoteStatus::elsewhere);
  CHECK(status("Tickets are kept.", "") == QuoteStatus::verbatim);
  CHECK(status("Keys are rotated every 30 days.", "a.md") == QuoteStatus::absent);
  QuoteCheck const check = check_quote(books.all(), "Tickets are kept.", "");
  CHECK_EQ(check.places.at(0).location, "section 'B' ¶1");
  CHECK_EQ(check.places.at(0).line, 3);
}

TEST_CASE("pages that disagree stand side by side with what only one of them says") {
  Books books;
  books.add({{"a.md", "# Policy\n\nAPI keys are rotated every 90 days.\n"},
             {"b.md", "# Old policy\n\nAPI keys are rotated every 30 days.\n"}});
  Compared const compared = compare(found(books, kQuestion));
  REQUIRE_EQ(compared.hits.size(), 2);
  CHECK_EQ(compared.differences.size(), 2);
  CHECK(to_json(compared).find("a.md alone has: 90") != std::string::npos);
  CHECK(to_json(compared).find("b.md alone has: 30") != std::string::npos);
}

TEST_CASE("words are found line by line as grep finds them") {
  Books books;
  books.add({{"a.md", "one\nAPI key here\nthree\n"},
             {"d/b.md", "# x\n\nplease Rotate\n"},
             {"bin.md", std::string("a\0key", 5)}});
  auto const lines = grep_pages(books.all(), "api key\\|rotate", 10);
  REQUIRE_EQ(lines.size(), 2);
  CHECK_EQ(lines[0].path, "a.md");
  CHECK_EQ(lines[0].number, 2);
  CHECK_EQ(lines[1].number, 3);
  CHECK_EQ(grep_pages(books.all(), "e", 1).size(), 1);
}

TEST_CASE("nothing found in a knowledge base is run, followed out or written") {
  Books books;
  kb::test::TempDir outside;
  std::string const secret = outside.write("secret.md", "# Secret\n\nrotate keys secretly\n").string();
  std::string const trap = (outside.path() / "ran").string();
  books.add({{"a.md", "# A\n\nrotate keys\n\n```sh\ntouch " + trap + "\n```\n\n<script>steal()</script>\n"}});
  kb::test::Changes const traps{{"link.md", {secret, 0120000}},
                                {".gitattributes", {"*.md filter=x\n"}},
                                {"hooks/post-checkout", {"#!/bin/sh\ntouch " + trap + "\n", 0100755}}};
  books.repo(kId).commit(traps);
  books.add(std::map<std::string, std::string>());
  std::string const head = books.repo(kId).head();
  HitList const list = found(books, "rotate keys");
  CHECK_EQ(paths(list), "a.md|");
  CHECK_FALSE(std::filesystem::exists(trap));
  CHECK_EQ(books.repo(kId).head(), head);
  CHECK(check_quote(books.all(), "rotate keys secretly", "../" + secret).status == QuoteStatus::absent);
}

TEST_CASE("what is wrong with a query is said") {
  Books books;
  books.add(kPages);
  CHECK_EQ(found(books, " \n").fault, "query is empty");
  CHECK_FALSE(found(books, std::string(5000, 'x')).fault.empty());
  CHECK_FALSE(found(books, "x", [](HitQuery& q) { q.since = "soon"; }).fault.empty());
  CHECK_FALSE(found(books, "x", [](HitQuery& q) { q.limit = 0; }).fault.empty());
  CHECK_EQ(Json::parse(to_json(found(books, ""), false)).value("error", ""), "bad_request");
  CHECK_EQ(found(books, "key", [](HitQuery& q) { q.limit = 1; }).hits.size(), 1);
}
