/// The built program as a child process, with its output and its end.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kb::test {

struct Finished {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out, err;
};

/// Runs to its end; at most 60 s, then killed (exit_code 137).
[[nodiscard]] Finished run_program(std::string const& program, std::vector<std::string> const& args,
                                   std::map<std::string, std::string> const& env = {});

/// A child that goes on. Killed when it goes out of scope.
class Child {
 public:
  Child(std::string const& program, std::vector<std::string> const& args,
        std::map<std::string, std::string> const& env = {});
  ~Child();
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  /// The next line of standard output; throws when none comes within `bound`, with what standard error said.
  [[nodiscard]] std::string line(std::chrono::seconds bound = std::chrono::seconds(30));
  void signal(int number) const;
  /// Waits for its end: exit code, or 128 + signal; throws after `bound`.
  [[nodiscard]] int wait(std::chrono::seconds bound = std::chrono::seconds(30));
  [[nodiscard]] bool running();
  /// Standard error so far.
  [[nodiscard]] std::string errors() const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  std::string buffered_;
  std::string err_file_;
  int exit_code_ = -1;
};

}  // namespace kb::test
