#include "kbrepo/directory.hpp"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "kbrepo/ascii.hpp"
#include "kbrepo/git.hpp"
#include "kbrepo/glob.hpp"

namespace kb::kbrepo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 200'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxLinkBytes = 4096;
constexpr int kCommitTries = 3;
constexpr char kDefaultRef[] = "refs/heads/main";
constexpr char kLooksFile[] = "kbgate-directory.index";
/// A file written this shortly before a look may be written again without looking different.
constexpr std::int64_t kRacySeconds = 2;

using Index = git::Owned<git_index, git_index_free>;
using Signature = git::Owned<git_signature, git_signature_free>;

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error fault_at(fs::path const& path, int code) {
  return Error(Errc::unavailable, "reading " + path.string() + ": " + std::strerror(code));
}

std::int64_t seconds_of(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Index new_index() {
  git_index* raw = nullptr;
  git_index_new(&raw);
  return Index(raw);
}

/// What the files looked like last time, kept in git's own index form. A broken one costs a second reading.
Index last_looks(fs::path const& file) {
  git_index* raw = nullptr;
  if (git_index_open(&raw, file.c_str()) == 0) return Index(raw);
  std::error_code ignored;
  fs::remove(file, ignored);
  raw = nullptr;
  git_index_open(&raw, file.c_str());
  return Index(raw);
}

git_index_entry entry_of(struct stat const& seen, std::string const& path, std::uint32_t mode) {
  git_index_entry entry{};
  entry.ctime = {static_cast<std::int32_t>(seen.st_ctim.tv_sec), static_cast<std::uint32_t>(seen.st_ctim.tv_nsec)};
  entry.mtime = {static_cast<std::int32_t>(seen.st_mtim.tv_sec), static_cast<std::uint32_t>(seen.st_mtim.tv_nsec)};
  entry.ino = static_cast<std::uint32_t>(seen.st_ino);
  entry.file_size = static_cast<std::uint32_t>(seen.st_size);
  entry.mode = mode;
  entry.path = path.c_str();
  return entry;
}

bool looks_same(git_index_entry const& was, git_index_entry const& is) noexcept {
  auto const same = [](git_index_time const& a, git_index_time const& b) {
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
  };
  return was.mode == is.mode && was.file_size == is.file_size && was.ino == is.ino && same(was.mtime, is.mtime) &&
         same(was.ctime, is.ctime);
}

/// Reads the directory into an index. Every step below it opens by name under the folder's own descriptor without
/// following links, so that nothing that moves meanwhile can lead out.
class Walk {
 public:
  Walk(git_repository* repo, config::RepoSettings const& settings, git_index* before, TimePoint now,
       std::stop_token const& stop)
      : repo_(repo),
        root_(settings.dir),
        filter_(settings),
        before_(before),
        stop_(stop),
        index_(new_index()),
        racy_(seconds_of(now) - kRacySeconds) {}

  Result<void> run() {
    Descriptor const root(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (root.get() < 0) return fault_at(root_, errno);
    return folder(root.get(), "", 0);
  }

  [[nodiscard]] git_index* index() const noexcept { return index_.get(); }
  Capture seen;

 private:
  Result<void> folder(int fd, std::string const& prefix, std::size_t depth) {
    if (depth > kMaxDepth) return Error(Errc::exhausted, (root_ / prefix).string() + " is over 64 folders deep");
    Descriptor own(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (own.get() < 0) return fault_at(root_ / prefix, errno);
    std::unique_ptr<DIR, int (*)(DIR*)> const stream(::fdopendir(own.get()), ::closedir);
    if (!stream) return fault_at(root_ / prefix, errno);
    (void)own.release();
    for (;;) {
      if (stop_.stop_requested()) return Error(Errc::cancelled, "reading " + root_.string() + ": stopped");
      errno = 0;
      dirent const* const entry = ::readdir(stream.get());
      if (entry == nullptr && errno != 0) return fault_at(root_ / prefix, errno);
      if (entry == nullptr) return {};
      std::string const name = entry->d_name;
      if (name == "." || name == ".." || name == ".git") continue;
      Result<void> const taken = take(fd, name, prefix + name, depth);
      if (!taken) return taken;
    }
  }

  Result<void> take(int folder_fd, std::string const& name, std::string const& path, std::size_t depth) {
    struct stat info {};
    if (::fstatat(folder_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return {};  // gone since it was listed
      return fault_at(root_ / path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
      Descriptor const sub(::openat(folder_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (sub.get() < 0 && errno == ENOENT) return {};
      if (sub.get() < 0) return fault_at(root_ / path, errno);
      return folder(sub.get(), path + "/", depth + 1);
    }
    bool const link = S_ISLNK(info.st_mode);
    if (!link && !S_ISREG(info.st_mode)) return {};
    if (!filter_.takes(path) && !(ends_with_ascii(path, ".json") && !filter_.excludes(path))) return {};
    if (static_cast<std::size_t>(info.st_size) > kMaxFileBytes) {
      ++seen.skipped;
      return {};
    }
    if (++seen.files > kMaxFiles) return Error(Errc::exhausted, root_.string() + " holds over 200,000 files");
    git_index_entry entry = entry_of(info, path, link ? GIT_FILEMODE_LINK : GIT_FILEMODE_BLOB);
    git_index_entry const* const was = git_index_get_bypath(before_, path.c_str(), 0);
    if (was != nullptr && looks_same(*was, entry)) {
      entry.id = was->id;
      return add(entry);
    }
    ++seen.read;
    Result<std::optional<std::string>> const content =
        link ? link_text(folder_fd, name, path) : file_text(folder_fd, name, path);
    if (!content) return content.error();
    if (!*content) {  // gone since it was listed
      --seen.files;
      return {};
    }
    int const code = git_blob_create_from_buffer(&entry.id, repo_, (*content)->data(), (*content)->size());
    if (code < 0) return git::fault(code, "storing " + path);
    if (info.st_mtim.tv_sec >= racy_ || info.st_ctim.tv_sec >= racy_) entry.mtime = {};  // read it again next time
    return add(entry);
  }

  Result<void> add(git_index_entry const& entry) {
    int const code = git_index_add(index_.get(), &entry);
    // A name no git tree may hold, such as ".GIT": it is no page either.
    if (code < 0 && git_error_last() != nullptr && git_error_last()->klass == GIT_ERROR_INDEX) {
      ++seen.skipped;
      --seen.files;
      return {};
    }
    if (code < 0) return git::fault(code, std::string("taking ") + entry.path);
    return {};
  }

  Result<std::optional<std::string>> file_text(int folder_fd, std::string const& name, std::string const& path) {
    Descriptor const file(::openat(folder_fd, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    // ELOOP: it became a link since it was listed; the next look takes it as one.
    if (file.get() < 0 && (errno == ENOENT || errno == ELOOP)) return std::optional<std::string>();
    if (file.get() < 0) return fault_at(root_ / path, errno);
    std::string text;
    std::vector<char> chunk(std::size_t{64} << 10);
    for (;;) {
      ssize_t const n = ::read(file.get(), chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fault_at(root_ / path, errno);
      if (n == 0) return std::optional(std::move(text));
      text.append(chunk.data(), static_cast<std::size_t>(n));
      if (text.size() > kMaxFileBytes) return Error(Errc::unavailable, "reading " + path + ": it grows");
    }
  }

  Result<std::optional<std::string>> link_text(int folder_fd, std::string const& name, std::string const& path) {
    std::string text(kMaxLinkBytes, '\0');
    ssize_t const n = ::readlinkat(folder_fd, name.c_str(), text.data(), text.size());
    if (n < 0 && (errno == ENOENT || errno == EINVAL)) return std::optional<std::string>();
    if (n < 0) return fault_at(root_ / path, errno);
    text.resize(static_cast<std::size_t>(n));
    return std::optional(std::move(text));
  }

  git_repository* repo_;
  fs::path root_;
  PageFilter filter_;
  git_index* before_;
  std::stop_token const& stop_;
  Index index_;
  std::int64_t racy_;
};

/// The commit that `ref` names and its tree; both empty when there is none.
struct Tip {
  git::Commit commit;
  git::Tree tree;
};
Result<Tip> tip_of(git_repository* repo, std::string const& ref) {
  Tip tip;
  Result<CommitId> const id = git::ref_commit(repo, ref);
  if (!id && id.error().code == Errc::not_found) return tip;
  if (!id) return id.error();
  Result<git::Commit> commit = git::commit(repo, *id);
  if (!commit) return commit.error();
  tip.commit = std::move(*commit);
  Result<git::Tree> tree = git::tree_of(tip.commit.get());
  if (!tree) return tree.error();
  tip.tree = std::move(*tree);
  return tip;
}

/// Commits the tree on `ref` unless it stands there; a ref that another process moved meanwhile is looked at again.
Result<void> commit_tree(git_repository* repo, git_oid const& tree_id, TimePoint now, Capture& capture) {
  Result<git::Tree> const tree = git::tree(repo, tree_id);
  if (!tree) return tree.error();
  git_signature* raw = nullptr;
  git_signature_new(&raw, "kbgate", "kbgate@localhost", seconds_of(now), 0);
  Signature const author(raw);
  int code = 0;
  for (int tries = 0; tries < kCommitTries; ++tries) {
    Result<Tip> const tip = tip_of(repo, capture.ref);
    if (!tip) return tip.error();
    if (tip->tree && git_oid_equal(git_tree_id(tip->tree.get()), &tree_id)) {
      capture.commit = git::from_oid<CommitId>(*git_commit_id(tip->commit.get()));
      return {};
    }
    git_commit const* parent = tip->commit.get();
    git_oid id;
    code = git_commit_create(&id, repo, capture.ref.c_str(), author.get(), author.get(), nullptr,
                             "The directory as it stands\n", tree->get(), parent == nullptr ? 0 : 1, &parent);
    if (code == 0) {
      capture.commit = git::from_oid<CommitId>(id);
      capture.changed = true;
      return {};
    }
    if (code != GIT_EMODIFIED && code != GIT_ELOCKED) break;
  }
  return git::fault(code, "committing to " + capture.ref);
}

}  // namespace

Result<Capture> capture_directory(git_repository* repo, config::RepoSettings const& settings, TimePoint now,
                                  std::stop_token const& stop) {
  fs::path const looks_file = fs::path(git_repository_path(repo)) / kLooksFile;
  Index before = last_looks(looks_file);
  if (!before) return Error(Errc::unavailable, "opening " + looks_file.string());
  Walk walk(repo, settings, before.get(), now, stop);
  Result<void> const walked = walk.run();
  if (!walked) return walked.error();
  Capture capture = walk.seen;
  capture.ref = settings.ref.empty() ? kDefaultRef : settings.ref;
  bool const same = capture.read == 0 && git_index_entrycount(walk.index()) == git_index_entrycount(before.get());
  if (same) {
    Result<CommitId> const head = git::ref_commit(repo, capture.ref);
    if (head) {
      capture.commit = *head;
      return capture;
    }
  }
  git_oid tree;
  int code = git_index_write_tree_to(&tree, walk.index(), repo);
  if (code < 0) return git::fault(code, "storing the tree of " + settings.dir.string());
  Result<void> const committed = commit_tree(repo, tree, now, capture);
  if (!committed) return committed.error();
  // Only now: looks without their commit would make the next look see nothing new. Lost, they cost a second reading.
  git_index_clear(before.get());
  for (std::size_t i = 0; i < git_index_entrycount(walk.index()); ++i) {
    git_index_add(before.get(), git_index_get_byindex(walk.index(), i));
  }
  git_index_write(before.get());
  return capture;
}

}  // namespace kb::kbrepo
