// serve: the daemon from the command line's side.
#include <cerrno>
#include <filesystem>
#include <unistd.h>

#include "config/secret_file.hpp"
#include "daemon/app.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMinTokenBytes = 16;

/// The bearer token of `listen.token_file`; empty without one.
Result<std::string> read_token(std::filesystem::path const& path) {
  if (path.empty()) return std::string();
  Result<std::string> token = config::read_secret(path, "listen.token_file");
  if (token && token->size() < kMinTokenBytes) {
    return Error(Errc::invalid_input, "listen.token_file " + path.string() +
                                          " holds fewer than 16 characters; make one with: openssl rand -hex 32");
  }
  return token;
}

void tell_ready(int fd, std::string const& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    ssize_t const n = ::write(fd, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // whoever waited is gone
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

int serve_verb(ServeOptions const& options, Io io) {
  std::optional<config::Books> books = open_books(options.config, io);
  if (!books) return kConfiguration;
  Result<std::string> token = read_token(books->settings.listen.token_file);
  if (!token) return fail(io, "bad_token_file", token.error().what, kConfiguration);
  log::set_level(log::Level::info);
  AppOptions app;
  app.books = std::move(*books);
  app.token = std::move(*token);
  int const ready_fd = options.ready_fd;
  app.on_ready = [&io, ready_fd](std::string const& address, std::uint16_t port) {
    Json const ready{{"ready", true}, {"address", address}, {"port", port}};
    if (ready_fd >= 0) tell_ready(ready_fd, dump(ready) + "\n");
    if (ready_fd != STDOUT_FILENO) print(io.out, ready);
  };
  Result<void> const ran = run_app(std::move(app));
  if (!ran) return fail(io, ran.error());
  return kDone;
}

}  // namespace kb::daemon
