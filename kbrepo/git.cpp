#include "kbrepo/git.hpp"

#include <array>
#include <fstream>
#include <mutex>
#include <zlib.h>

namespace kb::kbrepo::git {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 20;
constexpr std::size_t kMappedBytes = std::size_t{8} << 20;
constexpr ssize_t kCacheBytes = ssize_t{4} << 20;

Errc errc_of(int code, int klass) noexcept {
  switch (code) {
    case GIT_ENOTFOUND:
    case GIT_EUNBORNBRANCH:
      return Errc::not_found;
    case GIT_EAMBIGUOUS:
    case GIT_EINVALIDSPEC:
    case GIT_EINVALID:
      return Errc::invalid_input;
    case GIT_EUSER:
      return Errc::cancelled;
    case GIT_EMISMATCH:
      return Errc::corrupt;
    case GIT_EAUTH:
    case GIT_ECERTIFICATE:
    case GIT_ELOCKED:
      return Errc::unavailable;
    default:
      break;
  }
  switch (klass) {
    case GIT_ERROR_ZLIB:
    case GIT_ERROR_ODB:
    case GIT_ERROR_OBJECT:
    case GIT_ERROR_TREE:
    case GIT_ERROR_INDEXER:
      return Errc::corrupt;
    case GIT_ERROR_NOMEMORY:
      return Errc::exhausted;
    default:
      return Errc::unavailable;
  }
}

}  // namespace

void start() {
  static std::once_flag once;
  std::call_once(once, [] {
    git_libgit2_init();
    // The operator names each repository in kbgate.json; it often belongs to another user than the service.
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1);
    // Packs are read once for the index and rarely after it: big windows would only stay resident.
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, kWindowBytes);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, kMappedBytes);
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, kCacheBytes);
  });
}

Error fault(int code, std::string_view what) {
  git_error const* last = git_error_last();
  std::string text(what);
  int klass = GIT_ERROR_NONE;
  if (last != nullptr) {
    klass = last->klass;
    if (last->message != nullptr) text.append(": ").append(last->message);
  }
  return Error(errc_of(code, klass), std::move(text));
}

bool intact(git_repository* repo, git_oid const& id) {
  std::string const hex = from_oid<BlobId>(id).hex();
  std::filesystem::path const file =
      std::filesystem::path(git_repository_commondir(repo)) / "objects" / hex.substr(0, 2) / hex.substr(2);
  std::ifstream in(file, std::ios::binary);
  if (!in) return true;  // packed, borrowed or missing: libgit2 tells those well
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return true;
  std::array<char, 32 * 1024> packed{};
  std::array<Bytef, 64 * 1024> plain{};
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0) {
      in.read(packed.data(), packed.size());
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_in = static_cast<uInt>(in.gcount());
      if (stream.avail_in == 0) break;
    }
    stream.next_out = plain.data();
    stream.avail_out = plain.size();
    state = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END;
}

Result<Repository> open(std::filesystem::path const& path) {
  start();
  git_repository* raw = nullptr;
  int const code = git_repository_open_ext(&raw, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code < 0) return fault(code, "opening " + path.string());
  return Repository(raw);
}

Result<Commit> commit(git_repository* repo, CommitId const& id) {
  git_oid const oid = to_oid(id);
  if (!intact(repo, oid)) return Error(Errc::corrupt, "commit " + id.hex() + " is damaged; check with git fsck");
  git_commit* raw = nullptr;
  int const code = git_commit_lookup(&raw, repo, &oid);
  if (code < 0) return fault(code, "reading commit " + id.hex());
  return Commit(raw);
}

Result<Tree> tree(git_repository* repo, git_oid const& id) {
  std::string const hex = from_oid<BlobId>(id).hex();
  if (!intact(repo, id)) return Error(Errc::corrupt, "tree " + hex + " is damaged; check with git fsck");
  git_tree* raw = nullptr;
  int const code = git_tree_lookup(&raw, repo, &id);
  if (code == GIT_ENOTFOUND) return Error(Errc::corrupt, "tree " + hex + " is missing; check with git fsck");
  if (code < 0) return fault(code, "reading tree " + hex);
  return Tree(raw);
}

Result<Tree> tree_of(git_commit const* commit) {
  auto found = tree(git_commit_owner(commit), *git_commit_tree_id(commit));
  if (found) return found;
  return at("commit " + from_oid<CommitId>(*git_commit_id(commit)).hex(), found.error());
}

Result<CommitId> ref_commit(git_repository* repo, std::string const& ref) {
  git_reference* raw = nullptr;
  int code = git_reference_lookup(&raw, repo, ref.c_str());
  if (code < 0) return fault(code, "ref " + ref);
  Reference const named(raw);
  git_object* raw_object = nullptr;
  code = git_reference_peel(&raw_object, named.get(), GIT_OBJECT_COMMIT);
  if (code < 0) return fault(code, "ref " + ref);
  Object const object(raw_object);
  return from_oid<CommitId>(*git_object_id(object.get()));
}

}  // namespace kb::kbrepo::git
