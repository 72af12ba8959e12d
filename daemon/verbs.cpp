#include "daemon/verbs.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>

#include "config/atomic_file.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMaxInputBytes = 16 * 1024 * 1024;

}  // namespace

int exit_code_of(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_input:
      return kUsage;
    case Errc::not_found:
      return kFailure;
    case Errc::denied:
      return kPermission;
    case Errc::unavailable:
      return kUnavailable;
    case Errc::exhausted:
      return kTryAgain;
    case Errc::corrupt:
      return kFailure;
    case Errc::cancelled:
      return kTryAgain;
  }
  return kFailure;
}

int fail(Io io, std::string_view code, std::string_view message, int exit_code) {
  print(io.out, {{"success", false}, {"error", code}, {"message", message}});
  return exit_code;
}

int fail(Io io, Error const& error) { return fail(io, to_string(error.code), error.what, exit_code_of(error.code)); }

std::optional<config::Books> open_books(std::string const& config, Io io) {
  Result<std::filesystem::path> const file = config::find_settings_file(config);
  if (!file) {
    fail(io, "config_not_found", file.error().what, kConfiguration);
    return std::nullopt;
  }
  config::Loaded<config::Books> loaded = config::load_books(*file);
  for (config::Fault const& warning : loaded.warnings) io.err << "warning: " << config::to_string(warning) << '\n';
  if (loaded.value) return std::move(loaded.value);
  for (config::Fault const& fault : loaded.errors) io.err << "error: " << config::to_string(fault) << '\n';
  std::string const first =
      loaded.errors.empty() ? file->string() + " cannot be loaded" : config::to_string(loaded.errors.front());
  fail(io, "config_invalid", first + " (kbgate check_config lists everything)", kConfiguration);
  return std::nullopt;
}

Result<config::RepoSettings const*> pick_repo(config::Settings const& settings, RepoOptions const& options) {
  std::string known;
  config::RepoSettings const* match = nullptr;
  std::size_t matches = 0;
  for (config::RepoSettings const& repo : settings.repos) {
    known += (known.empty() ? "" : ", ") + repo.id.str();
    bool const fits = (options.owner.empty() || options.owner == repo.id.owner) &&
                      (options.repo.empty() || options.repo == repo.id.repo);
    if (!fits) continue;
    match = &repo;
    ++matches;
  }
  if (matches == 1) return match;
  std::string const asked = options.owner + "/" + options.repo;
  if (matches == 0)
    return Error(Errc::not_found,
                 "no repository " + asked + " in " + settings.file.string() + "; configured: " + known);
  return Error(Errc::invalid_input, "--owner and --repo are needed to choose among: " + known);
}

kbrepo::Progress progress_on(std::ostream& err) {
  using Steady = std::chrono::steady_clock;
  auto last = std::make_shared<Steady::time_point>(Steady::now());
  return [&err, last](std::string_view what, double done) {
    auto const now = Steady::now();
    if (now - *last < std::chrono::seconds(1)) return;
    *last = now;
    err << what;
    if (done >= 0) err << ' ' << static_cast<int>(done * 100) << " %";
    err << std::endl;
  };
}

Result<std::string> read_input(std::string const& path) {
  if (path != "-") return config::read_file(path, kMaxInputBytes);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

}  // namespace kb::daemon
