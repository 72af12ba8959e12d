#include "tests/support/process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace kb::test {
namespace {

using Steady = std::chrono::steady_clock;

std::string temporary_file() {
  std::string name = "/tmp/kbgate-test-XXXXXX";
  int const fd = mkstemp(name.data());
  if (fd < 0) throw std::runtime_error("mkstemp");
  ::close(fd);
  return name;
}

std::string content(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// Standard output goes to `out_fd`, standard error to a file, standard input is empty.
pid_t start(std::string const& program, std::vector<std::string> const& args,
            std::map<std::string, std::string> const& env, int out_fd, std::string const& err_file) {
  std::vector<std::string> variables;
  for (char** e = environ; *e != nullptr; ++e) {
    std::string const entry = *e;
    if (!env.contains(entry.substr(0, entry.find('=')))) variables.push_back(entry);
  }
  for (auto const& [name, value] : env) variables.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (std::string& v : variables) envp.push_back(v.data());
  envp.push_back(nullptr);
  std::vector<std::string> words{program};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  int const failed = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + program);
  return pid;
}

}  // namespace

Child::Child(std::string const& program, std::vector<std::string> const& args,
             std::map<std::string, std::string> const& env)
    : err_file_(temporary_file()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  out_ = ends[0];
  pid_ = start(program, args, env, ends[1], err_file_);
  ::close(ends[1]);
}

Child::~Child() {
  if (running()) {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
  }
  ::close(out_);
  ::unlink(err_file_.c_str());
}

std::string Child::line(std::chrono::seconds bound) {
  auto const until = Steady::now() + bound;
  for (;;) {
    auto const end = buffered_.find('\n');
    if (end != buffered_.npos) {
      std::string const out = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return out;
    }
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now()).count();
    pollfd watched{out_, POLLIN, 0};
    if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) <= 0)
      throw std::runtime_error("no line; stderr: " + errors());
    char chunk[4096];
    ssize_t const n = ::read(out_, chunk, sizeof chunk);
    if (n <= 0) throw std::runtime_error("output ended; stderr: " + errors());
    buffered_.append(chunk, static_cast<std::size_t>(n));
  }
}

void Child::signal(int number) const { ::kill(pid_, number); }

bool Child::running() {
  if (exit_code_ >= 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  exit_code_ = code_of(status);
  return false;
}

int Child::wait(std::chrono::seconds bound) {
  // The child's end closes its output: reading it to the end waits without a clock of our own.
  auto const until = Steady::now() + bound;
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now()).count();
    pollfd watched{out_, POLLIN, 0};
    if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) <= 0)
      throw std::runtime_error("does not end; stderr: " + errors());
    char chunk[4096];
    ssize_t const n = ::read(out_, chunk, sizeof chunk);
    if (n <= 0) break;
    buffered_.append(chunk, static_cast<std::size_t>(n));
  }
  if (exit_code_ < 0) {
    int status = 0;
    if (::waitpid(pid_, &status, 0) != pid_) throw std::runtime_error("waitpid");
    exit_code_ = code_of(status);
  }
  return exit_code_;
}

std::string Child::errors() const { return content(err_file_); }

Finished run_program(std::string const& program, std::vector<std::string> const& args,
                     std::map<std::string, std::string> const& env) {
  std::string const out_file = temporary_file();
  std::string const err_file = temporary_file();
  int const out = ::open(out_file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  pid_t const pid = start(program, args, env, out, err_file);
  ::close(out);
  Finished finished;
  int status = 0;
  auto const until = Steady::now() + std::chrono::seconds(60);
  int const fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now()).count();
  pollfd watched{fd, POLLIN, 0};
  if (fd >= 0 && ::poll(&watched, 1, static_cast<int>(left)) <= 0) ::kill(pid, SIGKILL);
  if (fd >= 0) ::close(fd);
  ::waitpid(pid, &status, 0);
  finished.exit_code = code_of(status);
  finished.out = content(out_file);
  finished.err = content(err_file);
  ::unlink(out_file.c_str());
  ::unlink(err_file.c_str());
  return finished;
}

}  // namespace kb::test
