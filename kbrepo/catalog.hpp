/// catalog.json (ACCEPTANCE 1.2) as a guide to pages; broken or missing: empty arrays and a listing of the tree (N-21).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb::kbrepo {

struct CatalogEntry {
  std::string title;  ///< `title`, `name`, else the file's stem
  std::string file;   ///< path in the repository; may name a page that does not exist
  std::string brief;
  std::string id;  ///< project_id
  std::vector<std::string> keywords;
  std::vector<std::string> people;
  std::string json;  ///< the entry as it stands in the file, for kb_list
};

struct Catalog {
  std::vector<CatalogEntry> documents, concepts, resources, people, projects, reviews, imports;
  bool present = false;  ///< there was a catalog.json that parsed
  std::string fault;     ///< why it did not
};

[[nodiscard]] Catalog parse_catalog(std::string_view text);

}  // namespace kb::kbrepo
