#include "kbrepo/history.hpp"

#include <string_view>
#include <unordered_map>

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxCommits = 10'000;

class Walk {
 public:
  Walk(git_repository* repo, std::vector<PageInfo> const& pages, History& history)
      : repo_(repo), pages_(pages), history_(history) {
    history_.of.resize(pages.size(), kNone);
    for (std::uint32_t i = 0; i < pages.size(); ++i) {
      if (history_.of[i] == kNone) open_.emplace(pages[i].path, i);
    }
  }

  [[nodiscard]] bool done() const { return open_.empty(); }

  /// False when the history cannot be read further.
  bool visit(git_oid const& id) {
    git_commit* raw = nullptr;
    if (git_commit_lookup(&raw, repo_, &id) < 0) return false;
    git::Commit const commit(raw);
    git::Tree const tree = tree_of(commit.get());
    if (!tree) return false;
    parents_.clear();
    for (unsigned i = 0; i < git_commit_parentcount(raw); ++i) {
      git_commit* raw_parent = nullptr;
      if (git_commit_parent(&raw_parent, raw, i) < 0) return false;  // the edge of a shallow clone
      parents_.push_back(tree_of(git::Commit(raw_parent).get()));
      if (!parents_.back()) return false;
    }
    commit_ = raw;
    change_ = kNone;
    return compare(tree.get(), parents_.empty() ? nullptr : parents_.front().get(), "", 0);
  }

 private:
  static constexpr std::size_t kMaxDepth = 200;

  static git::Tree tree_of(git_commit const* commit) {
    auto found = git::tree_of(commit);
    return found ? std::move(*found) : git::Tree();
  }

  bool compare(git_tree const* now, git_tree const* before, std::string const& prefix, std::size_t depth) {
    std::size_t const count = git_tree_entrycount(now);
    for (std::size_t i = 0; i < count; ++i) {
      git_tree_entry const* entry = git_tree_entry_byindex(now, i);
      git_oid const* id = git_tree_entry_id(entry);
      char const* name = git_tree_entry_name(entry);
      git_tree_entry const* old = before != nullptr ? git_tree_entry_byname(before, name) : nullptr;
      if (old != nullptr && git_oid_equal(id, git_tree_entry_id(old)) != 0) continue;
      std::string const path = prefix + name;
      git_object_t const type = git_tree_entry_type(entry);
      if (type == GIT_OBJECT_BLOB) settle(path, *id);
      if (type != GIT_OBJECT_TREE || depth == kMaxDepth) continue;
      git::Tree const below = subtree(id);
      bool const was_folder = old != nullptr && git_tree_entry_type(old) == GIT_OBJECT_TREE;
      git::Tree const below_before = was_folder ? subtree(git_tree_entry_id(old)) : git::Tree();
      if (!below || !compare(below.get(), below_before.get(), path + "/", depth + 1)) return false;
    }
    return true;
  }

  [[nodiscard]] git::Tree subtree(git_oid const* id) const {
    auto found = git::tree(repo_, *id);
    return found ? std::move(*found) : git::Tree();
  }

  void settle(std::string const& path, git_oid const& id) {
    auto const place = open_.find(path);
    if (place == open_.end() || pages_[place->second].blob != git::from_oid<BlobId>(id)) return;
    for (std::size_t i = 1; i < parents_.size(); ++i) {  // a merge only passes on what a parent already had
      git_tree_entry* raw = nullptr;
      if (git_tree_entry_bypath(&raw, parents_[i].get(), path.c_str()) < 0) continue;
      git::Owned<git_tree_entry, git_tree_entry_free> const entry(raw);
      if (git_oid_equal(git_tree_entry_id(raw), &id) != 0) return;
    }
    if (change_ == kNone) {
      change_ = static_cast<std::uint32_t>(history_.changes.size());
      git_signature const* author = git_commit_author(commit_);
      history_.changes.push_back({git::from_oid<CommitId>(*git_commit_id(commit_)),
                                  author != nullptr && author->name != nullptr ? author->name : "",
                                  TimePoint(std::chrono::seconds(git_commit_time(commit_)))});
    }
    history_.of[place->second] = change_;
    open_.erase(place);
  }

  git_repository* repo_;
  std::vector<PageInfo> const& pages_;
  History& history_;
  std::unordered_map<std::string_view, std::uint32_t> open_;  ///< path → page still without a change
  git_commit const* commit_ = nullptr;
  std::vector<git::Tree> parents_;
  std::uint32_t change_ = kNone;
};

}  // namespace

void find_changes(git_repository* repo, CommitId const& head, std::optional<CommitId> const& known,
                  std::vector<PageInfo> const& pages, History& history, std::stop_token const& stop) {
  Walk walk(repo, pages, history);
  git_revwalk* raw = nullptr;
  if (walk.done() || git_revwalk_new(&raw, repo) < 0) return;
  git::Revwalk const commits(raw);
  git_revwalk_sorting(raw, GIT_SORT_TIME);
  git_oid const from = git::to_oid(head);
  if (git_revwalk_push(raw, &from) < 0) return;
  if (known) {
    git_oid const until = git::to_oid(*known);
    git_revwalk_hide(raw, &until);  // fails when that commit is gone: then the whole history is walked
  }
  git_oid id;
  for (std::size_t i = 0; i < kMaxCommits && !walk.done() && !stop.stop_requested(); ++i) {
    if (git_revwalk_next(&id, raw) < 0 || !walk.visit(id)) break;
  }
}

}  // namespace kb::kbrepo
