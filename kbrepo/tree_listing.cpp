#include "kbrepo/tree_listing.hpp"

#include <algorithm>

#include "kbrepo/page.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxHops = 10;
constexpr std::size_t kMaxLinkBytes = 4096;

class Lister {
 public:
  Lister(git_repository* repo, git_tree const* root, PageFilter const& filter)
      : repo_(repo), root_(root), filter_(filter) {}

  Result<TreeListing> run(std::stop_token const& stop) {
    take_entries(root_, "");
    while (!folders_.empty()) {  // a stack of our own: a hostile tree may be deeper than ours
      if (stop.stop_requested()) return Error(Errc::cancelled, "reading the tree: stopped");
      auto const [path, id] = std::move(folders_.back());
      folders_.pop_back();
      auto const tree = git::tree(repo_, id);
      if (!tree) return at("folder " + path, tree.error());
      take_entries(tree->get(), path + "/");
    }
    for (TreeFile const& link : links_) {
      auto const taken = take_link(link);
      if (!taken) return taken.error();
    }
    std::sort(out_.files.begin(), out_.files.end(), [](auto const& a, auto const& b) { return a.path < b.path; });
    return std::move(out_);
  }

 private:
  /// Control pages hold what no answer may quote (N-31), logs what others asked: nobody's grant opens them, so they
  /// are no pages, and nothing of them is there to show in a count, a score or a time.
  [[nodiscard]] bool is_page(std::string_view path) const {
    PageKind const kind = kind_of(path);
    return kind != PageKind::control && kind != PageKind::log && filter_.takes(path);
  }

  static Error damaged(Error e) {
    if (e.code == Errc::not_found) e.code = Errc::corrupt;  // the tree names it, so it has to be there
    return e;
  }

  void take_entries(git_tree const* tree, std::string const& prefix) {
    std::size_t const count = git_tree_entrycount(tree);
    for (std::size_t i = 0; i < count; ++i) {
      git_tree_entry const* entry = git_tree_entry_byindex(tree, i);
      std::string path = prefix + git_tree_entry_name(entry);
      if (path.size() > kMaxPath) {
        skip(path.substr(0, 80) + "…", "its path is over 4096 bytes");
        continue;
      }
      take(std::move(path), *entry);
    }
  }

  void take(std::string path, git_tree_entry const& entry) {
    git_oid const id = *git_tree_entry_id(&entry);
    auto const blob = git::from_oid<BlobId>(id);
    switch (git_tree_entry_filemode(&entry)) {
      case GIT_FILEMODE_TREE:
        folders_.emplace_back(std::move(path), id);
        return;
      case GIT_FILEMODE_COMMIT:
        skip(path, "a submodule");
        return;
      case GIT_FILEMODE_LINK:
        links_.push_back({std::move(path), blob});
        return;
      default:
        break;
    }
    if (path == "catalog.json") out_.catalog = blob;
    if (path == "synonyms.json" && !filter_.excludes(path)) out_.synonyms = blob;
    if (is_page(path)) out_.files.push_back({std::move(path), blob});
  }

  Result<void> take_link(TreeFile const& link) {
    std::string at = link.path;
    BlobId blob = link.blob;
    for (std::size_t hop = 0; hop < kMaxHops; ++hop) {
      auto const content = link_content(blob);
      if (!content) return at_link(link, content.error());
      auto const target = link_target(at, *content);
      if (!target) return skip(link.path, "a link out of the repository");
      git_tree_entry* raw = nullptr;
      if (git_tree_entry_bypath(&raw, root_, target->c_str()) < 0) return skip(link.path, "a link to nothing");
      git::Owned<git_tree_entry, git_tree_entry_free> const entry(raw);
      blob = git::from_oid<BlobId>(*git_tree_entry_id(raw));
      git_filemode_t const mode = git_tree_entry_filemode(raw);
      if (mode == GIT_FILEMODE_LINK) {
        at = *target;
        continue;
      }
      if (mode == GIT_FILEMODE_TREE) return skip(link.path, "a link to a folder");
      if (mode == GIT_FILEMODE_COMMIT) return skip(link.path, "a link to a submodule");
      if (is_page(link.path)) out_.files.push_back({link.path, blob});
      return {};
    }
    return skip(link.path, "a link that leads through too many links");
  }
  static Error at_link(TreeFile const& link, Error e) { return at("link " + link.path, damaged(std::move(e))); }

  Result<std::string> link_content(BlobId const& id) {
    git_oid const oid = git::to_oid(id);
    if (!git::intact(repo_, oid)) return Error(Errc::corrupt, "object " + id.hex() + " is damaged");
    git_blob* raw = nullptr;
    int const code = git_blob_lookup(&raw, repo_, &oid);
    if (code < 0) return git::fault(code, "reading object " + id.hex());
    git::Blob const blob(raw);
    auto const size = static_cast<std::size_t>(git_blob_rawsize(raw));
    if (size > kMaxLinkBytes) return std::string();
    return std::string(static_cast<char const*>(git_blob_rawcontent(raw)), size);
  }

  Result<void> skip(std::string const& path, std::string_view why) {
    ++out_.skipped_links;
    out_.notes.push_back(path + ": " + std::string(why) + "; skipped");
    return {};
  }

  git_repository* repo_;
  git_tree const* root_;
  PageFilter const& filter_;
  std::vector<std::pair<std::string, git_oid>> folders_;
  std::vector<TreeFile> links_;
  TreeListing out_;
};

}  // namespace

std::optional<std::string> link_target(std::string_view path, std::string_view target) {
  if (target.empty() || target.front() == '/' || target.find('\0') != std::string_view::npos) return std::nullopt;
  std::size_t const slash = path.rfind('/');
  std::string at(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
  for (std::size_t from = 0; from <= target.size();) {
    std::size_t const to = std::min(target.find('/', from), target.size());
    std::string_view const segment = target.substr(from, to - from);
    from = to + 1;
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      at.append(at.empty() ? "" : "/").append(segment);
      continue;
    }
    if (at.empty()) return std::nullopt;
    std::size_t const up = at.rfind('/');
    at.resize(up == std::string::npos ? 0 : up);
  }
  return at.empty() ? std::nullopt : std::optional(at);
}

Result<TreeListing> list_tree(git_repository* repo, git_tree const* root, PageFilter const& filter,
                              std::stop_token const& stop) {
  return Lister(repo, root, filter).run(stop);
}

}  // namespace kb::kbrepo
