#include "kbrepo/page_store.hpp"

#include <limits>

namespace kb::kbrepo {
namespace {

constexpr std::size_t kCacheBytes = std::size_t{8} << 20;

std::size_t bytes_of(Page const& page) noexcept {
  return sizeof(Page) + page.text.capacity() + page.blocks.capacity() * sizeof(Block) +
         page.passages.capacity() * sizeof(Passage) + page.sections.capacity() * (sizeof(Section) + 32) +
         page.links.capacity() * (sizeof(std::string) + 32);
}

}  // namespace

Result<std::shared_ptr<PageStore>> PageStore::open(std::filesystem::path const& git) {
  auto repo = git::open(git);
  if (!repo) return repo.error();
  git_odb* raw = nullptr;
  int const code = git_repository_odb(&raw, repo->get());
  if (code < 0) return git::fault(code, "opening the objects of " + git.string());
  return std::shared_ptr<PageStore>(new PageStore(git, std::move(*repo), git::Odb(raw)));
}

Result<std::string> PageStore::blob(BlobId const& id) { return blob(id, std::numeric_limits<std::size_t>::max()); }

Result<std::string> PageStore::blob(BlobId const& id, std::size_t max_bytes) {
  git_oid const oid = git::to_oid(id);
  std::lock_guard const lock(git_);
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  git_odb_object* raw = nullptr;
  git_error_clear();
  bool const limited = max_bytes != std::numeric_limits<std::size_t>::max();
  int code = git::intact(repo_.get(), oid) ? 0 : GIT_ERROR;
  if (code == 0 && limited) code = git_odb_read_header(&size, &type, odb_.get(), &oid);
  if (code == 0 && size > max_bytes) {
    return Error(Errc::exhausted, std::to_string(size) + " bytes, over the limit of " + std::to_string(max_bytes));
  }
  if (code == 0) code = git_odb_read(&raw, odb_.get(), &oid);
  if (code < 0) {
    Error e = git::fault(code, path_.string() + ": object " + id.hex() + " is missing or damaged");
    e.what += "; check with git fsck, then fetch it again or restore the repository";
    return Error(Errc::corrupt, std::move(e.what));
  }
  git::OdbObject const object(raw);
  return std::string(static_cast<char const*>(git_odb_object_data(raw)), git_odb_object_size(raw));
}

std::size_t PageStore::size(BlobId const& id) {
  git_oid const oid = git::to_oid(id);
  std::lock_guard const lock(git_);
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  return git_odb_read_header(&size, &type, odb_.get(), &oid) == 0 ? size : 0;
}

git::Owned<git_tree_entry, git_tree_entry_free> PageStore::entry(CommitId const& commit, std::string const& path) {
  git_tree_entry* raw = nullptr;
  auto const found = git::commit(repo_.get(), commit);
  if (!found) return {};
  auto const tree = git::tree_of(found->get());
  if (!tree || git_tree_entry_bypath(&raw, tree->get(), path.c_str()) < 0) return {};
  return git::Owned<git_tree_entry, git_tree_entry_free>(raw);
}

Result<BlobId> PageStore::find(CommitId const& commit, std::string const& path) {
  std::lock_guard const lock(git_);
  auto const found = entry(commit, path);
  bool const is_file = found && (git_tree_entry_filemode(found.get()) == GIT_FILEMODE_BLOB ||
                                 git_tree_entry_filemode(found.get()) == GIT_FILEMODE_BLOB_EXECUTABLE);
  if (!is_file) return Error(Errc::not_found, "there is no file " + path);
  return git::from_oid<BlobId>(*git_tree_entry_id(found.get()));
}

bool PageStore::has_folder(CommitId const& commit, std::string const& path) {
  std::lock_guard const lock(git_);
  auto const found = entry(commit, path);
  return found && git_tree_entry_filemode(found.get()) == GIT_FILEMODE_TREE;
}

Result<std::shared_ptr<Page const>> PageStore::page(std::string const& path, BlobId const& id) {
  std::string const key = id.hex() + path;
  if (auto found = cached(key)) return found;
  auto const raw = blob(id);
  if (!raw) return at("reading " + path, raw.error());
  auto page = std::make_shared<Page const>(parse_page(path, id, *raw));
  keep(key, page);
  return page;
}

std::shared_ptr<Page const> PageStore::cached(std::string const& key) {
  std::lock_guard const lock(cache_);
  auto const place = places_.find(key);
  if (place == places_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, place->second);
  return place->second->second.page;
}

void PageStore::keep(std::string const& key, std::shared_ptr<Page const> page) {
  std::size_t const bytes = bytes_of(*page);
  std::lock_guard const lock(cache_);
  if (bytes > kCacheBytes / 2 || places_.contains(key)) return;
  recent_.emplace_front(key, Cached{std::move(page), bytes});
  places_.emplace(key, recent_.begin());
  cached_bytes_ += bytes;
  while (cached_bytes_ > kCacheBytes) {
    cached_bytes_ -= recent_.back().second.bytes;
    places_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

}  // namespace kb::kbrepo
