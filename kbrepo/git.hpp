/// libgit2 as owned handles and errors as values. Only .cpp files of this room and of logging/git_log include it.
#pragma once

#include <filesystem>
#include <git2.h>
#include <memory>
#include <string>
#include <string_view>

#include "config/result.hpp"
#include "kbrepo/ids.hpp"

namespace kb::kbrepo::git {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

using Blob = Owned<git_blob, git_blob_free>;
using Commit = Owned<git_commit, git_commit_free>;
using Object = Owned<git_object, git_object_free>;
using Odb = Owned<git_odb, git_odb_free>;
using OdbObject = Owned<git_odb_object, git_odb_object_free>;
using Reference = Owned<git_reference, git_reference_free>;
using Remote = Owned<git_remote, git_remote_free>;
using Repository = Owned<git_repository, git_repository_free>;
using Revwalk = Owned<git_revwalk, git_revwalk_free>;
using Tree = Owned<git_tree, git_tree_free>;

/// Starts the library once for the process and sets what this program relies on: no check of who owns a configured
/// repository, hashes verified on every read, small caches. Safe from any thread; every entry of this room calls it.
void start();

/// The error of a call that returned `code`, with libgit2's own sentence behind `what`. Call it at once after the call.
[[nodiscard]] Error fault(int code, std::string_view what);

/// False for a loose object whose file is cut short. libgit2 1.5 never returns from reading one (its inflate loop waits
/// for input that does not come), so what this room reads by id is looked at first; packed objects cost one stat().
/// Can go with libgit2 1.6.
[[nodiscard]] bool intact(git_repository* repo, git_oid const& id);

/// Opens exactly `path`, a bare or a normal repository, without looking in its parents.
[[nodiscard]] Result<Repository> open(std::filesystem::path const& path);
[[nodiscard]] Result<Commit> commit(git_repository* repo, CommitId const& id);
[[nodiscard]] Result<Tree> tree_of(git_commit const* commit);
/// The commit that a ref leads to, through symbolic refs and tags. not_found: no such ref, or one that leads nowhere.
[[nodiscard]] Result<CommitId> ref_commit(git_repository* repo, std::string const& ref);

/// The tree of that id; corrupt: missing or damaged.
[[nodiscard]] Result<Tree> tree(git_repository* repo, git_oid const& id);

template <class Id>
[[nodiscard]] git_oid to_oid(Id const& id) noexcept {
  git_oid oid;
  std::memcpy(oid.id, id.bytes.data(), sizeof oid.id);
  return oid;
}
template <class Id>
[[nodiscard]] Id from_oid(git_oid const& oid) noexcept {
  Id id;
  std::memcpy(id.bytes.data(), oid.id, sizeof oid.id);
  return id;
}

}  // namespace kb::kbrepo::git
