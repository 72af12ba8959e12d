#include "kbrepo/variants.hpp"

#include <fstream>

#include "kbrepo/git.hpp"

namespace kb::kbrepo {
namespace {

using Signature = git::Owned<git_signature, git_signature_free>;

/// Where the objects of a repository lie, bare or not.
std::filesystem::path objects_of(git_repository* repo) {
  return std::filesystem::path(git_repository_commondir(repo)) / "objects";
}

Result<git_oid> changed_tree(git_repository* repo, git_commit const* base, std::string const& path,
                             std::optional<std::string_view> text) {
  auto const tree = git::tree_of(base);
  if (!tree) return tree.error();
  git_tree_update update{};
  update.action = text ? GIT_TREE_UPDATE_UPSERT : GIT_TREE_UPDATE_REMOVE;
  update.filemode = GIT_FILEMODE_BLOB;
  update.path = path.c_str();
  if (text) {
    int const code = git_blob_create_from_buffer(&update.id, repo, text->data(), text->size());
    if (code < 0) return git::fault(code, "writing " + path);
  }
  git_oid out;
  int const code = git_tree_create_updated(&out, repo, tree->get(), 1, &update);
  if (code < 0) return git::fault(code, "changing " + path);
  return out;
}

}  // namespace

void Variants::Free::operator()(git_repository* repo) const noexcept { git_repository_free(repo); }
Variants::Variants(Variants&&) noexcept = default;
Variants& Variants::operator=(Variants&&) noexcept = default;
Variants::~Variants() = default;

Result<Variants> Variants::open(config::RepoSettings const& settings, std::filesystem::path const& home) {
  auto const source = git::open(settings.git);
  if (!source) return source.error();
  git_repository* raw = nullptr;
  int const made = git_repository_init(&raw, home.c_str(), 1);
  if (made < 0) return git::fault(made, "making a repository at " + home.string());
  git::Repository repo(raw);
  std::filesystem::path const list = home / "objects" / "info" / "alternates";
  std::error_code failed;
  std::filesystem::create_directories(list.parent_path(), failed);
  std::ofstream(list) << objects_of(source->get()).string() << '\n';
  repo.reset();  // the list is read when a repository is opened
  auto reopened = git::open(home);
  if (!reopened) return reopened.error();
  config::RepoSettings own = settings;
  own.git = home;
  return Variants(std::move(own), reopened->release());
}

Result<CommitId> Variants::commit(CommitId const& base, std::string const& path,
                                  std::optional<std::string_view> text) const {
  auto const parent = git::commit(repo_.get(), base);
  if (!parent) return parent.error();
  auto const id = changed_tree(repo_.get(), parent->get(), path, text);
  if (!id) return id.error();
  auto const tree = git::tree(repo_.get(), *id);
  if (!tree) return tree.error();
  git_signature* raw = nullptr;
  int code = git_signature_new(&raw, "kbgate", "kbgate@localhost", git_commit_time(parent->get()), 0);
  if (code < 0) return git::fault(code, "signing");
  Signature const who(raw);
  git_commit const* parents[] = {parent->get()};
  git_oid out;
  code =
      git_commit_create(&out, repo_.get(), nullptr, who.get(), who.get(), nullptr, "variant", tree->get(), 1, parents);
  if (code < 0) return git::fault(code, "committing");
  return git::from_oid<CommitId>(out);
}

}  // namespace kb::kbrepo
