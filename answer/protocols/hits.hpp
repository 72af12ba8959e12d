/// kb_search (S4): verifiable hits of a query over knowledge bases, best first, each with its place and why it is
/// there. Local and read-only: blobs of a commit are all it ever opens.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer/protocols/book.hpp"
#include "answer/protocols/hit_score.hpp"
#include "kbrepo/vectors.hpp"

namespace kb::protocols {

inline constexpr std::size_t kMaxHits = 100;

struct HitQuery {
  std::string query;
  std::vector<std::string> file_types;  ///< "md", "txt"; empty: all
  std::string since, until;             ///< YYYY-MM-DD, both inclusive; empty: open
  std::vector<std::string> tags;        ///< any of them; folded before comparing
  std::string glob;                     ///< of paths, a leading ./ is dropped; empty: all
  std::size_t limit = 10;
  bool use_index = true;                     ///< false: every page is scanned directly (S4-7, S4-63)
  kbrepo::Meaning const* meaning = nullptr;  ///< the query's; null: words alone
  std::vector<kbrepo::VectorsPtr> vectors;   ///< as the books, null where there are none; with `meaning`
};

struct Hit {
  RepoId repo;
  std::string path;
  kbrepo::CommitId commit{};
  kbrepo::BlobId blob{};
  std::string title;
  std::string location;      ///< section '…' ¶n, or page p ¶n by the document's PageIndex
  std::string lines;         ///< lines a-b
  std::string heading_form;  ///< heading '…' ¶n, counted inside the enclosing heading; empty: there is none
  std::string snippet;       ///< byte for byte as in the page
  std::uint32_t line_begin = 0, line_end = 0;
  std::string url;
  std::string date;  ///< YYYY-MM-DD; empty: unknown
  Scored score;
  std::string notes;
};

/// What is known of one root, for S4-25, S4-44, S4-45.
struct RootStatus {
  RepoId repo;
  kbrepo::CommitId commit{};
  std::string updated;  ///< of the commit, ISO 8601
  std::size_t pages = 0;
  bool content_index = true;
  std::size_t page_indices = 0;  ///< documents with a PageIndex
};

struct HitList {
  QueryWords query;
  std::vector<Hit> hits;
  std::vector<RootStatus> roots;
  std::string method;              ///< index | scan | index and vectors
  std::vector<std::string> notes;  ///< what was left out, which date counted, what could not be read
  std::string fault;               ///< the query itself is at fault; no hits then
};

[[nodiscard]] HitList search_hits(std::span<Book const> books, HitQuery const& query);

/// `heading '…' ¶n`: the block's paragraph counted from the heading that encloses its own; empty when none does.
[[nodiscard]] std::string heading_form(kbrepo::Page const& page, kbrepo::Block const& block);

}  // namespace kb::protocols
