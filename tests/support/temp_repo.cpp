#include "tests/support/temp_repo.hpp"

#include <fstream>
#include <git2.h>
#include <memory>
#include <stdexcept>
#include <stdlib.h>

namespace kb::test {
namespace {

void check(int code, char const* what) {
  if (code >= 0) return;
  git_error const* e = git_error_last();
  throw std::runtime_error(std::string(what) + ": " + (e != nullptr ? e->message : "?"));
}

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

using Repository = Owned<git_repository, git_repository_free>;
using Tree = Owned<git_tree, git_tree_free>;
using Commit = Owned<git_commit, git_commit_free>;
using Index = Owned<git_index, git_index_free>;
using Signature = Owned<git_signature, git_signature_free>;
using Reference = Owned<git_reference, git_reference_free>;

Repository open(std::filesystem::path const& path) {
  git_repository* raw = nullptr;
  check(git_repository_open(&raw, path.c_str()), "open");
  return Repository(raw);
}

std::string hex(git_oid const& id) {
  char text[GIT_OID_HEXSZ + 1];
  git_oid_tostr(text, sizeof text, &id);
  return text;
}

}  // namespace

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "kbgate-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempDir::write(std::string const& name, std::string_view content) const {
  std::filesystem::path const file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

Changes files(std::map<std::string, std::string> contents) {
  Changes out;
  for (auto& [path, content] : contents) out.emplace(path, FileChange{std::move(content)});
  return out;
}

TempRepo::TempRepo() : dir_(std::in_place), path_(dir_->path() / "repo.git") {
  git_libgit2_init();
  git_repository* raw = nullptr;
  check(git_repository_init(&raw, path_.c_str(), 1), "init");
  Repository const repo(raw);
  check(git_repository_set_head(repo.get(), "refs/heads/main"), "set head");
}

TempRepo::TempRepo(std::filesystem::path const& at) : path_(at) {
  git_libgit2_init();
  std::filesystem::create_directories(at.parent_path());
  git_repository* raw = nullptr;
  check(git_repository_init(&raw, path_.c_str(), 1), "init");
  Repository const repo(raw);
  check(git_repository_set_head(repo.get(), "refs/heads/main"), "set head");
}

TempRepo::~TempRepo() { git_libgit2_shutdown(); }

std::string TempRepo::commit(Changes const& changes, std::string const& message, std::string const& ref) {
  Repository const repo = open(path_);
  git_index* raw_index = nullptr;
  check(git_index_new(&raw_index), "index");
  Index const index(raw_index);

  git_oid parent_id;
  Commit parent;
  if (git_reference_name_to_id(&parent_id, repo.get(), ref.c_str()) == 0) {
    git_commit* raw = nullptr;
    check(git_commit_lookup(&raw, repo.get(), &parent_id), "parent");
    parent.reset(raw);
    git_tree* raw_tree = nullptr;
    check(git_commit_tree(&raw_tree, parent.get()), "tree");
    Tree const tree(raw_tree);
    check(git_index_read_tree(index.get(), tree.get()), "read tree");
  }
  for (auto const& [path, change] : changes) {
    if (!change.content) {
      check(git_index_remove(index.get(), path.c_str(), 0), "remove");
      continue;
    }
    git_index_entry entry{};
    entry.mode = change.mode;
    entry.path = path.c_str();
    if (change.mode == 0160000) {
      check(git_oid_fromstr(&entry.id, change.content->c_str()), "submodule id");
    } else {
      check(git_blob_create_from_buffer(&entry.id, repo.get(), change.content->data(), change.content->size()), "blob");
    }
    check(git_index_add(index.get(), &entry), "add");
  }
  git_oid tree_id;
  check(git_index_write_tree_to(&tree_id, index.get(), repo.get()), "write tree");
  git_tree* raw_tree = nullptr;
  check(git_tree_lookup(&raw_tree, repo.get(), &tree_id), "tree");
  Tree const tree(raw_tree);
  git_signature* raw_signature = nullptr;
  check(git_signature_new(&raw_signature, "Test Author", "author@example.org", time_, 0), "signature");
  time_ += 60;
  Signature const signature(raw_signature);
  git_commit const* parents[] = {parent.get()};
  git_oid id;
  check(git_commit_create(&id, repo.get(), ref.c_str(), signature.get(), signature.get(), "UTF-8", message.c_str(),
                          tree.get(), parent ? 1 : 0, parents),
        "commit");
  return hex(id);
}

std::string TempRepo::commit(std::map<std::string, std::string> contents, std::string const& message) {
  return commit(files(std::move(contents)), message);
}

void TempRepo::set_ref(std::string const& ref, std::string const& commit_hex) {
  Repository const repo = open(path_);
  git_oid id;
  check(git_oid_fromstr(&id, commit_hex.c_str()), "id");
  git_reference* raw = nullptr;
  check(git_reference_create(&raw, repo.get(), ref.c_str(), &id, 1, "test"), "set ref");
  Reference const made(raw);
}

void TempRepo::set_head(std::string const& ref) {
  check(git_repository_set_head(open(path_).get(), ref.c_str()), "set head");
}
void TempRepo::remove_ref(std::string const& ref) {
  check(git_reference_remove(open(path_).get(), ref.c_str()), "remove ref");
}

std::string TempRepo::head(std::string const& ref) const {
  git_oid id;
  if (git_reference_name_to_id(&id, open(path_).get(), ref.c_str()) != 0) return {};
  return hex(id);
}

std::optional<std::string> TempRepo::file(std::string const& path, std::string const& ref) const {
  Repository const repo = open(path_);
  git_object* raw = nullptr;
  std::string const spec = ref + ":" + path;
  if (git_revparse_single(&raw, repo.get(), spec.c_str()) != 0) return std::nullopt;
  Owned<git_object, git_object_free> const object(raw);
  if (git_object_type(raw) != GIT_OBJECT_BLOB) return std::nullopt;
  auto const* blob = reinterpret_cast<git_blob const*>(raw);
  return std::string(static_cast<char const*>(git_blob_rawcontent(blob)),
                     static_cast<std::size_t>(git_blob_rawsize(blob)));
}

}  // namespace kb::test
