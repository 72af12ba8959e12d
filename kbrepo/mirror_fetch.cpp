#include "kbrepo/mirror_refs.hpp"
#include "kbrepo/mirror_state.hpp"
#include "kbrepo/transfer.hpp"

namespace kb::kbrepo {
namespace {

using git::callbacks_for;
using git::network_fault;
using git::printable;
using git::Transfer;

/// The ref to follow and where it is now: settings.ref, or what the remote's HEAD names.
struct Followed {
  std::string ref;
  git_oid id{};
};

Result<Followed> followed(git_remote* remote, config::RepoSettings const& settings) {
  git_remote_head const** heads = nullptr;
  std::size_t count = 0;
  int const code = git_remote_ls(&heads, &count, remote);
  if (code < 0) return git::fault(code, "listing the refs of " + printable(settings.remote));
  std::string ref = settings.ref;
  if (ref.empty()) {
    git_buf name = GIT_BUF_INIT;
    bool const named = git_remote_default_branch(&name, remote) == 0;
    ref = named ? name.ptr : "HEAD";
    git_buf_dispose(&name);
  }
  std::string branches;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view const name = heads[i]->name;
    if (name == ref) return Followed{ref, heads[i]->oid};
    if (name.starts_with("refs/heads/") && branches.size() < 400)
      branches.append(branches.empty() ? "" : ", ").append(name);
  }
  std::string const where = printable(settings.remote);
  if (count == 0) return Error(Errc::not_found, where + " has no commits; push one to it");
  return Error(Errc::not_found, where + " has no " + ref + "; it has " + (branches.empty() ? "no branch" : branches) +
                                    ": set repos[].ref to the one to read");
}

Result<void> point_remote_head(git_repository* repo, std::string const& kept) {
  git_reference* raw = nullptr;
  int const code = git_reference_symbolic_create(&raw, repo, kRemoteHead, kept.c_str(), 1, nullptr);
  if (code < 0) return git::fault(code, "writing " + std::string(kRemoteHead));
  git::Reference const made(raw);
  return {};
}

}  // namespace

Result<FetchReport> fetch_kept(git_repository* repo, config::RepoSettings const& settings, std::stop_token stop,
                               Progress const& progress) {
  Transfer transfer;
  transfer.stop = std::move(stop);
  transfer.progress = &progress;
  std::string const where = printable(settings.remote);
  if (transfer.go_on() != 0) return Error(Errc::cancelled, where + ": stopped");

  auto const made = git::anonymous_remote(repo, settings.remote);
  if (!made) return Error(Errc::unavailable, made.error().what);
  git::Remote const& remote = *made;
  git_remote_callbacks const callbacks = callbacks_for(transfer);
  int code = git_remote_connect(remote.get(), GIT_DIRECTION_FETCH, &callbacks, nullptr, nullptr);
  if (code < 0) return network_fault(code, "reaching " + where, transfer);

  auto const follow = followed(remote.get(), settings);
  if (!follow) return follow.error();
  std::string const kept = follow->ref == "HEAD" ? std::string(kRemoteHead) : kept_ref(follow->ref);
  std::string const refspec = "+" + follow->ref + ":" + kept;

  git_fetch_options options = GIT_FETCH_OPTIONS_INIT;
  options.callbacks = callbacks;
  options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
  options.prune = GIT_FETCH_NO_PRUNE;
  options.update_fetchhead = 0;
  char* spec = const_cast<char*>(refspec.c_str());  // git_strarray holds char* though it only reads
  git_strarray const specs{&spec, 1};
  if (follow->ref == "HEAD") git_reference_remove(repo, kRemoteHead);  // it may be symbolic from before
  code = git_remote_fetch(remote.get(), &specs, &options, nullptr);
  if (code < 0) return network_fault(code, "fetching " + follow->ref + " from " + where, transfer);
  if (settings.ref.empty() && follow->ref != "HEAD") {
    auto const pointed = point_remote_head(repo, kept);
    if (!pointed) return pointed.error();
  }

  auto const after = git::ref_commit(repo, kept);
  if (!after) return at("after fetching " + where, after.error());
  FetchReport report;
  report.after = *after;
  report.ref = follow->ref;
  report.bytes = transfer.received;
  return report;
}

}  // namespace kb::kbrepo
