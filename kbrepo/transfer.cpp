#include "kbrepo/transfer.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "config/atomic_file.hpp"

namespace kb::kbrepo::git {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSilence{120};  ///< without progress, a fetch gives up at the next callback
constexpr std::chrono::milliseconds kReportEvery{300};
constexpr std::size_t kMaxSecret = 16 * 1024;
constexpr std::array<char const*, 3> kKeyFiles{"id_ed25519", "id_ecdsa", "id_rsa"};

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

}  // namespace

int Transfer::go_on() noexcept {
  timed_out = timed_out || SteadyClock::now() - heard > kSilence;
  return stop.stop_requested() || timed_out ? GIT_EUSER : 0;
}

Result<Remote> anonymous_remote(git_repository* repo, std::string const& url) {
  git_remote_create_options options = GIT_REMOTE_CREATE_OPTIONS_INIT;
  options.repository = repo;
  options.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF | GIT_REMOTE_CREATE_SKIP_DEFAULT_FETCHSPEC;
  git_remote* raw = nullptr;
  int const code = git_remote_create_with_opts(&raw, url.c_str(), &options);
  if (code < 0) return fault(code, printable(url));
  return Remote(raw);
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
  Error e = fault(code, what);
  if (transfer.stop.stop_requested()) return Error(Errc::cancelled, std::string(what) + ": stopped");
  if (transfer.timed_out) return Error(Errc::unavailable, std::string(what) + ": no data for two minutes");
  // Over the network a missing repository, a broken pack and a lost link all mean: not now.
  e.code = e.code == Errc::exhausted ? Errc::exhausted : Errc::unavailable;
  return e;
}

std::string printable(std::string const& url) {
  std::size_t const scheme = url.find("://");
  std::size_t const at = scheme == std::string::npos ? scheme : url.find('@', scheme);
  if (at == std::string::npos || at > url.find('/', scheme + 3)) return url;
  return url.substr(0, scheme + 3) + url.substr(at + 1);
}

}  // namespace kb::kbrepo::git
