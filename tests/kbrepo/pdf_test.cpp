#include "tests/support/pdf.hpp"

#include <doctest/doctest.h>
#include <random>

#include "kbrepo/pdf_text.hpp"
#include "kbrepo/snapshot.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::kbrepo {
namespace {

using test::make_pdf;

std::string const kHandbook = make_pdf({"Key rotation handbook\n\nRead it first.",
                                        "Rotate API keys every 90 days. The audit log\nverifies each rotation.\n\n"
                                        "Revoke the old key within one hour.",
                                        ""},
                                       "Handbook of keys");

SnapshotPtr snapshot_of(test::TempRepo& repo, std::size_t max_page_bytes = 2 * 1024 * 1024) {
  config::RepoSettings settings;
  settings.id = RepoId("acme", "root");
  settings.git = repo.path();
  settings.include = {"**/*.md", "**/*.pdf"};
  SnapshotOptions options;
  options.max_page_bytes = max_page_bytes;
  return Snapshot::build(settings, *CommitId::parse(repo.head()), nullptr, options).value();
}

scope::ReadGrant const kGrant = scope::operator_grant(RepoId("acme", "root"), scope::Label::team);

}  // namespace

TEST_CASE("a PDF's text comes page by page, with its title") {
  Result<PdfText> const pdf = pdf_text(kHandbook);
  REQUIRE_MESSAGE(pdf.has_value(), pdf.error().what);
  CHECK_EQ(pdf->title, "Handbook of keys");
  CHECK(is_pdf("a/B.PDF"));
  CHECK_FALSE(is_pdf("pdf"));
  REQUIRE_EQ(pdf->pages.size(), 3);
  CHECK(pdf->pages[0].find("Key rotation handbook") != std::string::npos);
  CHECK(pdf->pages[1].find("Rotate API keys every 90 days. The audit log") != std::string::npos);
  CHECK_EQ(pdf->pages[2].find_first_not_of(" \n"), std::string::npos);
}

TEST_CASE("a PDF is a page of the knowledge base, each place in it told by its page number") {
  test::TempRepo repo;
  repo.commit({{"handbook.pdf", kHandbook}, {"a.md", "# A\n\nText.\n"}});
  SnapshotPtr const book = snapshot_of(repo);
  auto const page = book->read(kGrant, "handbook.pdf");
  REQUIRE(page.has_value());
  CHECK_EQ((*page)->title, "Handbook of keys");
  REQUIRE_EQ((*page)->sections.size(), 4);
  std::vector<std::string> places;
  for (Block const& block : (*page)->blocks) {
    places.push_back(locator(**page, block));
    CHECK_FALSE((*page)->bytes(block).empty());
    CHECK_LE(block.line_begin, block.line_end);
  }
  REQUIRE_GE(places.size(), 3);
  CHECK_EQ(places.front(), "page 1");
  CHECK_EQ(places.back(), "page 2");
  auto const hits = book->index(kGrant).search(index::query_terms("rotate API keys"), {});
  REQUIRE_FALSE(hits.empty());
  CHECK_EQ(book->pages(kGrant)[hits[0].doc].path, "handbook.pdf");
}

TEST_CASE("what cannot be read of a PDF is noted, and the rest of the repository is served") {
  test::TempRepo repo;
  std::string locked = kHandbook;
  std::string const key(32, 'x');
  locked.insert(locked.rfind("/Root"),
                "/ID [(a) (a)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (" + key + ") /U (" + key + ") >> ");
  repo.commit({{"empty.pdf", ""},
               {"text.pdf", "no PDF at all"},
               {"cut.pdf", kHandbook.substr(0, 60)},
               {"locked.pdf", locked},
               {"pictures.pdf", make_pdf({""})},
               {"a.md", "# A\n\nText.\n"}});
  SnapshotPtr const book = snapshot_of(repo);
  CHECK(book->read(kGrant, "a.md").has_value());
  for (char const* const path : {"empty.pdf", "text.pdf", "cut.pdf", "locked.pdf", "pictures.pdf"}) {
    CAPTURE(std::string(path));
    auto const page = book->read(kGrant, path);
    REQUIRE(page.has_value());
    CHECK((*page)->blocks.empty());
    auto const& notes = book->stats().notes;
    CHECK(std::any_of(notes.begin(), notes.end(), [&](std::string const& note) { return note.starts_with(path); }));
  }
  test::TempRepo large;
  large.commit({{"handbook.pdf", kHandbook}});
  CHECK_EQ(snapshot_of(large, kHandbook.size() - 1)->stats().skipped_large, 1);
}

TEST_CASE("no damage to a PDF does more than cost its text") {
  std::mt19937 random(20261130);
  int read = 0;
  for (int round = 0; round < 40; ++round) {
    std::string damaged = kHandbook;
    for (unsigned n = 1 + static_cast<unsigned>(random() % 30); n > 0; --n) {
      damaged[8 + random() % (damaged.size() - 8)] = static_cast<char>(random() % 256);
    }
    if (round % 4 == 0) damaged.resize(8 + random() % (damaged.size() - 8));
    CAPTURE(round);
    Result<PdfText> const pdf = pdf_text(damaged);
    read += pdf.has_value() ? 1 : 0;
    if (!pdf) CHECK_FALSE(pdf.error().what.empty());
  }
  CHECK_GT(read, 0);
}

}  // namespace kb::kbrepo
