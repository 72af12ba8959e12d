/// One repository at one commit: path table, page metadata, catalogue and index. Immutable, shared; a question pins one
/// and keeps it. Content is reached with a ReadGrant only.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "config/clock.hpp"
#include "config/result.hpp"
#include "config/settings.hpp"
#include "kbrepo/catalog.hpp"
#include "kbrepo/index/index.hpp"
#include "kbrepo/mirror.hpp"
#include "kbrepo/page.hpp"
#include "kbrepo/synonyms.hpp"
#include "scope/grant.hpp"

namespace kb::kbrepo {

/// What is kept in memory of each page.
struct PageInfo {
  std::string path;
  BlobId blob{};
  PageKind kind = PageKind::evidence;
  PageRole role = PageRole::other;
  std::string title;
  std::vector<std::string> aliases;
  std::string date;  ///< of the front matter, as written
  bool stale = false;
  Encoding encoding = Encoding::utf8;
  std::string scope;  ///< of the front matter: which peer or channel it belongs to (S2-45)
};

/// The last commit that changed a page.
struct Change {
  CommitId commit{};
  std::string author;
  TimePoint time{};
};

struct SnapshotStats {
  std::size_t pages = 0, passages = 0;
  std::size_t skipped_binary = 0, skipped_large = 0, skipped_links = 0;  ///< symlinks leaving the tree, submodules
  std::size_t text_bytes = 0, index_bytes = 0;
  std::size_t analysed = 0;  ///< pages that had to be analysed for this snapshot (the rest came from segments)
  double seconds = 0;        ///< taken to build it
  std::vector<std::string>
      notes;  ///< "a.md: front matter does not parse: …", "b.md: decoded from GB18030" (at most 100)
};

/// Some of a snapshot's pages.
struct PageView {
  std::span<PageInfo const> pages;  ///< in path order. Position = document number of the index
  std::size_t passages = 0;         ///< of those that are evidence
  bool whole = false;               ///< all of the snapshot's
  index::Index index;
  std::vector<PageInfo> own;  ///< what `pages` refers to unless it is whole
};
using PageViewPtr = std::shared_ptr<PageView const>;

class Snapshot;
using SnapshotPtr = std::shared_ptr<Snapshot const>;

struct SnapshotOptions {
  std::size_t max_page_bytes = 2 * 1024 * 1024;
  std::filesystem::path index_file;  ///< where segments persist, with `.pages` beside it; empty: memory only
  bool store = true;                 ///< write them back; false for a look at an old commit
  std::stop_token stop;
  Progress progress;
};

class Snapshot {
 public:
  /// Reads the tree of `commit`. Segments come from `previous` or from the stored index file; only blobs in neither are
  /// analysed. The stored index is written back when it changed. CPU and git work; call it on a pool. corrupt: an
  /// object is missing or damaged, naming it.
  [[nodiscard]] static Result<SnapshotPtr> build(config::RepoSettings const& settings, CommitId const& commit,
                                                 SnapshotPtr const& previous, SnapshotOptions const& options);
  ~Snapshot();

  [[nodiscard]] RepoId const& repo() const noexcept;
  [[nodiscard]] CommitId const& commit() const noexcept;
  [[nodiscard]] TimePoint commit_time() const noexcept;
  [[nodiscard]] config::RepoSettings const& settings() const noexcept;
  [[nodiscard]] SnapshotStats const& stats() const noexcept;

  // Each of these asserts that `grant` allows repo(): calling without is a fault of ours, not an input.
  /// All pages in path order. Position = document number of the index.
  [[nodiscard]] std::span<PageInfo const> pages(scope::ReadGrant const& grant) const;
  [[nodiscard]] PageInfo const* find(scope::ReadGrant const& grant, std::string_view path) const;
  [[nodiscard]] Catalog const& catalog(scope::ReadGrant const& grant) const;
  [[nodiscard]] index::Index const& index(scope::ReadGrant const& grant) const;
  /// The snapshot as if the pages whose scope `sees` refuses had never been: neither scores nor times tell of them.
  /// `name` names that choice: the views used last are kept under it, so that only the first use after a commit makes
  /// one.
  [[nodiscard]] PageViewPtr view(scope::ReadGrant const& grant, std::string const& name,
                                 std::function<bool(std::string_view scope)> const& sees) const;
  /// What else this repository's pages may say instead of a question's words.
  [[nodiscard]] StandIns const& stand_ins(scope::ReadGrant const& grant) const;
  /// The page from its blob at commit(); a small cache of parsed pages stands in front. not_found uses the text
  /// 页面不存在：{path}.
  [[nodiscard]] Result<std::shared_ptr<Page const>> read(scope::ReadGrant const& grant, std::string_view path) const;
  /// `page`: of pages() or of a view.
  [[nodiscard]] Result<std::shared_ptr<Page const>> read(scope::ReadGrant const& grant, PageInfo const& page) const;
  /// Any other file of the commit as it is, for what stands beside pages (graph.json, .meta/manifest.json). not_found
  /// also for links, for what `exclude` leaves out and for control pages; exhausted above `max_bytes`.
  [[nodiscard]] Result<std::string> file(scope::ReadGrant const& grant, std::string const& path,
                                         std::size_t max_bytes) const;
  /// A page lies in it, however deep; or it is a hidden one such as .meta.
  [[nodiscard]] bool has_folder(scope::ReadGrant const& grant, std::string const& path) const;
  /// As kb_read is asked: slashes trimmed, `.md` added when the last segment has no dot (N-20).
  [[nodiscard]] static std::string normal_path(std::string_view path);
  /// Told from a table that build() carries on from commit to commit, so cheap. Nothing for a page whose last change
  /// lies more than 10,000 commits back, and for a page behind a symlink.
  [[nodiscard]] std::optional<Change> last_change(scope::ReadGrant const& grant, std::string_view path) const;
  /// web_url filled in: path percent-encoded by segment, commit pinned, lines. Empty without a template. `lines` 0,0:
  /// without the fragment.
  [[nodiscard]] std::string url(std::string_view path, std::uint32_t line_begin, std::uint32_t line_end) const;

 private:
  struct State;
  explicit Snapshot(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Opens the repository and builds the snapshot of its ref, or of `at`, without any network: what verbs use. Looks at a
/// plain directory first.
[[nodiscard]] Result<SnapshotPtr> open_snapshot(config::Settings const& settings, config::RepoSettings const& repo,
                                                std::string_view at = {}, Progress const& progress = {});
/// `state_dir/index/<owner>/<repo>.idx`, names percent-encoded.
[[nodiscard]] std::filesystem::path index_file(config::Settings const& settings, RepoId const& id);

}  // namespace kb::kbrepo
