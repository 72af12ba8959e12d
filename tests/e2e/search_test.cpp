// The verb kb_search: hit lists as files, roots, and what happens without an index.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/pdf.hpp"
#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A workspace whose team knows how keys are rotated.
struct Bench {
  Workspace w;
  Bench() {
    w.team.commit(
        {{"security/credential_policy.md",
          "# Credential policy\n\n## Policy\n\nAPI keys must be rotated every 90 days, with approval; the audit "
          "log, \"as is\", verifies it.\n"},
         {"runbooks/api_key_rotation.md",
          "# API key rotation\n\n## Procedure\n\n1. Create a new API key.\n2. Rotate: update services, then "
          "revoke the old key.\n"}});
  }
  Finished search(std::vector<std::string> more) const {
    more.insert(more.begin(), "kb_search");
    return w.run(KB_PROGRAM, std::move(more));
  }
  Json found(std::vector<std::string> more) const {
    Finished const done = search(std::move(more));
    CHECK_EQ(done.exit_code, 0);
    return Json::parse(done.out);
  }
};

}  // namespace

TEST_CASE("kb_search writes the hit list the seed asks for") {
  Bench b;
  std::string const list = (b.w.path() / "hit_list.csv").string();
  std::string const shipped = std::string(KB_SOURCE_DIR) + "/docs/assets/hit_list_template.csv";
  Json const done = b.found({"--query", "How do we rotate API keys?", "--root", "nlp/nlp-team-kb", "--file_types",
                             "md,pdf", "--since", "2024-01-01", "--until", "2026-12-31", "--format", "csv",
                             "--template", shipped, "--output", list});
  CHECK_EQ(done.value("output", ""), list);
  CHECK_EQ(done.value("rows", 0), 2);
  std::string const csv = text_of(list);
  CHECK(csv.starts_with(text_of(shipped)));
  CHECK(
      csv.find("nlp/nlp-team-kb/security/credential_policy.md,section 'Policy' ¶1,\"API keys must be rotated every 90 "
               "days, with approval; the audit log, \"\"as is\"\", verifies it.\",0.") != std::string::npos);
  CHECK(csv.find("nlp/nlp-team-kb/runbooks/api_key_rotation.md,section 'Procedure' ¶1,") != std::string::npos);
  Finished const plain =
      b.search({"--query", "How do we rotate API keys?", "--root", "nlp/nlp-team-kb", "--format", "csv"});
  CHECK_EQ(plain.out, csv);
  b.w.write("mine.csv", "title,lines,unknown\n");
  Finished const mine = b.search({"--query", "rotate API keys", "--root", "nlp/nlp-team-kb", "--format", "csv",
                                  "--template", (b.w.path() / "mine.csv").string()});
  CHECK(mine.out.starts_with("title,lines,unknown\n"));
  CHECK(mine.out.find("Credential policy,lines 5-5,\n") != std::string::npos);
  CHECK(fs::exists(std::string(KB_SOURCE_DIR) + "/docs/search-guide.md"));
}

TEST_CASE("a missing or broken index is said, scanned around and made again") {
  Bench b;
  std::vector<std::string> const query{"--query", "rotate API keys", "--root", "nlp/nlp-team-kb", "--explain"};
  Json const first = b.found(query);
  CHECK_EQ(first.value("method", ""), "scan");
  CHECK_FALSE(first["roots"][0]["indices"].value("content", true));
  CHECK(first["notes"][0].get<std::string>().find("missing") != std::string::npos);
  CHECK_EQ(first["roots"][0].value("updated", "").size(), 20);
  Json const second = b.found(query);
  CHECK_EQ(second.value("method", ""), "index");
  CHECK(second["roots"][0]["indices"].value("content", false));
  CHECK(second["notes"].empty());
  CHECK_EQ(first["hits"].dump(), second["hits"].dump());
  CHECK_EQ(second["understood"]["entities"][0], "API key");
  fs::path index;
  for (auto const& entry : fs::recursive_directory_iterator(b.w.path() / "state/index/nlp")) {
    if (entry.path().extension() == ".idx") index = entry.path();
  }
  REQUIRE(fs::exists(index));
  std::ofstream(index) << "no index";
  Json const third = b.found(query);
  CHECK_EQ(third.value("method", ""), "scan");
  CHECK(third["notes"][0].get<std::string>().find("corrupt") != std::string::npos);
  CHECK_EQ(third["hits"].dump(), first["hits"].dump());
  CHECK_EQ(b.found(query).value("method", ""), "index");
  std::vector<std::string> scan = query;
  scan.emplace_back("--scan");
  CHECK_EQ(b.found(scan)["hits"].dump(), first["hits"].dump());
}

