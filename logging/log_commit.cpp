#include "logging/log_commit.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

#include "logging/git_log.hpp"

namespace kb::logging::gitlog {
namespace {

namespace git = kbrepo::git;
using kbrepo::CommitId;
using Signature = git::Owned<git_signature, git_signature_free>;
using TreeBuilder = git::Owned<git_treebuilder, git_treebuilder_free>;
using WriteStream = git::Owned<git_odb_stream, git_odb_stream_free>;

constexpr std::string_view kSubject = "paper-kb: log query";
constexpr std::string_view kTrailer = "Record: ";
constexpr std::string_view kHeading = "# Log\n\n";
constexpr std::chrono::hours kClockSlack{1};

bool is_log_commit(git_commit const* commit) {
  char const* const message = git_commit_message(commit);
  return message != nullptr && std::string_view(message).substr(0, kSubject.size()) == kSubject;
}

/// fsync of a file or directory; one that is not there (an object that was in a pack already) needs none.
Result<void> sync_path(std::filesystem::path const& path) {
  int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return {};
  bool const synced = file >= 0 && ::fsync(file) == 0;
  int const cause = errno;
  if (file >= 0) ::close(file);
  if (!synced) return Error(Errc::unavailable, "fsync of " + path.string() + ": " + std::strerror(cause));
  return {};
}

Result<void> sync_with_folder(std::filesystem::path const& path) {
  if (Result<void> file = sync_path(path); !file) return file;
  return sync_path(path.parent_path());
}

/// libgit2 syncs nothing unless told so for the whole process, which would slow every fetch; these few files matter.
Result<void> sync_object(git_repository* repo, git_oid const& id) {
  std::string const hex = git::from_oid<CommitId>(id).hex();
  std::filesystem::path const objects = std::filesystem::path(git_repository_commondir(repo)) / "objects";
  return sync_with_folder(objects / hex.substr(0, 2) / hex.substr(2));
}

/// The old text and the new lines as one blob, streamed: no second copy of a long log is made.
Result<git_oid> write_blob(git_repository* repo, std::optional<LogFile> const& old, std::string const& added) {
  git_odb* raw_odb = nullptr;
  int code = git_repository_odb(&raw_odb, repo);
  if (code < 0) return git::fault(code, "opening the objects");
  git::Odb const odb(raw_odb);
  std::string_view const before = old ? old->text() : std::string_view();
  git_odb_stream* raw = nullptr;
  auto const size = static_cast<git_object_size_t>(before.size() + added.size());
  code = git_odb_open_wstream(&raw, odb.get(), size, GIT_OBJECT_BLOB);
  if (code < 0) return git::fault(code, "writing log.md");
  WriteStream const stream(raw);
  for (std::string_view const part : {before, std::string_view(added)}) {
    if (part.empty()) continue;
    code = git_odb_stream_write(stream.get(), part.data(), part.size());
    if (code < 0) return git::fault(code, "writing log.md");
  }
  git_oid id;
  code = git_odb_stream_finalize_write(&id, stream.get());
  if (code < 0) return git::fault(code, "writing log.md");
  return id;
}

Result<git_oid> write_tree(git_repository* repo, git_tree const* base, git_oid const& blob, git_filemode_t mode) {
  git_treebuilder* raw = nullptr;
  int code = git_treebuilder_new(&raw, repo, base);
  if (code < 0) return git::fault(code, "building the tree of the log");
  TreeBuilder const builder(raw);
  code = git_treebuilder_insert(nullptr, builder.get(), kLogFile, &blob, mode);
  if (code < 0) return git::fault(code, "building the tree of the log");
  git_oid id;
  code = git_treebuilder_write(&id, builder.get());
  if (code < 0) return git::fault(code, "writing the tree of the log");
  return id;
}

std::string message_of(std::span<Entry const> entries) {
  std::string message(kSubject);
  message += '\n';
  for (Entry const& entry : entries) {
    if (entry.id.empty()) continue;
    if (message.size() == kSubject.size() + 1) message += '\n';
    message.append(kTrailer).append(entry.id).append("\n");
  }
  return message;
}

/// What to put behind the old text.
std::string appended(std::optional<LogFile> const& old, std::span<Entry const> entries) {
  std::string text;
  if (!old) text = kHeading;
  if (old && !old->text().empty() && !old->text().ends_with('\n')) text = "\n";
  for (Entry const& entry : entries) text.append(entry.line).append("\n");
  return text;
}

}  // namespace

Result<Tip> tip_of(git_repository* repo, std::string const& ref) {
  Result<CommitId> const commit = git::ref_commit(repo, ref);
  if (commit) return Tip(*commit);
  if (commit.error().code == Errc::not_found) return Tip();
  return commit.error();
}

std::string_view LogFile::text() const noexcept {
  return {static_cast<char const*>(git_blob_rawcontent(blob.get())),
          static_cast<std::size_t>(git_blob_rawsize(blob.get()))};
}

Result<std::optional<LogFile>> log_file(git_repository* repo, CommitId const& id) {
  Result<git::Commit> const commit = git::commit(repo, id);
  if (!commit) return commit.error();
  Result<git::Tree> const tree = git::tree_of(commit->get());
  if (!tree) return tree.error();
  git_tree_entry const* const entry = git_tree_entry_byname(tree->get(), kLogFile);
  if (entry == nullptr) return std::optional<LogFile>();
  LogFile file;
  file.mode = git_tree_entry_filemode(entry);
  if (file.mode != GIT_FILEMODE_BLOB && file.mode != GIT_FILEMODE_BLOB_EXECUTABLE) {
    return Error(Errc::invalid_input, std::string(kLogFile) + " of commit " + id.hex() + " is no plain file");
  }
  git_blob* raw = nullptr;
  int const code = git_blob_lookup(&raw, repo, git_tree_entry_id(entry));
  if (code < 0) return git::fault(code, "reading log.md of commit " + id.hex());
  file.blob.reset(raw);
  return std::optional(std::move(file));
}

Result<std::unordered_set<std::string>> held_ids(git_repository* repo, Tip const& tip, Tip const& without,
                                                 TimePoint since) {
  std::unordered_set<std::string> ids;
  if (!tip) return ids;
  git_revwalk* raw = nullptr;
  int code = git_revwalk_new(&raw, repo);
  if (code < 0) return git::fault(code, "walking the log");
  git::Revwalk const walk(raw);
  git_oid const from = git::to_oid(*tip);
  code = git_revwalk_push(walk.get(), &from);
  if (code >= 0 && without) {
    git_oid const hidden = git::to_oid(*without);
    code = git_revwalk_hide(walk.get(), &hidden);
  }
  if (code < 0) return git::fault(code, "walking the log");
  auto const oldest = std::chrono::system_clock::to_time_t(since - kClockSlack);
  git_oid id;
  for (std::size_t walked = 0; walked < kMaxWalk; ++walked) {
    code = git_revwalk_next(&id, walk.get());
    if (code == GIT_ITEROVER) break;
    if (code < 0) return git::fault(code, "walking the log");
    Result<git::Commit> const commit = git::commit(repo, git::from_oid<CommitId>(id));
    if (!commit) return commit.error();
    if (!is_log_commit(commit->get())) continue;
    for (std::string& held : ids_of(commit->get())) ids.insert(std::move(held));
    if (git_commit_time(commit->get()) < oldest) break;
  }
  return ids;
}

std::vector<std::string> ids_of(git_commit const* commit) {
  std::vector<std::string> ids;
  if (!is_log_commit(commit)) return ids;
  std::string_view rest = git_commit_message(commit);
  while (!rest.empty()) {
    std::string_view const line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(kTrailer)) ids.emplace_back(line.substr(kTrailer.size()));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return ids;
}

Result<CommitId> write_commit(git_repository* repo, Tip const& base, std::span<Entry const> entries, TimePoint now) {
  git::Commit parent;
  git::Tree tree;
  std::optional<LogFile> old;
  if (base) {
    Result<git::Commit> commit = git::commit(repo, *base);
    if (!commit) return commit.error();
    Result<git::Tree> its_tree = git::tree_of(commit->get());
    if (!its_tree) return its_tree.error();
    Result<std::optional<LogFile>> file = log_file(repo, *base);
    if (!file) return file.error();
    parent = std::move(*commit);
    tree = std::move(*its_tree);
    old = std::move(*file);
  }
  Result<git_oid> const blob = write_blob(repo, old, appended(old, entries));
  if (!blob) return blob.error();
  Result<git_oid> const new_tree = write_tree(repo, tree.get(), *blob, old ? old->mode : GIT_FILEMODE_BLOB);
  if (!new_tree) return new_tree.error();

  git_signature* raw_signature = nullptr;
  auto const seconds = static_cast<git_time_t>(std::chrono::system_clock::to_time_t(now));
  int code = git_signature_new(&raw_signature, "kbgate", "kbgate@localhost", seconds, 0);
  if (code < 0) return git::fault(code, "signing a log commit");
  Signature const signature(raw_signature);
  git_tree* raw_tree = nullptr;
  code = git_tree_lookup(&raw_tree, repo, &*new_tree);
  if (code < 0) return git::fault(code, "reading the tree of the log back");
  git::Tree const written(raw_tree);
  git_commit const* parents[] = {parent.get()};
  git_oid id;
  code = git_commit_create(&id, repo, nullptr, signature.get(), signature.get(), nullptr, message_of(entries).c_str(),
                           written.get(), parent ? 1 : 0, parents);
  if (code < 0) return git::fault(code, "writing a log commit");
  for (git_oid const& object : {*blob, *new_tree, id}) {
    if (Result<void> synced = sync_object(repo, object); !synced) return synced.error();
  }
  return git::from_oid<CommitId>(id);
}

Result<bool> move_ref(git_repository* repo, std::string const& ref, Tip const& from, CommitId const& to) {
  git_oid const target = git::to_oid(to);
  git_oid const expected = from ? git::to_oid(*from) : git_oid{};  // all zero: there must be none
  git_reference* raw = nullptr;
  int const code = git_reference_create_matching(&raw, repo, ref.c_str(), &target, 1, &expected, "kbgate: log query");
  if (code == GIT_EMODIFIED || code == GIT_ELOCKED || code == GIT_EEXISTS || code == GIT_ENOTFOUND) return false;
  if (code < 0) return git::fault(code, "moving " + ref);
  git::Reference const moved(raw);
  Result<void> const synced = sync_with_folder(std::filesystem::path(git_repository_commondir(repo)) / ref);
  if (!synced) return synced.error();
  return true;
}

void back_off(std::size_t attempt) {
  thread_local std::minstd_rand random(std::random_device{}());
  auto const longest = static_cast<int>(std::min<std::size_t>(attempt + 1, 8) * 25);
  std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(1, longest)(random)));
}

}  // namespace kb::logging::gitlog
