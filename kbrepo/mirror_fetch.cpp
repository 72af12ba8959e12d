#include <array>
#include <chrono>
#include <cstdlib>

#include "config/atomic_file.hpp"
#include "kbrepo/mirror_refs.hpp"
#include "kbrepo/mirror_state.hpp"

namespace kb::kbrepo {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSilence{120};  ///< without progress, a fetch gives up at the next callback
constexpr std::chrono::milliseconds kReportEvery{300};
constexpr std::size_t kMaxSecret = 16 * 1024;
constexpr std::array<char const*, 3> kKeyFiles{"id_ed25519", "id_ecdsa", "id_rsa"};

/// A URL without its password, fit for messages.
std::string printable(std::string const& url) {
  std::size_t const scheme = url.find("://");
  std::size_t const at = scheme == std::string::npos ? scheme : url.find('@', scheme);
  if (at == std::string::npos || at > url.find('/', scheme + 3)) return url;
  return url.substr(0, scheme + 3) + url.substr(at + 1);
}

/// What the callbacks of one connection share. libgit2 is C: nothing may throw through it.
struct Transfer {
  std::stop_token stop;
  Progress const* progress = nullptr;
  SteadyClock::time_point heard = SteadyClock::now();
  SteadyClock::time_point reported{};
  std::size_t received = 0;
  std::size_t keys_tried = 0;
  bool agent_tried = false;
  bool token_tried = false;
  bool timed_out = false;

  [[nodiscard]] int go_on() noexcept {
    timed_out = timed_out || SteadyClock::now() - heard > kSilence;
    return stop.stop_requested() || timed_out ? GIT_EUSER : 0;
  }
};

int on_sideband(char const* /*text*/, int /*size*/, void* payload) {
  auto& transfer = *static_cast<Transfer*>(payload);
  transfer.heard = SteadyClock::now();
  return transfer.go_on();
}

int on_transfer(git_indexer_progress const* stats, void* payload) {
  auto& transfer = *static_cast<Transfer*>(payload);
  auto const now = SteadyClock::now();
  if (stats->received_bytes != transfer.received) transfer.heard = now;
  transfer.received = stats->received_bytes;
  bool const due = transfer.progress != nullptr && *transfer.progress && now - transfer.reported > kReportEvery;
  if (due) {
    transfer.reported = now;
    double const total = stats->total_objects;
    try {
      (*transfer.progress)("receiving objects", total > 0 ? stats->received_objects / total : -1);
    } catch (...) {
      return GIT_EUSER;
    }
  }
  return transfer.go_on();
}

fs::path next_key(Transfer& transfer) {
  char const* home = std::getenv("HOME");
  while (home != nullptr && transfer.keys_tried < kKeyFiles.size()) {
    fs::path const key = fs::path(home) / ".ssh" / kKeyFiles[transfer.keys_tried++];
    std::error_code ignored;
    if (fs::exists(key, ignored)) return key;
  }
  return {};
}

/// The systemd credential named like the URL's user: https://kb-token@git.example/… reads
/// $CREDENTIALS_DIRECTORY/kb-token, so that no secret stands in kbgate.json.
std::string token_for(std::string const& user) {
  char const* folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr || user.empty() || user.find('/') != std::string::npos || user.starts_with('.')) return {};
  auto token = config::read_file(fs::path(folder) / user, kMaxSecret);
  if (!token) return {};
  while (token->ends_with('\n') || token->ends_with('\r')) token->pop_back();
  return *token;
}

int on_credentials(git_credential** out, char const* /*url*/, char const* user_from_url, unsigned allowed,
                   void* payload) {
  auto& transfer = *static_cast<Transfer*>(payload);
  try {
    std::string const user = user_from_url != nullptr ? user_from_url : "git";
    if ((allowed & GIT_CREDENTIAL_USERNAME) != 0) return git_credential_username_new(out, user.c_str());
    if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0) {
      if (!std::exchange(transfer.agent_tried, true)) return git_credential_ssh_key_from_agent(out, user.c_str());
      fs::path const key = next_key(transfer);
      if (!key.empty()) {
        std::string const open = key.string() + ".pub";
        return git_credential_ssh_key_new(out, user.c_str(), open.c_str(), key.c_str(), "");
      }
    }
    if ((allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT) != 0 && !std::exchange(transfer.token_tried, true)) {
      std::string const token = token_for(user);
      if (!token.empty()) return git_credential_userpass_plaintext_new(out, user.c_str(), token.c_str());
    }
  } catch (...) {
    return GIT_EUSER;
  }
  return GIT_EAUTH;
}

git_remote_callbacks callbacks_for(Transfer& transfer) {
  git_remote_callbacks callbacks = GIT_REMOTE_CALLBACKS_INIT;
  callbacks.sideband_progress = on_sideband;
  callbacks.transfer_progress = on_transfer;
  callbacks.credentials = on_credentials;
  callbacks.payload = &transfer;
  return callbacks;
}

Error network_fault(int code, std::string_view what, Transfer const& transfer) {
  Error e = git::fault(code, what);
  if (transfer.stop.stop_requested()) return Error(Errc::cancelled, std::string(what) + ": stopped");
  if (transfer.timed_out) return Error(Errc::unavailable, std::string(what) + ": no data for two minutes");
  // Over the network a missing repository, a broken pack and a lost link all mean: not now.
  e.code = e.code == Errc::exhausted ? Errc::exhausted : Errc::unavailable;
  return e;
}

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

  git_remote* raw = nullptr;
  int code = git_remote_create_anonymous(&raw, repo, settings.remote.c_str());
  if (code < 0) return network_fault(code, where, transfer);
  git::Remote const remote(raw);
  git_remote_callbacks const callbacks = callbacks_for(transfer);
  code = git_remote_connect(remote.get(), GIT_DIRECTION_FETCH, &callbacks, nullptr, nullptr);
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
