/// The pages of a commit's tree, found without a work tree.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kbrepo/git.hpp"
#include "kbrepo/glob.hpp"

namespace kb::kbrepo {

struct TreeFile {
  std::string path;
  BlobId blob{};
};

struct TreeListing {
  std::vector<TreeFile> files;     ///< in path order
  std::optional<BlobId> catalog;   ///< catalog.json at the root
  std::optional<BlobId> synonyms;  ///< synonyms.json at the root
  std::size_t skipped_links = 0;   ///< submodules, and symlinks that lead to no file of the tree
  std::vector<std::string> notes;  ///< what was skipped and why
};

/// Symlinks to files inside the tree are files under the link's path, through at most ten links; no link is followed
/// out of the tree, and links to folders are skipped (their pages stand at their own place). cancelled on `stop`;
/// corrupt names the folder whose tree cannot be read.
[[nodiscard]] Result<TreeListing> list_tree(git_repository* repo, git_tree const* root, PageFilter const& filter,
                                            std::stop_token const& stop);

/// Where a symlink at `path` points when it holds `target`: a path inside the tree, or nothing when it leaves it.
[[nodiscard]] std::optional<std::string> link_target(std::string_view path, std::string_view target);

}  // namespace kb::kbrepo