TEST_CASE("only authorised roots are searched, and one that cannot be read is said") {
  Bench b;
  Finished const foreign = b.search({"--query", "x", "--root", "../etc"});
  CHECK_EQ(foreign.exit_code, 1);
  CHECK_EQ(Json::parse(foreign.out).value("error", ""), "root_not_authorised");
  std::string const before = b.w.team.head();
  Json const all = b.found({"--query", "rotate API keys"});
  CHECK_EQ(all["roots"].size(), 4);
  CHECK_EQ(b.w.team.head(), before);
  CHECK(b.w.records(KB_PROGRAM, "nlp", "nlp-team-kb").empty());
  fs::rename(b.w.cv.path(), b.w.cv.path().string() + ".away");
  Json const rest = b.found({"--query", "rotate API keys"});
  CHECK_EQ(rest["hits"].dump(), all["hits"].dump());
  std::string notes = rest["notes"].dump();
  CHECK(notes.find("cv/cv-team-kb cannot be searched") != std::string::npos);
  CHECK(notes.find("index rebuild") != std::string::npos);
  Finished const none = b.search({"--query", "x", "--root", "cv/cv-team-kb"});
  CHECK_EQ(none.exit_code, 1);
  CHECK_EQ(Json::parse(none.out).value("error", ""), "unavailable");
  fs::rename(b.w.cv.path().string() + ".away", b.w.cv.path());
}

TEST_CASE("a hit in a PDF is told by its page, and quotes its text") {
  Bench b;
  std::vector<std::string> pages(11, "Nothing of interest stands here.");
  pages.emplace_back("Vault keys are sealed in two halves.\n\nEach half is kept by another officer.");
  b.w.team.commit({{"papers/vault.pdf", make_pdf(pages, "Vault handbook")}, {"papers/broken.pdf", "%PDF-1.4 broken"}});
  b.w.configure([](Json& config) { config["repos"][0]["include"] = {"**/*.md", "**/*.pdf"}; });
  Json const hits =
      b.found({"--query", "How are vault keys sealed?", "--root", "nlp/nlp-team-kb", "--file_types", "pdf"});
  REQUIRE_FALSE(hits["hits"].empty());
  Json const& hit = hits["hits"][0];
  CHECK(hit.value("file_path", "").ends_with("papers/vault.pdf"));
  CHECK_EQ(hit.value("location", ""), "page 12");
  CHECK(hit.value("snippet", "").find("Vault keys are sealed in two halves.") != std::string::npos);
  Json const quoted = Json::parse(b.search({"--quote", "Each half is kept by another officer."}).out);
  CHECK(quoted.dump().find("page 12") != std::string::npos);
  Json const answer =
      Json::parse(b.w.run(KB_PROGRAM, {"ask", "--sender_id", "ou_bob", "--chat_type", "group", "--chat_id", "oc_nlp",
                                       "--question", "How are vault keys sealed?"})
                      .out);
  CHECK_EQ(answer.value("outcome", ""), "answered");
  CHECK_EQ(answer["sources"][0].value("locator", ""), "page 12");
  CHECK_EQ(answer["sources"][0].value("title", ""), "Vault handbook");
}

TEST_CASE("quotes, comparisons and lines are asked of the same roots") {
  Bench b;
  CHECK_EQ(b.found({"--quote", "The reranker answers in 118 ms at the 95th percentile."}).value("status", ""),
           "verbatim");
  CHECK_EQ(b.found({"--quote", "The reranker answers in 119 ms"}).value("status", ""), "absent");
  CHECK_EQ(b.found({"--grep", "milvus|faiss"})["lines"].size(), 1);
  CHECK_EQ(b.found({"--query", "rotate API keys", "--compare"})["pages"].size(), 2);
  CHECK_EQ(b.search({"--query", " "}).exit_code, 2);
  CHECK_EQ(b.search({"--query", "x", "--format", "xml"}).exit_code, 2);
}

}  // namespace kb::test
