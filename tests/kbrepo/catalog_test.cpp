#include "kbrepo/catalog.hpp"

#include <doctest/doctest.h>
#include <string>

using kb::kbrepo::parse_catalog;

TEST_CASE("a catalogue gives its arrays, each entry as it stands") {
  auto const catalog = parse_catalog(R"({
    "documents": [{"title": "论文", "file": "summaries/papers/a.md", "brief": "b", "keywords": ["k", 3], "people": "李雷",
                   "project_id": "atlas", "score": 5}, "not an entry"],
    "concepts": [{"name": "RAG", "file": "concepts/rag.md"}, {"file": "concepts/only-file.md"}],
    "projects": [{"project_id": "atlas", "name": "Atlas", "folder": "projects/atlas"}],
    "people": {"not": "a list"}})");
  CHECK(catalog.present);
  CHECK_EQ(catalog.fault, "");
  REQUIRE_EQ(catalog.documents.size(), 1u);
  CHECK_EQ(catalog.documents[0].title, "论文");
  CHECK_EQ(catalog.documents[0].id, "atlas");
  REQUIRE_EQ(catalog.documents[0].keywords.size(), 1u);
  REQUIRE_EQ(catalog.documents[0].people.size(), 1u);
  CHECK_NE(catalog.documents[0].json.find("\"score\":5"), std::string::npos);
  REQUIRE_EQ(catalog.concepts.size(), 2u);
  CHECK_EQ(catalog.concepts[0].title, "RAG");
  CHECK_EQ(catalog.concepts[1].title, "only-file");
  REQUIRE_EQ(catalog.projects.size(), 1u);
  CHECK_EQ(catalog.projects[0].file, "projects/atlas");
  CHECK(catalog.people.empty());
}

TEST_CASE("a broken catalogue is empty and says why (N-21)") {
  std::string deep = "{\"documents\":[";
  for (int i = 0; i < 100'000; ++i) deep += "[";
  for (std::string const& text : {std::string("{"), std::string("[]"), std::string("{\"documents\": [{]}"), deep}) {
    auto const catalog = parse_catalog(text);
    CHECK_FALSE(catalog.present);
    CHECK_NE(catalog.fault, "");
    CHECK(catalog.documents.empty());
  }
}
