/// What is known of each page without reading it: kept in memory by a snapshot and on disk beside the index, so that a
/// start with a stored index parses nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kbrepo/history.hpp"
#include "kbrepo/snapshot.hpp"

namespace kb::kbrepo {

/// What a snapshot keeps of a page beside its PageInfo.
struct PageFacts {
  std::uint32_t passages = 0;
  std::uint32_t text_bytes = 0;
  std::string note;  ///< "front matter does not parse: …"; empty for most
};

/// A file that is no page; remembered so that it is not read again at every commit.
struct SkippedFile {
  std::string path;
  BlobId blob{};
  std::uint64_t bytes = 0;  ///< of a large one; 0: binary
};

struct PageTable {
  CommitId commit{};
  std::vector<PageInfo> pages;   ///< in path order
  std::vector<PageFacts> facts;  ///< as pages
  std::vector<SkippedFile> skipped;
  History history;

  /// Written to a temporary name and renamed; not synced, for it can be made again.
  [[nodiscard]] Result<void> save(std::filesystem::path const& file) const;
  /// corrupt: another format version, or a checksum that does not fit. not_found: no file.
  [[nodiscard]] static Result<PageTable> load(std::filesystem::path const& file);
};

}  // namespace kb::kbrepo
