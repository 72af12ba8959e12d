/// One connection to a remote: its time limit, cancellation, progress and credentials. For the files of this room and
/// of logging/ that fetch or push.
#pragma once

#include <chrono>
#include <git2.h>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/result.hpp"
#include "kbrepo/git.hpp"
#include "kbrepo/mirror.hpp"

namespace kb::kbrepo::git {

/// What the callbacks of one connection share. libgit2 is C: nothing may throw through it.
struct Transfer {
  std::stop_token stop;
  Progress const* progress = nullptr;
  std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point reported{};
  std::size_t received = 0;
  std::size_t keys_tried = 0;
  bool agent_tried = false;
  bool token_tried = false;
  bool timed_out = false;

  /// What a callback returns: GIT_EUSER once it was stopped or too long silent.
  [[nodiscard]] int go_on() noexcept;
};

/// A remote without a name. The way to make one: libgit2 1.5 leaks 20 KB for each line of the configuration when it
/// looks for url.*.insteadOf, which every other way does; a daemon fetches for months.
[[nodiscard]] Result<Remote> anonymous_remote(git_repository* repo, std::string const& url);
/// Callbacks that work on `transfer`, which must outlive the connection.
[[nodiscard]] git_remote_callbacks callbacks_for(Transfer& transfer);
/// The error of a call on a connection: cancelled, exhausted, else unavailable.
[[nodiscard]] Error network_fault(int code, std::string_view what, Transfer const& transfer);
/// A URL without its password, fit for messages.
[[nodiscard]] std::string printable(std::string const& url);

}  // namespace kb::kbrepo::git
