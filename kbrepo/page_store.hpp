/// Blobs of one repository for any number of threads, with a small cache of parsed pages. Shared by the snapshots of a
/// repository: a page that did not change stays parsed across commits.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "kbrepo/git.hpp"
#include "kbrepo/page.hpp"

namespace kb::kbrepo {

class PageStore {
 public:
  [[nodiscard]] static Result<std::shared_ptr<PageStore>> open(std::filesystem::path const& git);

  /// corrupt: missing or damaged, naming the object and what to do. The lock is held for the read only.
  [[nodiscard]] Result<std::string> blob(BlobId const& id);
  /// exhausted (without reading it) above `max_bytes`.
  [[nodiscard]] Result<std::string> blob(BlobId const& id, std::size_t max_bytes);
  [[nodiscard]] std::size_t size(BlobId const& id);  ///< 0 when it cannot be told
  /// Of any file at `path` in the commit's tree; not_found for folders, links and submodules too.
  [[nodiscard]] Result<BlobId> find(CommitId const& commit, std::string const& path);
  [[nodiscard]] bool has_folder(CommitId const& commit, std::string const& path);
  [[nodiscard]] Result<std::shared_ptr<Page const>> page(std::string const& path, BlobId const& id);
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  struct Cached {
    std::shared_ptr<Page const> page;
    std::size_t bytes = 0;
  };

  PageStore(std::filesystem::path path, git::Repository repo, git::Odb odb)
      : path_(std::move(path)), repo_(std::move(repo)), odb_(std::move(odb)) {}
  /// The entry at `path`; null when there is none. The lock is the caller's.
  [[nodiscard]] git::Owned<git_tree_entry, git_tree_entry_free> entry(CommitId const& commit, std::string const& path);
  [[nodiscard]] std::shared_ptr<Page const> cached(std::string const& key);
  void keep(std::string const& key, std::shared_ptr<Page const> page);

  std::filesystem::path path_;
  std::mutex git_;  ///< a libgit2 handle serves one thread at a time
  git::Repository repo_;
  git::Odb odb_;

  std::mutex cache_;
  std::list<std::pair<std::string, Cached>> recent_;  ///< newest first
  std::unordered_map<std::string, std::list<std::pair<std::string, Cached>>::iterator> places_;
  std::size_t cached_bytes_ = 0;
};

}  // namespace kb::kbrepo
